import { list, object, operationsWith, shape } from './row.ts';

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
export const scim = operationsWith({
  pathParameters: { group_id: 'string | number', user_id: 'number' },
})('scim', '/scim/v2', {
  addGroup: {
    about: 'Creates a group. A name that exists answers 409.',
    call: 'POST /Groups',
    body: { 'displayName*': 'string' },
    answer: object(groupOnly),
    section: 'groups',
  },
  getGroup: { call: 'GET /Groups/{group_id}', answer: object(group), section: 'groups' },
  getGroups: {
    call: 'GET /Groups',
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
    call: 'PATCH /Groups/{group_id}',
    body: { 'Operations*': 'object[]' },
    answer: object(group),
    repeat: 'unsafe',
    section: 'groups',
  },
  addUser: {
    about:
      'Creates (invites) a user. Entries of `emails` are strings or `{ value, type, primary }`, ' +
      'as the service takes them.',
    call: 'POST /Users',
    body: { userName: 'string', 'emails*': 'unknown[]', name: 'object' },
    answer: object(userOnly),
    section: 'users',
    undocumented: ['name'],
  },
  getUser: { call: 'GET /Users/{user_id}', answer: object(user), section: 'users' },
  getUsers: {
    about:
      'All users. The grammar of `filter` is not documented, so its answer proves nothing by ' +
      'itself.',
    call: 'GET /Users',
    query: { startIndex: 'number', count: 'number', filter: 'string' },
    answer: list(listFields, userOnly),
    paging: 'start-index',
    section: 'users',
  },
  updateUser: {
    about: 'Sets `active` and the name. Sets values, so a repeat changes nothing more.',
    call: 'PATCH /Users/{user_id}',
    body: { 'Operations*': 'object[]' },
    answer: object(user),
    section: 'users',
  },
});
