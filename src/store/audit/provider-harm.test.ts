import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import type { SentChange } from '../../domain/change.ts';
import { userId } from '../../domain/ids.ts';
import type { CallOutcome } from '../schema.ts';
import type { Store } from '../store.ts';
import { insertOwnCall, saveCallOutcomes } from './own-calls.ts';
import { countProviderHarm } from './provider-harm.ts';

type Row = SentChange & { readonly isRepair?: number };

interface Written {
  readonly change: Row;
  readonly id?: string;
  readonly outcome?: CallOutcome;
  readonly at?: number;
}

const leaver: Row = { kind: 'user.deactivate', upstreamId: '7' };
const member: Row = { kind: 'member.remove', upstreamId: 'g', memberId: '7' };

async function write(store: Store, { change, id = 'a', outcome, at = 10 }: Written): Promise<void> {
  const key = { type: 'user', id: userId(id) } as const;
  await store.write(async (tx) => {
    const written = await insertOwnCall(tx, { at, operation: 'x.y', key, changes: [change] });
    const ids = written.map((row) => row.id);
    if (outcome) await saveCallOutcomes(tx, [{ ids, outcome, error: null }]);
  });
}

const cases: readonly { why: string; calls: readonly Written[]; users: number; places: number }[] =
  [
    {
      why: 'a person counts once, however often it was tried and by whichever call',
      calls: [
        { change: leaver, outcome: 'unknown' },
        { change: leaver, outcome: 'done' },
        { change: { ...leaver, kind: 'user.delete' }, id: 'another row of the same account' },
      ],
      users: 1,
      places: 0,
    },
    {
      why: 'a person counts in each group they left',
      calls: [
        { change: member, id: 'pilots' },
        { change: member, id: 'pilots' },
        { change: member, id: 'cooks' },
        { change: { ...member, memberId: '8' }, id: 'cooks' },
      ],
      users: 0,
      places: 3,
    },
    {
      why: 'nothing was taken away by what was refused, did not leave, or is too old',
      calls: [
        { change: leaver, outcome: 'refused' },
        { change: leaver, outcome: 'not-sent' },
        { change: leaver, at: 1 },
      ],
      users: 0,
      places: 0,
    },
    {
      why: 'repairs are counted elsewhere',
      calls: [{ change: { ...leaver, isRepair: 1 }, outcome: 'done' }, { change: member }],
      users: 0,
      places: 1,
    },
  ];

describeStores('harm', ({ makeStore }) => {
  for (const { why, calls, users, places } of cases) {
    test(why, async () => {
      const store = await makeStore();
      for (const call of calls) await write(store, call);
      const query = { since: 5, max: 100 };

      expect(await countProviderHarm(store.read, { ...query, harm: 'deactivate' })).toBe(users);
      expect(await countProviderHarm(store.read, { ...query, harm: 'removeMember' })).toBe(places);
    });
  }
});
