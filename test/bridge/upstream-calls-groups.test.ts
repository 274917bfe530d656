import { expect, test } from 'vitest';
import { withTestBridge } from '../support/bridge.ts';
import { type CallRow, countCalls, runCallTable, withGroup } from '../support/call-table.ts';
import {
  addGroup,
  addUser,
  findId,
  listResources,
  send,
  toGroup,
  toMembers,
  toPatch,
} from '../support/provider.ts';

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

const groups: CallRow[] = [
  {
    what: 'one member who joins',
    calls: { 'groupUsers.addUserToGroup': 1 },
    ...withGroup((bridge, { path, bob }) => send(bridge, 'PATCH', path, change('add', [bob]))),
  },
  {
    what: 'one member who leaves',
    calls: { 'groupUsers.removeUserFromGroup': 1 },
    ...withGroup((bridge, { path, ada }) => send(bridge, 'PATCH', path, change('remove', [ada]))),
  },
  {
    what: 'exchanging one member for another',
    calls: { 'scim.updateGroup': 1 },
    async prepare(bridge) {
      const [ada, bob] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const path = `/Groups/${await addGroup(bridge, 'Pilots', [ada])}`;
      await addGroup(bridge, 'A group that teaches the form', [ada, bob]);
      return () => send(bridge, 'PUT', path, toGroup('Pilots', [bob]));
    },
  },
  {
    what: 'a delete of a group with members',
    calls: { 'groups.removeGroup': 1 },
    ...withGroup((bridge, { path }) => send(bridge, 'DELETE', path)),
  },
  {
    what: 'the first change of a group that people made: its admins are read before it is adopted',
    calls: { 'groupAdmins.getListOfGroupAdmins': 1, 'groups.updateGroup': 1 },
    async prepare(bridge) {
      const path = `/Groups/${await findId(bridge, { type: 'Groups', name: 'Group 001' })}`;
      const Operations = toPatch({ op: 'replace', path: 'displayName', value: 'Crew' });
      return () => send(bridge, 'PATCH', path, Operations);
    },
  },
];

const nothing: Omit<CallRow, 'calls'>[] = [
  {
    what: 'adding a member who is there',
    ...withGroup((bridge, { path, ada }) => send(bridge, 'PATCH', path, change('add', [ada]))),
  },
  {
    what: 'a PUT of the same group',
    ...withGroup((bridge, { path, name, ada }) => send(bridge, 'PUT', path, toGroup(name, [ada]))),
  },
];

/** How the service takes many members, what that costs, and what it costs to find out. */
const memberForms = [
  {
    memberPatch: 'one-per-operation',
    people: 40,
    first: { 'scim.getGroup': 1, 'scim.updateGroup': 1 },
    added: { 'scim.updateGroup': 1 },
    removed: { 'scim.updateGroup': 1 },
  },
  {
    memberPatch: 'array',
    people: 40,
    first: { 'scim.getGroup': 1, 'scim.updateGroup': 2 },
    added: { 'scim.updateGroup': 1 },
    removed: { 'scim.updateGroup': 1 },
  },
  {
    memberPatch: 'one-operation-per-request',
    people: 10,
    // Two forms of the whole, a look, and a pair that tells the refused form from a refused member.
    first: { 'scim.getGroup': 2, 'scim.updateGroup': 4, 'groupUsers.addUserToGroup': 10 },
    added: { 'groupUsers.addUserToGroup': 10 },
    removed: { 'groupUsers.removeUserFromGroup': 10 },
  },
] as const;

test.each(memberForms)(
  '$people members join and leave in as few calls as the service allows ($memberPatch)',
  ({ memberPatch, people, first, added, removed }) =>
    withTestBridge(
      { sandbox: { shape: { memberPatch }, seed: { users: people } } },
      async (bridge) => {
        const filter = encodeURIComponent('userName sw "user0"');
        const users = listResources(await send(bridge, 'GET', `/Users?filter=${filter}&count=100`));
        const ids = users.map(({ id }) => String(id));
        const pilots = `/Groups/${await addGroup(bridge, 'Pilots')}`;
        const count = (op: 'add' | 'remove') =>
          countCalls(bridge, () => send(bridge, 'PATCH', pilots, change(op, ids)));

        expect(await count('add')).toEqual(first);
        expect(await count('remove')).toEqual(removed);
        const created = await countCalls(bridge, () => addGroup(bridge, 'Crew', ids));
        expect(created).toEqual({ 'groups.createGroup': 1, ...added });
      },
    ),
);

runCallTable('groups', groups);
runCallTable(
  'a write of a group that changes nothing',
  nothing.map((row) => ({ ...row, calls: {} })),
);
