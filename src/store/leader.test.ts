import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addUser } from '../../test/support/rows.ts';
import { describePostgres } from '../../test/support/stores.ts';
import { insertOwnCall } from './audit/own-calls.ts';
import { landUnchanged, unlessChanged } from './in-flight.ts';
import {
  findLeader,
  holdLead,
  type Lead,
  type LeadTimes,
  renewLead,
  takeLead,
  yieldLead,
} from './leader.ts';
import type { Db, Store } from './store.ts';
import type { UserRow } from './users/users.ts';

const times = { leaseMs: 60_000, callMs: 5_000 };
/** A lease that is over as soon as it is given. */
const over = { leaseMs: -1_000, callMs: 5_000 };

const take = (store: Store, owner: string, given = times) =>
  store.write((tx) => takeLead(tx, owner, given));

async function takeFirst(store: Store, times: LeadTimes): Promise<Lead> {
  const lead = await take(store, 'a', times);
  if (lead === undefined) throw new Error('nobody leads');
  return lead;
}

/** Statements with which a transaction proves the lead; each tells whether it is held. */
const proofs: readonly {
  readonly what: string;
  proves(tx: Db, lead: Lead, user: UserRow): Promise<boolean>;
}[] = [
  { what: 'a question', proves: (tx, lead) => holdLead(tx, lead) },
  {
    what: 'a row of the ledger',
    async proves(tx, lead, { id }) {
      const key = { type: 'user', id } as const;
      const changes = [{ kind: 'user.rename' as const, upstreamId: '1' }];
      const [row] = await insertOwnCall(tx, { at: 1, operation: 'x.y', key, changes, lead });
      return row?.is_led === 1;
    },
  },
  {
    what: 'the end of a call',
    async proves(tx, lead, user) {
      const landed = await unlessChanged(async () => {
        await landUnchanged(tx, 'users', user, { steps: user.steps + 1 }, lead);
        return true;
      });
      return landed === true;
    },
  },
];

describePostgres('the leader', ({ makeStore }) => {
  test('is one of many who ask at the same time', async () => {
    const store = await makeStore();

    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => take(store, owner)));

    const leads = taken.filter((lead) => lead !== undefined);
    expect(leads).toMatchObject([{ epoch: 1, quietInMs: 0, before: undefined }]);
    expect(await findLeader(store)).toMatchObject({ owner: leads[0]?.owner, epoch: 1 });
  });

  test('is another one once its lease is over, in a higher epoch, and its calls are waited for', async () => {
    const store = await makeStore();
    await take(store, 'a', over);

    const lead = await take(store, 'b');

    expect(lead).toMatchObject({ owner: 'b', epoch: 2, before: 'a' });
    expect(lead?.quietInMs).toBeGreaterThan(3_000);
    expect(lead?.quietInMs).toBeLessThanOrEqual(4_000);
  });

  test('that gives the lead up is followed at once, and its calls are not waited for', async () => {
    const store = await makeStore();
    const lead = await take(store, 'a');
    if (lead) await store.write((tx) => yieldLead(tx, lead, true));

    expect(await take(store, 'b')).toMatchObject({ owner: 'b', epoch: 2, quietInMs: 0 });
  });

  test('that gives the lead up before it was quiet leaves the wait to the next', async () => {
    const store = await makeStore();
    await take(store, 'a', over);
    const lead = await take(store, 'b');
    if (lead) await store.write((tx) => yieldLead(tx, lead, false));

    expect((await take(store, 'c'))?.quietInMs).toBeGreaterThan(3_000);
  });

  test('keeps the lead by renewals, which say what the others have to know', async () => {
    const store = await makeStore();
    const lead = await take(store, 'a', over);
    if (lead === undefined) throw new Error('nobody leads');

    expect(await renewLead(store, { ...lead, news: '{"n":1}' }, times)).toBe(true);
    expect(await renewLead(store, { ...lead, news: null }, times)).toBe(true);

    expect(await take(store, 'b')).toBeUndefined();
    expect(await findLeader(store)).toMatchObject({ owner: 'a', epoch: 1, news: '{"n":1}' });
  });

  test('that was taken over neither renews nor stores', async () => {
    const store = await makeStore();
    const lead = await takeFirst(store, over);
    await take(store, 'b');

    expect(await renewLead(store, { ...lead, news: null }, times)).toBe(false);
    expect(await store.write((tx) => holdLead(tx, lead))).toBe(false);
  });

  for (const { what, proves } of proofs) {
    test(`that was taken over is not proven by ${what}`, async () => {
      const store = await makeStore();
      const user = await addUser(store, { due_at: 1 });
      const lead = await takeFirst(store, over);
      await take(store, 'b');

      expect(await store.write((tx) => proves(tx, lead, user))).toBe(false);
    });

    test(`renews beside a transaction that ${what} proves, which a takeover waits for`, async () => {
      const store = await makeStore();
      const user = await addUser(store, { due_at: 1 });
      const lead = await takeFirst(store, over);
      const held = Promise.withResolvers<void>();
      const holding = Promise.withResolvers<boolean>();
      const order: string[] = [];
      const writing = store.write(async (tx) => {
        holding.resolve(await proves(tx, lead, user));
        await held.promise;
        order.push('stored');
      });

      expect(await holding.promise).toBe(true);
      expect(await renewLead(store, { ...lead, news: null }, over)).toBe(true);
      const taking = take(store, 'b').then(() => order.push('taken'));
      await sleep(50);
      held.resolve();
      await Promise.all([writing, taking]);

      expect(order).toEqual(['stored', 'taken']);
    });
  }
});
