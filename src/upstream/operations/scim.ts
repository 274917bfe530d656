import { list, object, operations, shape } from './row.ts';

const groupOnly = shape('ScimGroupHead', {
  types: {
    schemas: 'string[]',
    id: 'string',
    meta: 'object',
  },
})`schemas id displayName meta`;
const group = shape('ScimGroup', { base: groupOnly, types: { members: 'object[]' } })`members`;
const userOnly = shape('ScimUserHead', {
  types: {
    schemas: 'string[]',
    meta: 'object',
    id: 'number',
    name: 'object',
    active: 'boolean',
    emails: 'object[]',
  },
})`schemas meta id name userName active emails`;
const user = shape('ScimUser', { base: userOnly, types: { groups: 'object[]' } })`groups`;
const listFields = 'schemas Resources totalResults itemsPerPage startIndex';

/** SCIM provisioning: all that the service itself offers of SCIM. No PUT, no DELETE, no discovery. */
export const scim = operations('scim', {
  addGroup: {
    about: 'Creates a group. A name that exists answers 409.',
    call: 'POST /scim/v2/Groups',
    body: { 'displayName*': 'string' },
    answer: object(groupOnly),
    section: 'groups',
  },
  getGroup: {
    about: 'One group with its members.',
    call: 'GET /scim/v2/Groups/{group_id}',
    pathParameters: { group_id: 'string | number' },
    answer: object(group),
    section: 'groups',
  },
  getGroups: {
    about: 'All groups, with their members where the service lists them.',
    call: 'GET /scim/v2/Groups',
    query: { startIndex: 'number', count: 'number' },
    answer: list(listFields, group),
    paging: 'start-index',
    section: 'groups',
  },
  updateGroup: {
    about:
      'Adds and removes members, renames. The inner shape of `Operations` is not documented; ' +
      'the one in use is `{ op, path, value }` with one numeric user id in each. Unsafe to ' +
      'repeat: a batch of which a part already holds may be refused as a whole, so a lost ' +
      'answer is better looked at.',
    call: 'PATCH /scim/v2/Groups/{group_id}',
    pathParameters: { group_id: 'string | number' },
    body: { 'Operations*': 'object[]' },
    answer: object(group),
    repeat: 'unsafe',
    section: 'groups',
  },
  addUser: {
    about:
      'Creates (invites) a user. Entries of `emails` are strings or `{ value, type, primary }`, ' +
      'as the service takes them.',
    call: 'POST /scim/v2/Users',
    body: { userName: 'string', 'emails*': 'unknown[]', name: 'object' },
    answer: object(userOnly),
    section: 'users',
    undocumented: ['name'],
  },
  getUser: {
    about: 'One user with its groups.',
    call: 'GET /scim/v2/Users/{user_id}',
    pathParameters: { user_id: 'number' },
    answer: object(user),
    section: 'users',
  },
  getUsers: {
    about:
      'All users. The grammar of `filter` is not documented, so its answer proves nothing by ' +
      'itself.',
    call: 'GET /scim/v2/Users',
    query: { startIndex: 'number', count: 'number', filter: 'string' },
    answer: list(listFields, userOnly),
    paging: 'start-index',
    section: 'users',
  },
  updateUser: {
    about: 'Sets `active` and the name. Sets values, so a repeat changes nothing more.',
    call: 'PATCH /scim/v2/Users/{user_id}',
    pathParameters: { user_id: 'number' },
    body: { 'Operations*': 'object[]' },
    answer: object(user),
    section: 'users',
  },
});
