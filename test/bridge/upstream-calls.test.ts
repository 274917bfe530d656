import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type CallRow, runCallTable, withAda, withGroup } from '../support/call-table.ts';
import { addGroup, addUser, findId, send, toPatch, toUser } from '../support/provider.ts';

/** Takes no name at creation, only objects as e-mails, and members one by one. */
const narrow: SandboxOptions = { shape: 'narrowest' };

/** Somebody who was there before the bridge, as a provider describes them. */
const known = {
  userName: 'user00001',
  emails: [{ value: 'user00001@example.com', type: 'work', primary: true }],
};

function disable() {
  return toPatch({ op: 'replace', path: 'active', value: false });
}

const reads: CallRow[] = [
  {
    what: 'a look-up, a list, a search and a read',
    calls: {},
    ...withGroup(async (bridge, { path, ada }) => {
      await send(bridge, 'GET', `/Users?filter=${encodeURIComponent('userName eq "x@y.example"')}`);
      await send(bridge, 'GET', `/Users/${ada}`);
      await send(bridge, 'GET', '/Users?startIndex=1&count=10&sortBy=userName');
      await send(bridge, 'GET', '/Groups?excludedAttributes=members');
      await send(bridge, 'GET', path);
      await send(bridge, 'POST', '/.search', { filter: 'id pr' });
    }),
  },
];

const people: CallRow[] = [
  {
    what: 'a create',
    calls: { 'scim.addUser': 1 },
    prepare: async (bridge) => () => addUser(bridge, 'newcomer'),
  },
  {
    what: 'the first create, where neither the form of e-mails nor the name is taken',
    sandbox: narrow,
    calls: { 'scim.addUser': 2, 'scim.updateUser': 1 },
    prepare: async (bridge) => () => addUser(bridge, 'ada'),
  },
  {
    what: 'a deactivation together with a rename',
    calls: { 'scim.updateUser': 1 },
    ...withAda((bridge, path, ada) => {
      const name = { givenName: 'Ada', familyName: 'King' };
      return send(bridge, 'PUT', path, toUser(ada, { name, active: false }));
    }),
  },
  {
    what: 'a reactivation',
    calls: { 'scim.updateUser': 1 },
    async prepare(bridge) {
      const path = `/Users/${await addUser(bridge, 'returner')}`;
      await send(bridge, 'PATCH', path, disable());
      return () => send(bridge, 'PUT', path, toUser('returner'));
    },
  },
  {
    what: 'the activation of somebody who was created inactive, where no name is taken',
    sandbox: narrow,
    calls: { 'scim.addUser': 1, 'scim.updateUser': 1 },
    async prepare(bridge) {
      await addUser(bridge, 'bob');
      const path = `/Users/${await addUser(bridge, 'ada', { active: false })}`;
      return () => send(bridge, 'PUT', path, toUser('ada'));
    },
  },
  {
    what: 'a new userName once it is known that the service does not take it',
    calls: {},
    async prepare(bridge) {
      const path = `/Users/${await addUser(bridge, 'renamed')}`;
      await send(bridge, 'PUT', path, toUser('renamed', { userName: 'a@b.example' }));
      return () => send(bridge, 'PUT', path, toUser('renamed', { userName: 'c@d.example' }));
    },
  },
  {
    what: 'a delete of somebody in three groups',
    calls: { 'scim.updateUser': 1, 'groupUsers.removeUserFromGroup': 3 },
    async prepare(bridge) {
      const ada = await addUser(bridge, 'leaver');
      for (const name of ['Pilots', 'Cooks', 'Sailors']) await addGroup(bridge, name, [ada]);
      return () => send(bridge, 'DELETE', `/Users/${ada}`);
    },
  },
  {
    what: 'a create of somebody who was deleted',
    calls: { 'scim.updateUser': 1 },
    async prepare(bridge) {
      await send(bridge, 'DELETE', `/Users/${await addUser(bridge, 'again')}`);
      return () => addUser(bridge, 'again');
    },
  },
];

const nothing: Omit<CallRow, 'calls'>[] = [
  {
    what: 'what the bridge alone keeps',
    ...withAda((bridge, path) =>
      send(bridge, 'PATCH', path, toPatch({ op: 'replace', path: 'title', value: 'Pilot' })),
    ),
  },
  {
    what: 'the same PUT again',
    ...withAda((bridge, path, ada) => send(bridge, 'PUT', path, toUser(ada))),
  },
  {
    what: 'disabling somebody who is disabled',
    async prepare(bridge) {
      const path = `/Users/${await addUser(bridge, 'disabled')}`;
      await send(bridge, 'PATCH', path, disable());
      return () => send(bridge, 'PATCH', path, disable());
    },
  },
  {
    what: 'a PUT of an unmanaged account as it is',
    async prepare(bridge) {
      const path = `/Users/${await findId(bridge, { type: 'Users', name: 'user00001' })}`;
      const { body } = await send(bridge, 'GET', path);
      return () => send(bridge, 'PUT', path, body);
    },
  },
  {
    what: 'a create that adopts an account as it is',
    prepare: async (bridge) => () =>
      send(bridge, 'POST', '/Users', { ...known, externalId: 'e-1' }),
  },
];

runCallTable('reading', reads);
runCallTable('people', people);
runCallTable(
  'a write that changes nothing',
  nothing.map((row) => ({ ...row, calls: {} })),
);
