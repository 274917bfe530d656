import { list, operationsWith, shape } from './row.ts';

const groupOnly = shape`ScimGroupHead: schemas:string[] id:string displayName meta:object`;
const group = shape`ScimGroup: ${groupOnly} members:object[]`;
const userOnly = shape`
  ScimUserHead: schemas:string[] meta:object id:number name:object userName active:boolean
  emails:object[]
`;
const user = shape`ScimUser: ${userOnly} groups:object[]`;
const listFields = 'schemas Resources totalResults itemsPerPage startIndex';

/** SCIM provisioning: all that the service itself offers of SCIM. No PUT, no DELETE, no discovery. */
export const scim = operationsWith({
  pathParameters: { group_id: 'string | number', user_id: 'number' },
})('scim', '/scim/v2', {
  addGroup: {
    about: 'Creates a group. A name that exists answers 409.',
    call: 'POST /Groups',
    body: 'displayName*',
    answer: groupOnly,
    section: 'groups',
  },
  getGroup: { call: 'GET /Groups/{group_id}', answer: group, section: 'groups' },
  getGroups: {
    call: 'GET /Groups',
    query: 'startIndex count',
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
    body: 'Operations*',
    answer: group,
    repeat: 'unsafe',
    section: 'groups',
  },
  addUser: {
    about:
      'Creates (invites) a user. Entries of `emails` are strings or `{ value, type, primary }`, ' +
      'as the service takes them.',
    call: 'POST /Users',
    body: 'userName emails* name~:object',
    answer: userOnly,
    section: 'users',
  },
  getUser: { call: 'GET /Users/{user_id}', answer: user, section: 'users' },
  getUsers: {
    about:
      'All users. The grammar of `filter` is not documented, so its answer proves nothing by ' +
      'itself.',
    call: 'GET /Users',
    query: 'startIndex count filter',
    answer: list(listFields, userOnly),
    paging: 'start-index',
    section: 'users',
  },
  updateUser: {
    about: 'Sets `active` and the name. Sets values, so a repeat changes nothing more.',
    call: 'PATCH /Users/{user_id}',
    body: 'Operations*',
    answer: user,
    section: 'users',
  },
});
