import { describe, expect, expectTypeOf, test } from 'vitest';
import { auditLogs } from './audit-logs.ts';
import type { ArgsOf } from './call-types.ts';
import { companyUsers } from './company-users.ts';
import { groupAdmins } from './group-admins.ts';
import { groupUsers } from './group-users.ts';
import { groups } from './groups.ts';
import type { Operation, OperationGroup } from './operation.ts';
import { compileOperation } from './prepare.ts';
import { scim } from './scim.ts';
import { users } from './users.ts';

const all = { scim, groups, groupUsers, groupAdmins, companyUsers, auditLogs, users };
const rows = Object.entries(all).flatMap(([group, operations]: [string, OperationGroup]) =>
  Object.entries(operations).map(([name, row]) => ({ id: `${group}.${name}`, row })),
);

/** The documents, by hand: method, path, what is required and what is optional in query and body. */
const documented: Record<string, [string, string]> = {
  'scim.addGroup': ['POST /scim/v2/Groups', 'displayName*'],
  'scim.getGroup': ['GET /scim/v2/Groups/{group_id}', ''],
  'scim.getGroups': ['GET /scim/v2/Groups', 'startIndex count'],
  'scim.updateGroup': ['PATCH /scim/v2/Groups/{group_id}', 'Operations*'],
  'scim.addUser': ['POST /scim/v2/Users', 'userName emails*'],
  'scim.getUser': ['GET /scim/v2/Users/{user_id}', ''],
  'scim.getUsers': ['GET /scim/v2/Users', 'startIndex count filter'],
  'scim.updateUser': ['PATCH /scim/v2/Users/{user_id}', 'Operations*'],
  'groups.createGroup': [
    'POST /company/groups',
    'name* permissions add_to_cards_and_spaces_enabled',
  ],
  'groups.getGroup': ['GET /company/groups/{uid}', ''],
  'groups.getListOfGroups': [
    'GET /company/groups',
    'with_tree_entities with_users_count with_sync_group_attribute condition query limit offset',
  ],
  'groups.removeGroup': ['DELETE /company/groups/{uid}', ''],
  'groups.updateGroup': [
    'PATCH /company/groups/{uid}',
    'name permissions add_to_cards_and_spaces_enabled',
  ],
  'groupUsers.addUserToGroup': [
    'POST /groups/{group_uid}/users',
    'user_id* request_id operator_comment',
  ],
  'groupUsers.getListOfGroupUsers': ['GET /groups/{group_uid}/users', ''],
  'groupUsers.removeUserFromGroup': ['DELETE /groups/{group_uid}/users/{user_id}', ''],
  'groupAdmins.addAdminToGroup': ['POST /groups/{group_uid}/admins', 'user_id*'],
  'groupAdmins.getListOfGroupAdmins': ['GET /groups/{group_uid}/admins', ''],
  'groupAdmins.removeAdminFromGroup': ['DELETE /groups/{group_uid}/admins/{user_id}', ''],
  'companyUsers.getListOfUsers': [
    'GET /company/users',
    'invitesOnly withTransferAccessStatus for_members_section owner_only only_paid only_records_count only_virtual offset limit query access_type_permissions sd_access_type take_licence temporarily_inactive_status group_ids permissions',
  ],
  'companyUsers.removeVirtualUser': ['DELETE /company/users/{id}', ''],
  'companyUsers.updateUser': ['PATCH /company/users/{id}', 'apps_permissions temporarily_inactive'],
  'auditLogs.retrieveAuditLogEvents': [
    'GET /audit-logs',
    'from to author_id author_uid categories actions id limit offset',
  ],
  'users.retrieveCurrentUser': ['GET /users/current', ''],
};

test('there is a row for each documented operation, and no other', () => {
  expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.keys(documented).toSorted());
});

describe.each(rows)('$id', ({ id, row }) => {
  test('says what the documents say', () => {
    const inputs = Object.keys({ ...row.query, ...row.body }).filter(
      (name) => !row.undocumented?.includes(name),
    );
    expect([`${row.method} ${row.path}`, inputs.join(' ')]).toEqual(documented[id]);
  });
  test('is named after its place', () => expect(row.id).toBe(id));
  test('names every part of its path and no other', () => {
    const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(row.pathParameters ?? {})).toEqual(inPath);
  });
  test('has types that can be checked', () => {
    expect(() => compileOperation(row, '')).not.toThrow();
  });
  test('reads may be repeated', () => {
    expect(row.method === 'GET' && row.repeat === 'unsafe').toBe(false);
  });
});

test('what would create a second one is not repeated blindly', () => {
  const unsafe = rows.filter(({ row }) => row.repeat === 'unsafe').map(({ id }) => id);
  expect(unsafe).toEqual([
    'scim.addGroup',
    'scim.updateGroup',
    'scim.addUser',
    'groups.createGroup',
  ]);
});

test('the types of a call follow from its row', () => {
  type AddMember = ArgsOf<typeof groupUsers.addUserToGroup>;
  expectTypeOf<{ path: { group_uid: string }; body: { user_id: number } }>().toExtend<AddMember>();
  expectTypeOf<{ path: { group_uid: string }; body: object }>().not.toExtend<AddMember>();
  expectTypeOf<{ path: object; body: { user_id: 1 } }>().not.toExtend<AddMember>();
  expectTypeOf<{ body: { user_id: number } }>().not.toExtend<AddMember>();
  expectTypeOf<AddMember['body']['operator_comment']>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<object>().toExtend<ArgsOf<typeof groups.getListOfGroups>>();
  expectTypeOf<object>().not.toExtend<ArgsOf<typeof scim.addUser>>();

  const group = { group_uid: 'g' };
  const right: AddMember = { path: group, body: { user_id: 1, operator_comment: null } };
  // @ts-expect-error unknown name
  const unknownName: AddMember = { path: group, body: { user_id: 1, role: 2 } };
  // @ts-expect-error wrong type
  const wrongType: AddMember = { path: group, body: { user_id: '1' } };
  // @ts-expect-error a part that the row does not have
  const unknownPart: AddMember = { path: group, body: { user_id: 1 }, query: { limit: 1 } };
  expect([right, unknownName, wrongType, unknownPart]).toHaveLength(4);
});

test('words, numbers, unions and lists have their types', () => {
  const row = {
    id: 'x.y',
    api: 'rest',
    method: 'POST',
    path: '/x',
    body: {
      'word*': "'active' | 'removed'",
      'one*': '1 | 2',
      'list*': '(string | number)[]',
      'ids*': 'integer[]',
    },
    response: { kind: 'none', fields: [] },
    repeat: 'safe',
    section: 'users',
    source: 'test',
  } as const satisfies Operation;
  type Body = ArgsOf<typeof row>['body'];
  expectTypeOf<Body['word']>().toEqualTypeOf<'active' | 'removed'>();
  expectTypeOf<Body['one']>().toEqualTypeOf<1 | 2>();
  expectTypeOf<Body['list']>().toEqualTypeOf<readonly (string | number)[]>();
  expectTypeOf<Body['ids']>().toEqualTypeOf<readonly number[]>();
  expect(row.id).toBe('x.y');
});
