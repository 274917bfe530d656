import { operations, shape } from './row.ts';

const groupOnly = shape`ScimGroupHead: schemas:string[] id:string displayName meta:object`;
const group = shape`ScimGroup: ${groupOnly} members:object[]`;
const userOnly = shape`
  ScimUserHead: schemas:string[] meta:object id:number name:object userName active:boolean
  emails:object[]
`;
const user = shape`ScimUser: ${userOnly} groups:object[]`;
const listFields = 'schemas Resources totalResults itemsPerPage startIndex';

/** SCIM provisioning: all that the service itself offers of SCIM. No PUT, no DELETE, no discovery. */
export const scim = operations('scim', '/scim/v2', {
  pathParameters: { group_id: 'string | number', user_id: 'number' },
})`
  addGroup POST /Groups => ${groupOnly}
    about Creates a group. A name that exists answers 409.
    body displayName*
    section groups
  getGroup GET /Groups/{group_id} => ${group}
    section groups
  getGroups GET /Groups => list ${group} ${listFields}
    query startIndex count
    section groups
  updateGroup PATCH /Groups/{group_id} => ${group}
    about Adds and removes members, renames. The inner shape of \`Operations\` is not documented;
      the one in use is \`{ op, path, value }\` with one numeric user id in each. Unsafe to repeat:
      a batch of which a part already holds may be refused as a whole, so a lost answer is better
      looked at.
    body Operations*
    repeat unsafe
    section groups
  addUser POST /Users => ${userOnly}
    about Creates (invites) a user. Entries of \`emails\` are strings or \`{ value, type, primary
      }\`, as the service takes them.
    body userName emails* name~:object
    section users
  getUser GET /Users/{user_id} => ${user}
    section users
  getUsers GET /Users => list ${userOnly} ${listFields}
    about All users. The grammar of \`filter\` is not documented, so its answer proves nothing by
      itself.
    query startIndex count filter
    section users
  updateUser PATCH /Users/{user_id} => ${user}
    about Sets \`active\` and the name. Sets values, so a repeat changes nothing more.
    body Operations*
    section users
`;
