import { expect, test } from 'vitest';
import { groupId, userId } from '../../src/domain/ids.ts';
import { lockGroup } from '../../src/store/groups/groups.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { untilOthersWait } from '../support/postgres-locks.ts';
import { addGroup, addUser, send, toMembers, toPatch, untilSettled } from '../support/provider.ts';
import { describePostgres } from '../support/stores.ts';

interface Company {
  readonly bridge: TestBridge;
  /** A group. */
  readonly pilots: string;
  /** A member of it. */
  readonly ada: string;
}

/** A transaction about a user that has to write the user's groups too. */
interface Row {
  readonly what: string;
  /** Makes the transaction possible. Returns the user, and what begins the transaction. */
  prepare(company: Company): Promise<{ user: string; begin: () => Promise<unknown> }>;
}

const HANG = { operation: '*', fault: { kind: 'hang' } } as const;

const rows: readonly Row[] = [
  {
    what: 'the deletion of a member',
    prepare: async ({ bridge, ada }) => ({
      user: ada,
      begin: () => send(bridge, 'DELETE', `/Users/${ada}`),
    }),
  },
  {
    what: 'the creation of a member who was deleted',
    prepare: async ({ bridge, ada }) => {
      const slow = bridge.sandbox.faults.add(HANG);
      await send(bridge, 'DELETE', `/Users/${ada}`);
      await slow.until(1);
      const begin = async () => {
        await addUser(bridge, 'ada');
        bridge.sandbox.faults.clear();
      };
      return { user: ada, begin };
    },
  },
  {
    what: 'the end of a call that a group waits for',
    prepare: async ({ bridge, pilots }) => {
      const slow = bridge.sandbox.faults.add(HANG);
      const user = await addUser(bridge, 'bob');
      await slow.until(1);
      const join = toPatch({ op: 'add', path: 'members', value: toMembers([user]) });
      await send(bridge, 'PATCH', `/Groups/${pilots}`, join);
      await expect.poll(() => isAtRest(bridge.store, pilots)).toBe(true);
      return { user, begin: async () => bridge.sandbox.faults.clear() };
    },
  },
];

async function isAtRest({ read }: Store, pilots: string): Promise<boolean> {
  const group = read.selectFrom('groups').select(['due_at', 'in_flight']);
  const row = await group.where('id', '=', groupId(pilots)).executeTakeFirstOrThrow();
  return row.due_at === null && row.in_flight === 0;
}

describePostgres('who has locked a group and needs a member of it', ({ makeUrl }) => {
  test.each(rows)('never waits for $what, which waits for the group', async ({ prepare }) => {
    const settings = { DATABASE_URL: await makeUrl('migrated'), SCIM_WRITE_WAIT: '20ms' };
    await withTestBridge({ settings }, async (bridge) => {
      const ada = await addUser(bridge, 'ada');
      const pilots = await addGroup(bridge, 'Pilots', [ada]);
      await untilSettled(bridge);
      const { user, begin } = await prepare({ bridge, pilots, ada });
      let begun: Promise<unknown> | undefined;

      const free = await bridge.store.write(async (tx) => {
        await lockGroup(tx, groupId(pilots));
        begun = begin();
        await untilOthersWait(tx, bridge.store);
        return tx
          .selectFrom('users')
          .select('id')
          .where('id', '=', userId(user))
          .forUpdate()
          .skipLocked()
          .execute();
      });

      expect(free).toHaveLength(1);
      await begun;
      await untilSettled(bridge);
    });
  });
});
