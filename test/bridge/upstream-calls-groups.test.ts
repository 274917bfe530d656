import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import {
  type CallRow,
  type Calls,
  inhabited,
  runCallTable,
  withGroup,
} from '../support/call-table.ts';
import {
  addGroup,
  addUser,
  findId,
  listResources,
  send,
  toGroup,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

const groups: CallRow[] = [
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
    sandbox: inhabited,
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
    ...withGroup((bridge, { path, ada }) => send(bridge, 'PUT', path, toGroup('Pilots', [ada]))),
  },
];

/** How the service takes 100 members, what that costs, and what it costs to find out. */
const memberForms = [
  {
    memberPatch: 'one-per-operation',
    first: { 'scim.getGroup': 1, 'scim.updateGroup': 1 },
    added: { 'scim.updateGroup': 1 },
    removed: { 'scim.updateGroup': 1 },
  },
  {
    memberPatch: 'array',
    first: { 'scim.getGroup': 1, 'scim.updateGroup': 2 },
    added: { 'scim.updateGroup': 1 },
    removed: { 'scim.updateGroup': 1 },
  },
  {
    memberPatch: 'one-operation-per-request',
    // Two forms of the whole, a look, and a pair that tells the refused form from a refused member.
    first: { 'scim.getGroup': 2, 'scim.updateGroup': 4, 'groupUsers.addUserToGroup': 100 },
    added: { 'groupUsers.addUserToGroup': 100 },
    removed: { 'groupUsers.removeUserFromGroup': 100 },
  },
] as const;

const hundred: CallRow[] = memberForms.flatMap(({ memberPatch, first, added, removed }) => {
  const sandbox: SandboxOptions = { shape: { memberPatch }, seed: { users: 100 } };
  return [
    {
      what: `the first 100 members (${memberPatch})`,
      sandbox,
      calls: first,
      async prepare(bridge) {
        const ids = await listSeededIds(bridge);
        const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
        return () => send(bridge, 'PATCH', path, change('add', ids));
      },
    },
    {
      what: `100 more members, then out with them (${memberPatch})`,
      sandbox,
      calls: sum(added, removed),
      async prepare(bridge) {
        const ids = await listSeededIds(bridge);
        await addGroup(bridge, 'A group that teaches the form', ids);
        const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
        return async () => {
          await send(bridge, 'PATCH', path, change('add', ids));
          await untilSettled(bridge);
          await send(bridge, 'PATCH', path, change('remove', ids));
        };
      },
    },
    {
      what: `a group with 100 members (${memberPatch})`,
      sandbox,
      calls: sum({ 'groups.createGroup': 1 }, added),
      async prepare(bridge) {
        const ids = await listSeededIds(bridge);
        await addGroup(bridge, 'A group that teaches the form', ids);
        return () => addGroup(bridge, 'Pilots', ids);
      },
    },
  ] satisfies CallRow[];
});

/** The 100 people who were there before the bridge. */
async function listSeededIds(bridge: TestBridge): Promise<string[]> {
  const filter = encodeURIComponent('userName sw "user0"');
  const users = listResources(await send(bridge, 'GET', `/Users?filter=${filter}&count=100`));
  return users.map(({ id }) => String(id));
}

/** Calls of both, added up. */
function sum(a: Calls, b: Calls): Calls {
  return {
    ...a,
    ...b,
    'scim.updateGroup': (a['scim.updateGroup'] ?? 0) + (b['scim.updateGroup'] ?? 0),
  };
}

runCallTable('groups', groups);
runCallTable(
  'a write of a group that changes nothing',
  nothing.map((row) => ({ ...row, calls: {} })),
);
runCallTable('100 members', hundred);
