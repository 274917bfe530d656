import type { OperationName } from '../operations.ts';
import { listAuditEvents } from './audit-logs.ts';
import { createGroup, deleteGroup, getGroup, listGroups, patchGroup } from './company-groups.ts';
import {
  deleteVirtualUser,
  getCurrentUser,
  listCompanyUsers,
  patchCompanyUser,
} from './company-users.ts';
import type { Handler } from './exchange.ts';
import { addPerson, listPeople, removePerson } from './group-people.ts';
import { addScimGroup, getScimGroup, listScimGroups, updateScimGroup } from './scim-groups.ts';
import { addScimUser, getScimUser, listScimUsers, updateScimUser } from './scim-users.ts';

/** Handler of each documented operation. */
export const handlers: Readonly<Record<OperationName, Handler>> = {
  'scim.addUser': addScimUser,
  'scim.getUser': getScimUser,
  'scim.getUsers': listScimUsers,
  'scim.updateUser': updateScimUser,
  'scim.addGroup': addScimGroup,
  'scim.getGroup': getScimGroup,
  'scim.getGroups': listScimGroups,
  'scim.updateGroup': updateScimGroup,
  'groups.createGroup': createGroup,
  'groups.getListOfGroups': listGroups,
  'groups.getGroup': getGroup,
  'groups.updateGroup': patchGroup,
  'groups.removeGroup': deleteGroup,
  'groupUsers.addUserToGroup': addPerson('member'),
  'groupUsers.getListOfGroupUsers': listPeople('member'),
  'groupUsers.removeUserFromGroup': removePerson('member'),
  'groupAdmins.addAdminToGroup': addPerson('admin'),
  'groupAdmins.getListOfGroupAdmins': listPeople('admin'),
  'groupAdmins.removeAdminFromGroup': removePerson('admin'),
  'companyUsers.getListOfUsers': listCompanyUsers,
  'companyUsers.updateUser': patchCompanyUser,
  'companyUsers.removeVirtualUser': deleteVirtualUser,
  'auditLogs.retrieveAuditLogEvents': listAuditEvents,
  'users.retrieveCurrentUser': getCurrentUser,
};
