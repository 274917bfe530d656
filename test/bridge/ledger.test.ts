import { expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { listOwnCalls } from '../../src/store/audit/own-calls.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';

const disable = toPatch({ op: 'replace', path: 'active', value: false });

function readLedger({ store }: TestBridge) {
  return listOwnCalls(store.read, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1_000 });
}

test('a call is in the ledger before it leaves, so that a crash leaves no call without a row', () =>
  withTestBridge({}, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    const fault = { kind: 'hang' } as const;
    const slow = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault });

    const answer = bridge.request('PATCH', `/Users/${id}`, disable);
    await slow.until(1);
    const rows = await readLedger(bridge);
    slow.remove();
    bridge.sandbox.faults.release();
    await answer;

    const upstreamId = String(bridge.sandbox.service.getUser('ada@example.com').id);
    expect(rows.at(-1)).toMatchObject({ kind: 'user.deactivate', resourceId: id, upstreamId });
  }));

test('a call that cannot be written down is not made, and is made later', () =>
  withTestBridge({ settings: { SCIM_WRITE_WAIT: '50ms' } }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    // The wait is short, so her creation may still go on.
    await untilSettled(bridge);
    bridge.sandbox.calls.reset();
    await setLedgerName(bridge, 'own_calls', 'hidden');

    await send(bridge, 'PATCH', `/Users/${id}`, disable);
    const callsWithoutLedger = bridge.sandbox.calls.count({ mutating: true });
    await setLedgerName(bridge, 'hidden', 'own_calls');
    await untilSettled(bridge);

    expect(callsWithoutLedger).toBe(0);
    expect(bridge.sandbox.service.getUser('ada@example.com').active).toBe(false);
  }));

test('every change that the audit log shows as ours is in the ledger, members one by one', () =>
  withTestBridge({}, async (bridge) => {
    const ids = await addUsers(bridge, 5);
    const groupId = await addGroup(bridge, 'Pilots', ids);
    await send(bridge, 'PATCH', `/Users/${ids[0]}`, disable);
    await send(bridge, 'DELETE', `/Groups/${groupId}`);
    await untilSettled(bridge);

    const rows = await readLedger(bridge);
    const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
    const counts = ['user.create', 'group.create', 'member.add', 'user.deactivate', 'group.delete'];
    expect(counts.map(count)).toEqual([5, 1, 5, 1, 1]);
    expect(rows.length).toBeGreaterThanOrEqual(bridge.sandbox.service.auditEvents().length);
  }));

/** Requests whose call the service refuses, after which parts of it are sent, and the changes by outcome. */
const parted: readonly {
  readonly why: string;
  readonly refused: OperationName;
  readonly times: number;
  write(bridge: TestBridge, ids: { users: readonly string[]; group: string }): Promise<unknown>;
  readonly changes: readonly string[];
}[] = [
  {
    why: 'access first, then the name',
    ...{ refused: 'scim.updateUser', times: 1 },
    write: (bridge, { users }) =>
      send(
        bridge,
        'PATCH',
        `/Users/${users[0]}`,
        toPatch({ op: 'replace', value: { active: false, name: { familyName: 'Byron' } } }),
      ),
    changes: [
      ...['user.deactivate refused', 'user.rename refused'],
      ...['user.deactivate done', 'user.rename done'],
    ],
  },
  {
    why: 'the name of a group first, then its permissions',
    ...{ refused: 'groups.updateGroup', times: 1 },
    write: (bridge, { group }) =>
      send(
        bridge,
        'PATCH',
        `/Groups/${group}`,
        toPatch({
          op: 'replace',
          value: { displayName: 'Captains', [GROUP_EXTENSION]: { permissions: 2 } },
        }),
      ),
    changes: [
      ...['group.rename refused', 'group.permissions refused'],
      ...['group.rename done', 'group.permissions done'],
    ],
  },
  {
    why: 'members in halves, after both forms of the whole were refused',
    ...{ refused: 'scim.updateGroup', times: 2 },
    write: (bridge, { users, group }) =>
      send(
        bridge,
        'PATCH',
        `/Groups/${group}`,
        toPatch({ op: 'add', path: 'members', value: toMembers(users) }),
      ),
    changes: [
      ...Array.from({ length: 8 }, () => 'member.add refused'),
      ...Array.from({ length: 4 }, () => 'member.add done'),
    ],
  },
];

test.each(parted)(
  'a call that is sent in parts has the changes of its part: $why',
  ({ refused, times, write, changes }) =>
    withTestBridge({ settings: { GROUPS_PERMISSIONS_MAX: '31' } }, async (bridge) => {
      const users = await addUsers(bridge, 4);
      const group = await addGroup(bridge, 'Pilots');
      await untilSettled(bridge);
      const before = (await readLedger(bridge)).at(-1)?.id ?? 0;
      const fault = { kind: 'status', status: 400 } as const;
      bridge.sandbox.faults.add({ operation: refused, fault, times });

      await write(bridge, { users, group });
      await untilSettled(bridge);

      const calls = bridge.store.read.selectFrom('own_calls').select(['kind', 'outcome']);
      const rows = await calls.where('id', '>', before).orderBy('id').execute();
      expect(rows.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual(changes);
    }),
);

async function setLedgerName({ store }: TestBridge, from: string, to: string): Promise<void> {
  await store.write((tx) => tx.schema.alterTable(from).renameTo(to).execute());
}
