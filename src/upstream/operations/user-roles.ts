import type { OperationGroup } from './operation.ts';

const role = ['name', 'company_id', 'updated', 'created', 'id', 'uid'] as const;
const roleTypes = { company_id: 'integer | null' } as const;

/** Roles in which time is logged; not roles of access. */
export const userRoles = {
  /** Creates a role. */
  createUserRole: {
    id: 'userRoles.createUserRole',
    api: 'rest',
    method: 'POST',
    path: '/user-roles',
    body: { 'name*': 'string' },
    response: { kind: 'object', fields: role, types: roleTypes },
    repeat: 'unsafe',
    source: 'field-notes',
  },
  /** All roles, in one answer. */
  getListOfUserRoles: {
    id: 'userRoles.getListOfUserRoles',
    api: 'rest',
    method: 'GET',
    path: '/user-roles',
    response: { kind: 'array', fields: role, types: roleTypes },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** One role. */
  getUserRole: {
    id: 'userRoles.getUserRole',
    api: 'rest',
    method: 'GET',
    path: '/user-roles/{role_id}',
    pathParameters: { role_id: 'integer' },
    response: { kind: 'object', fields: role, types: roleTypes },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** Deletes a role; its time logs go to another. */
  removeUserRole: {
    id: 'userRoles.removeUserRole',
    api: 'rest',
    method: 'DELETE',
    path: '/user-roles/{role_id}',
    pathParameters: { role_id: 'integer' },
    body: { 'replace_role_id*': 'integer' },
    response: { kind: 'object', fields: role, types: roleTypes },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** Renames a role. */
  updateUserRole: {
    id: 'userRoles.updateUserRole',
    api: 'rest',
    method: 'PATCH',
    path: '/user-roles/{role_id}',
    pathParameters: { role_id: 'integer' },
    body: { 'name*': 'string' },
    response: { kind: 'object', fields: role, types: roleTypes },
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
