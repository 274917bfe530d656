import type { Rule } from '../../src/domain/rules.ts';
import { type CallRow, runCallTable } from '../support/call-table.ts';
import { addGroup, addUser, send, toMembers, toPatch } from '../support/provider.ts';

const rules: Rule[] = [
  { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true },
  { adminsOf: '*', from: '* Admins' },
  { membersOf: 'Guests', appsPermissions: 2 },
  { membersOf: 'Former*', temporarilyInactive: true },
  { membersOf: '*guests', appsPermissions: 4 },
];
const settings = { RULES: JSON.stringify(rules) };

function add(ids: readonly string[]) {
  return toPatch({ op: 'add', path: 'members', value: toMembers(ids) });
}

const rows: CallRow[] = [
  {
    what: 'a group with permissions by a rule',
    settings,
    calls: { 'groups.createGroup': 1 },
    prepare: async (bridge) => () => addGroup(bridge, 'Board'),
  },
  {
    what: 'somebody who becomes an admin by a rule',
    settings,
    calls: { 'groupUsers.addUserToGroup': 1, 'groupAdmins.addAdminToGroup': 1 },
    async prepare(bridge) {
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Cooks');
      const path = `/Groups/${await addGroup(bridge, 'Cooks Admins')}`;
      return () => send(bridge, 'PATCH', path, add([id]));
    },
  },
  {
    what: 'somebody who is given a licence and suspended',
    settings,
    calls: { 'groupUsers.addUserToGroup': 1, 'companyUsers.updateUser': 1 },
    async prepare(bridge) {
      const id = await addUser(bridge, 'ada');
      const path = `/Groups/${await addGroup(bridge, 'Former guests')}`;
      return () => send(bridge, 'PATCH', path, add([id]));
    },
  },
];

runCallTable('calls by rules of the configuration', rows);
