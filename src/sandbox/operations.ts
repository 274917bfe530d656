import type { Operation } from '../upstream/operations/operation.ts';
import {
  auditLogs,
  companyUsers,
  groupAdmins,
  groupEntities,
  groups,
  groupUsers,
  users,
} from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';
import { spaces, spaceUsers } from '../upstream/operations/spaces.ts';

/** Parts of the service that an account's rights or the company's tariff can shut. */
export const SECTIONS = ['users', 'groups', 'members', 'admins', 'companyUsers', 'audit'] as const;
/** One of these parts. */
export type Section = (typeof SECTIONS)[number];

/** The imitated subset of the service; nothing else has an answer. */
export const operations = {
  'scim.addUser': scim.addUser,
  'scim.getUser': scim.getUser,
  'scim.getUsers': scim.getUsers,
  'scim.updateUser': scim.updateUser,
  'scim.addGroup': scim.addGroup,
  'scim.getGroup': scim.getGroup,
  'scim.getGroups': scim.getGroups,
  'scim.updateGroup': scim.updateGroup,
  'groups.createGroup': groups.createGroup,
  'groups.getListOfGroups': groups.getListOfGroups,
  'groups.getGroup': groups.getGroup,
  'groups.updateGroup': groups.updateGroup,
  'groups.removeGroup': groups.removeGroup,
  'groupUsers.addUserToGroup': groupUsers.addUserToGroup,
  'groupUsers.getListOfGroupUsers': groupUsers.getListOfGroupUsers,
  'groupUsers.removeUserFromGroup': groupUsers.removeUserFromGroup,
  'groupAdmins.addAdminToGroup': groupAdmins.addAdminToGroup,
  'groupAdmins.getListOfGroupAdmins': groupAdmins.getListOfGroupAdmins,
  'groupAdmins.removeAdminFromGroup': groupAdmins.removeAdminFromGroup,
  'groupEntities.getListOfGroupEntities': groupEntities.getListOfGroupEntities,
  'groupEntities.addEntity': groupEntities.addEntity,
  'groupEntities.updateGroupEntity': groupEntities.updateGroupEntity,
  'groupEntities.removeEntity': groupEntities.removeEntity,
  'spaces.retrieveListOfSpaces': spaces.retrieveListOfSpaces,
  'spaceUsers.getListOfUsers': spaceUsers.getListOfUsers,
  'companyUsers.getListOfUsers': companyUsers.getListOfUsers,
  'companyUsers.updateUser': companyUsers.updateUser,
  'companyUsers.removeVirtualUser': companyUsers.removeVirtualUser,
  'auditLogs.retrieveAuditLogEvents': auditLogs.retrieveAuditLogEvents,
  'users.retrieveCurrentUser': users.retrieveCurrentUser,
} as const satisfies Readonly<Record<string, Operation>>;

/** Name of an imitated operation, such as `scim.addUser`. */
export type OperationName = keyof typeof operations;

/** True for the name of an imitated operation. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/** Section of an operation; undefined: it is open to every account. */
export function findSection(name: OperationName): Section | undefined {
  const { id, section }: Operation = operations[name];
  return id.startsWith('groupEntities.') ? 'groups' : SECTIONS.find((known) => known === section);
}

/** What a request asks for: an operation with the parameters of its path, or nothing that is imitated. */
export type Match =
  | { readonly kind: 'operation'; readonly operation: OperationName; readonly params: string[] }
  | { readonly kind: 'wrong-method' | 'unknown-path' };

const routes = Object.keys(operations)
  .filter(isOperationName)
  .map((operation) => {
    const { api, method, path }: Operation = operations[operation];
    const prefix = api === 'rest' ? '/api/(?:latest|v1)' : '';
    const pattern = new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
    return { operation, method, pattern };
  });

/** Finds the operation of a request. */
export function matchOperation(method: string, path: string): Match {
  let kind: 'wrong-method' | 'unknown-path' = 'unknown-path';
  for (const route of routes) {
    const params = route.pattern.exec(path)?.slice(1).map(decode);
    if (params === undefined || params.includes('')) continue;
    if (route.method === method) return { kind: 'operation', operation: route.operation, params };
    kind = 'wrong-method';
  }
  return { kind };
}

/** Empty for a malformed escape: no resource has such a path. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
