import type { OperationGroup } from './operation.ts';

const groupFields = ['schemas', 'id', 'displayName', 'meta'] as const;
const groupTypes = { schemas: 'string[]', id: 'string', meta: 'object' } as const;
const group = {
  fields: [...groupFields, 'members'],
  types: { ...groupTypes, members: 'object[]' },
} as const;
const userFields = ['schemas', 'meta', 'id', 'name', 'userName', 'active', 'emails'] as const;
const userTypes = {
  schemas: 'string[]',
  meta: 'object',
  id: 'number',
  name: 'object',
  active: 'boolean',
  emails: 'object[]',
} as const;
const user = {
  fields: [...userFields, 'groups'],
  types: { ...userTypes, groups: 'object[]' },
} as const;
const listFields = ['schemas', 'Resources', 'totalResults', 'itemsPerPage', 'startIndex'] as const;

/** SCIM provisioning: all that the service itself offers of SCIM. No PUT, no DELETE, no discovery. */
export const scim = {
  /** Creates a group. A name that exists answers 409. */
  addGroup: {
    id: 'scim.addGroup',
    api: 'scim',
    method: 'POST',
    path: '/scim/v2/Groups',
    body: { 'displayName*': 'string' },
    response: { kind: 'object', fields: groupFields, types: groupTypes },
    repeat: 'unsafe',
    section: 'groups',
    source: 'SCIM provisioning',
  },
  /** One group with its members. */
  getGroup: {
    id: 'scim.getGroup',
    api: 'scim',
    method: 'GET',
    path: '/scim/v2/Groups/{group_id}',
    pathParameters: { group_id: 'string | number' },
    response: { kind: 'object', ...group },
    repeat: 'safe',
    section: 'groups',
    source: 'SCIM provisioning',
  },
  /** All groups, with their members where the service lists them. */
  getGroups: {
    id: 'scim.getGroups',
    api: 'scim',
    method: 'GET',
    path: '/scim/v2/Groups',
    query: { startIndex: 'number', count: 'number' },
    response: { kind: 'list', fields: listFields, entries: group },
    paging: 'start-index',
    repeat: 'safe',
    section: 'groups',
    source: 'SCIM provisioning',
  },
  /**
   * Adds and removes members, renames. The inner shape of `Operations` is not documented; the one in use is
   * `{ op, path, value }` with one numeric user id in each. Unsafe to repeat: a batch of which a part already
   * holds may be refused as a whole, so a lost answer is better looked at.
   */
  updateGroup: {
    id: 'scim.updateGroup',
    api: 'scim',
    method: 'PATCH',
    path: '/scim/v2/Groups/{group_id}',
    pathParameters: { group_id: 'string | number' },
    body: { 'Operations*': 'object[]' },
    response: { kind: 'object', ...group },
    repeat: 'unsafe',
    section: 'groups',
    source: 'SCIM provisioning',
  },
  /** Creates (invites) a user. Entries of `emails` are strings or `{ value, type, primary }`, as the service takes them. */
  addUser: {
    id: 'scim.addUser',
    api: 'scim',
    method: 'POST',
    path: '/scim/v2/Users',
    body: { userName: 'string', 'emails*': 'unknown[]', name: 'object' },
    response: { kind: 'object', fields: userFields, types: userTypes },
    repeat: 'unsafe',
    section: 'users',
    undocumented: ['name'],
    source: 'SCIM provisioning',
  },
  /** One user with its groups. */
  getUser: {
    id: 'scim.getUser',
    api: 'scim',
    method: 'GET',
    path: '/scim/v2/Users/{user_id}',
    pathParameters: { user_id: 'number' },
    response: { kind: 'object', ...user },
    repeat: 'safe',
    section: 'users',
    source: 'SCIM provisioning',
  },
  /** All users. The grammar of `filter` is not documented, so its answer proves nothing by itself. */
  getUsers: {
    id: 'scim.getUsers',
    api: 'scim',
    method: 'GET',
    path: '/scim/v2/Users',
    query: { startIndex: 'number', count: 'number', filter: 'string' },
    response: {
      kind: 'list',
      fields: listFields,
      entries: { fields: userFields, types: userTypes },
    },
    paging: 'start-index',
    repeat: 'safe',
    section: 'users',
    source: 'SCIM provisioning',
  },
  /** Sets `active` and the name. Sets values, so a repeat changes nothing more. */
  updateUser: {
    id: 'scim.updateUser',
    api: 'scim',
    method: 'PATCH',
    path: '/scim/v2/Users/{user_id}',
    pathParameters: { user_id: 'number' },
    body: { 'Operations*': 'object[]' },
    response: { kind: 'object', ...user },
    repeat: 'safe',
    section: 'users',
    source: 'SCIM provisioning',
  },
} as const satisfies OperationGroup;
