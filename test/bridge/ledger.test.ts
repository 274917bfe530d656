import { afterEach, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';

const bridge = forSuite(() => startTestBridge({ settings: { GROUPS_PERMISSIONS_MAX: '31' } }));
afterEach(() => bridge.sandbox.faults.clear());

const disable = toPatch(replace('active', false));

/** The calls for a user or group as `kind outcome`, the oldest first. */
async function listCalls(path: string): Promise<string[]> {
  const items = await bridge.listOps(`${path.toLowerCase()}/timeline`);
  return items
    .filter(({ source }) => source === 'bridge')
    .map(({ detail }) => `${Object(detail).kind} ${Object(detail).outcome}`);
}

test('a call is in the ledger before it leaves, so that a crash leaves no call without a row', async () => {
  const path = `/Users/${await bridge.addUser('ada')}`;
  const { faults } = bridge.sandbox;
  const slow = faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });

  const answer = bridge.request('PATCH', path, disable);
  await slow.until(1);
  const during = await listCalls(path);
  faults.clear();
  await answer;

  expect(during).toEqual(['user.create done', 'user.deactivate null']);
  expect(await listCalls(path)).toEqual(['user.create done', 'user.deactivate done']);
});

/** Requests whose call the service refuses, after which parts of it are sent, and the changes by outcome. */
const parted: readonly {
  readonly why: string;
  readonly refused: OperationName;
  readonly times: number;
  readonly type: 'Users' | 'Groups';
  toOperation(people: readonly string[]): JsonObject;
  readonly changes: readonly string[];
}[] = [
  {
    why: 'access first, then the name',
    ...{ refused: 'scim.updateUser', times: 1, type: 'Users' },
    toOperation: () => ({
      op: 'replace',
      value: { active: false, name: { familyName: 'Byron' } },
    }),
    changes: [
      ...['user.deactivate refused', 'user.rename refused'],
      ...['user.deactivate done', 'user.rename done'],
    ],
  },
  {
    why: 'the name of a group first, then its permissions',
    ...{ refused: 'groups.updateGroup', times: 1, type: 'Groups' },
    toOperation: () => ({
      op: 'replace',
      value: { displayName: 'Captains', [GROUP_EXTENSION]: { permissions: 2 } },
    }),
    changes: [
      ...['group.rename refused', 'group.permissions refused'],
      ...['group.rename done', 'group.permissions done'],
    ],
  },
  {
    why: 'members in halves, after both forms of the whole were refused',
    ...{ refused: 'scim.updateGroup', times: 2, type: 'Groups' },
    toOperation: (people) => ({ op: 'add', path: 'members', value: toMembers(people) }),
    changes: [
      ...Array.from({ length: 8 }, () => 'member.add refused'),
      ...Array.from({ length: 4 }, () => 'member.add done'),
    ],
  },
];

test.each(parted.map((row, index) => ({ ...row, index })))(
  'a call that is sent in parts has the changes of its part: $why',
  async ({ refused, times, type, toOperation, changes, index }) => {
    const people: string[] = [];
    for (const name of ['bea', 'cleo', 'dora', 'emma'])
      people.push(await bridge.addUser(`${name}${index}`));
    const group = await bridge.addGroup(`Pilots ${index}`);
    await bridge.untilSettled();
    const path = type === 'Users' ? `/Users/${people[0]}` : `/Groups/${group}`;
    const before = (await listCalls(path)).length;
    const fault = { kind: 'status', status: 400 } as const;
    bridge.sandbox.faults.add({ operation: refused, fault, times });

    await bridge.patch(path, toOperation(people));
    await bridge.untilSettled();

    // Those of one call have one time, and no order.
    expect((await listCalls(path)).slice(before).toSorted()).toEqual(changes.toSorted());
  },
);
