import { anyWord, type ExpectedGroup, either, opaque, orNull, travels } from '../notation.ts';

const name = { givenName: 'Ada', familyName: 'Lovelace' };
const operation = { op: 'replace', path: 'name', value: name };

export const scim: ExpectedGroup = {
  addGroup: { sends: 'POST /scim/v2/Groups', body: { 'displayName*': 'Pilots & crew' } },
  getGroup: { sends: 'GET /scim/v2/Groups/5.5', path: { group_id: either('5.5', 5.5) } },
  getGroups: { sends: 'GET /scim/v2/Groups', query: { startIndex: 1.5, count: 2.5 } },
  updateGroup: {
    sends: 'PATCH /scim/v2/Groups/5.5',
    path: { group_id: either('5.5', 5.5) },
    body: { 'Operations*': [operation] },
  },
  addUser: {
    sends: 'POST /scim/v2/Users',
    body: { userName: 'ada', 'emails*': [opaque('ada@example.com')] },
  },
  getUser: { sends: 'GET /scim/v2/Users/7.5', path: { user_id: 7.5 } },
  getUsers: {
    sends: 'GET /scim/v2/Users',
    query: { startIndex: 1.5, count: 2.5, filter: 'userName eq "Ada & Bé"' },
  },
  updateUser: {
    sends: 'PATCH /scim/v2/Users/7.5',
    path: { user_id: 7.5 },
    body: { 'Operations*': [operation] },
  },
};

export const auditLogs: ExpectedGroup = {
  retrieveAuditLogEvents: {
    sends: 'GET /audit-logs',
    query: {
      from: '2026-04-01T00:00:00.000Z',
      to: '2026-04-02T00:00:00.000Z',
      author_id: 3,
      author_uid: 'a-uid',
      categories: 'auth,app',
      actions: 'create,delete',
      id: 'e-1',
      limit: 100,
      offset: 200,
    },
  },
};

export const companyUsers: ExpectedGroup = {
  getListOfUsers: {
    sends: 'GET /company/users',
    query: {
      invitesOnly: true,
      withTransferAccessStatus: false,
      for_members_section: true,
      owner_only: false,
      only_paid: true,
      only_records_count: false,
      only_virtual: true,
      offset: 10,
      limit: 20,
      query: 'ada+b@example.com',
      access_type_permissions: 'full',
      sd_access_type: 'none',
      take_licence: 'yes',
      temporarily_inactive_status: 'no',
      group_ids: travels([3, 4], ['group_ids', '3,4']),
      permissions: travels([1, 16], ['permissions', '1,16']),
    },
  },
  removeVirtualUser: { sends: 'DELETE /company/users/7', path: { id: 7 } },
  updateUser: {
    sends: 'PATCH /company/users/7',
    path: { id: 7 },
    body: { apps_permissions: 2, temporarily_inactive: true },
  },
};

export const groupAdmins: ExpectedGroup = {
  addAdminToGroup: {
    sends: 'POST /groups/g-1/admins',
    path: { group_uid: 'g-1' },
    body: { 'user_id*': 7 },
  },
  getListOfGroupAdmins: { sends: 'GET /groups/g-1/admins', path: { group_uid: 'g-1' } },
  removeAdminFromGroup: {
    sends: 'DELETE /groups/g-1/admins/7',
    path: { group_uid: 'g-1', user_id: 7 },
  },
};

export const groupEntities: ExpectedGroup = {
  addEntity: {
    sends: 'POST /company/groups/g-1/entities',
    path: { group_uid: 'g-1' },
    body: { 'entity_uid*': 'e-1', 'role_ids*': ['r-1', 'r-2'] },
  },
  getListOfGroupEntities: {
    sends: 'GET /company/groups/g-1/entities',
    path: { group_uid: 'g-1' },
  },
  removeEntity: {
    sends: 'DELETE /company/groups/g-1/entities/e-1',
    path: { group_uid: 'g-1', uid: 'e-1' },
  },
  updateGroupEntity: {
    sends: 'PATCH /company/groups/g-1/entities/e-1',
    path: { group_uid: 'g-1', uid: 'e-1' },
    body: { role_ids: ['r-1'] },
  },
};

export const groupUsers: ExpectedGroup = {
  addUserToGroup: {
    sends: 'POST /groups/g-1/users',
    path: { group_uid: 'g-1' },
    body: { 'user_id*': 7, request_id: 'q-1', operator_comment: orNull('welcome') },
  },
  getListOfGroupUsers: { sends: 'GET /groups/a%2Fb%20c/users', path: { group_uid: 'a/b c' } },
  removeUserFromGroup: {
    sends: 'DELETE /groups/g-1/users/7',
    path: { group_uid: 'g-1', user_id: 7 },
  },
};

export const groups: ExpectedGroup = {
  createGroup: {
    sends: 'POST /company/groups',
    body: { 'name*': 'Pilots', permissions: 16, add_to_cards_and_spaces_enabled: true },
  },
  getGroup: { sends: 'GET /company/groups/g-1', path: { uid: 'g-1' } },
  getListOfGroups: {
    sends: 'GET /company/groups',
    query: {
      with_tree_entities: false,
      with_users_count: true,
      with_sync_group_attribute: false,
      condition: anyWord('1'),
      query: 'Pi lots',
      limit: 10,
      offset: 20,
    },
  },
  removeGroup: { sends: 'DELETE /company/groups/g-1', path: { uid: 'g-1' } },
  updateGroup: {
    sends: 'PATCH /company/groups/g-1',
    path: { uid: 'g-1' },
    body: { name: 'Pilots', permissions: 16, add_to_cards_and_spaces_enabled: false },
  },
};
