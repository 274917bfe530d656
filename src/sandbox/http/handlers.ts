import type { Handler } from './call.ts';
import * as rest from './rest.ts';
import { addScimGroup, getScimGroup, listScimGroups, updateScimGroup } from './scim-groups.ts';
import { addScimUser, getScimUser, listScimUsers, updateScimUser } from './scim-users.ts';

/** Handler of each imitated operation, by its name in the documentation. */
export const handlers = {
  'scim.addUser': addScimUser,
  'scim.getUser': getScimUser,
  'scim.getUsers': listScimUsers,
  'scim.updateUser': updateScimUser,
  'scim.addGroup': addScimGroup,
  'scim.getGroup': getScimGroup,
  'scim.getGroups': listScimGroups,
  'scim.updateGroup': updateScimGroup,
  'groups.createGroup': rest.createGroup,
  'groups.getListOfGroups': rest.listGroups,
  'groups.getGroup': rest.getGroup,
  'groups.updateGroup': rest.patchGroup,
  'groups.removeGroup': rest.deleteGroup,
  'groupUsers.addUserToGroup': rest.addPerson('member'),
  'groupUsers.getListOfGroupUsers': rest.listPeople('member'),
  'groupUsers.removeUserFromGroup': rest.removePerson('member'),
  'groupAdmins.addAdminToGroup': rest.addPerson('admin'),
  'groupAdmins.getListOfGroupAdmins': rest.listPeople('admin'),
  'groupAdmins.removeAdminFromGroup': rest.removePerson('admin'),
  'groupEntities.getListOfGroupEntities': rest.listGroupEntities,
  'groupEntities.addEntity': rest.addGroupEntity,
  'groupEntities.updateGroupEntity': rest.updateGroupEntity,
  'groupEntities.removeEntity': rest.removeGroupEntity,
  'spaces.retrieveListOfSpaces': rest.listSpaces,
  'spaceUsers.getListOfUsers': rest.listSpaceUsers,
  'companyUsers.getListOfUsers': rest.listCompanyUsers,
  'companyUsers.updateUser': rest.patchCompanyUser,
  'companyUsers.removeVirtualUser': rest.deleteVirtualUser,
  'auditLogs.retrieveAuditLogEvents': rest.listAuditEvents,
  'users.retrieveCurrentUser': rest.getCurrentUser,
} as const satisfies Readonly<Record<string, Handler>>;
