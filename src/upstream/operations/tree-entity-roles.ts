import type { OperationGroup } from './operation.ts';

/** Roles that people and groups may have in the tree. */
export const treeEntityRoles = {
  /** All roles, in one answer. */
  getListOfTreeEntityRoles: {
    id: 'treeEntityRoles.getListOfTreeEntityRoles',
    api: 'rest',
    method: 'GET',
    path: '/tree-entity-roles',
    response: {
      kind: 'array',
      fields: [
        'id',
        'name',
        'permissions',
        'sort_order',
        'new_permissions_default_value',
        'updated',
        'created',
      ],
    },
    repeat: 'safe',
    stage: 'beta',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
