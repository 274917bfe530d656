/** The parts of the service that an account's rights or the company's tariff can shut. */
export const SECTIONS = ['users', 'groups', 'members', 'admins', 'companyUsers', 'audit'] as const;
/** One of these parts. */
export type Section = (typeof SECTIONS)[number];

/** One documented operation. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** REST paths stand for `/api/v1` too. */
  readonly path: string;
  /** Null: open to every account. */
  readonly section: Section | null;
}

const group = '/api/latest/company/groups/{group_uid}';
const users = '/api/latest/groups/{group_uid}/users';
const admins = '/api/latest/groups/{group_uid}/admins';

/** The imitated subset of the service; nothing else has an answer. Names as in its documentation. */
export const operations = {
  'scim.addUser': { method: 'POST', path: '/scim/v2/Users', section: 'users' },
  'scim.getUser': { method: 'GET', path: '/scim/v2/Users/{user_id}', section: 'users' },
  'scim.getUsers': { method: 'GET', path: '/scim/v2/Users', section: 'users' },
  'scim.updateUser': { method: 'PATCH', path: '/scim/v2/Users/{user_id}', section: 'users' },
  'scim.addGroup': { method: 'POST', path: '/scim/v2/Groups', section: 'groups' },
  'scim.getGroup': { method: 'GET', path: '/scim/v2/Groups/{group_id}', section: 'groups' },
  'scim.getGroups': { method: 'GET', path: '/scim/v2/Groups', section: 'groups' },
  'scim.updateGroup': { method: 'PATCH', path: '/scim/v2/Groups/{group_id}', section: 'groups' },
  'groups.createGroup': {
    method: 'POST',
    path: '/api/latest/company/groups',
    section: 'groups',
  },
  'groups.getListOfGroups': {
    method: 'GET',
    path: '/api/latest/company/groups',
    section: 'groups',
  },
  'groups.getGroup': { method: 'GET', path: group, section: 'groups' },
  'groups.updateGroup': { method: 'PATCH', path: group, section: 'groups' },
  'groups.removeGroup': { method: 'DELETE', path: group, section: 'groups' },
  'groupUsers.addUserToGroup': { method: 'POST', path: users, section: 'members' },
  'groupUsers.getListOfGroupUsers': { method: 'GET', path: users, section: 'members' },
  'groupUsers.removeUserFromGroup': {
    method: 'DELETE',
    path: `${users}/{user_id}`,
    section: 'members',
  },
  'groupAdmins.addAdminToGroup': { method: 'POST', path: admins, section: 'admins' },
  'groupAdmins.getListOfGroupAdmins': { method: 'GET', path: admins, section: 'admins' },
  'groupAdmins.removeAdminFromGroup': {
    method: 'DELETE',
    path: `${admins}/{user_id}`,
    section: 'admins',
  },
  'groupEntities.getListOfGroupEntities': {
    method: 'GET',
    path: `${group}/entities`,
    section: 'groups',
  },
  'groupEntities.addEntity': { method: 'POST', path: `${group}/entities`, section: 'groups' },
  'groupEntities.updateGroupEntity': {
    method: 'PATCH',
    path: `${group}/entities/{uid}`,
    section: 'groups',
  },
  'groupEntities.removeEntity': {
    method: 'DELETE',
    path: `${group}/entities/{uid}`,
    section: 'groups',
  },
  'spaces.retrieveListOfSpaces': { method: 'GET', path: '/api/latest/spaces', section: null },
  'spaceUsers.getListOfUsers': {
    method: 'GET',
    path: '/api/latest/spaces/{space_id}/users',
    section: null,
  },
  'companyUsers.getListOfUsers': {
    method: 'GET',
    path: '/api/latest/company/users',
    section: 'companyUsers',
  },
  'companyUsers.updateUser': {
    method: 'PATCH',
    path: '/api/latest/company/users/{user_id}',
    section: 'companyUsers',
  },
  'companyUsers.removeVirtualUser': {
    method: 'DELETE',
    path: '/api/latest/company/users/{user_id}',
    section: 'companyUsers',
  },
  'auditLogs.retrieveAuditLogEvents': {
    method: 'GET',
    path: '/api/latest/audit-logs',
    section: 'audit',
  },
  'users.retrieveCurrentUser': {
    method: 'GET',
    path: '/api/latest/users/current',
    section: null,
  },
} as const satisfies Record<string, Operation>;

/** The name of a documented operation, such as `scim.addUser`. */
export type OperationName = keyof typeof operations;

/** True for the name of a documented operation. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
