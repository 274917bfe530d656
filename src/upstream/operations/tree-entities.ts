import type { OperationGroup } from './operation.ts';

/** The tree of spaces and documents. */
export const treeEntities = {
  /** Entities of the tree, from the root or below a parent. */
  getListOfEntities: {
    id: 'treeEntities.getListOfEntities',
    api: 'rest',
    method: 'GET',
    path: '/tree-entities',
    query: {
      limit: 'integer',
      offset: 'integer',
      parent_entity_uid: 'string',
      levels_count: 'integer',
    },
    response: {
      kind: 'array',
      fields: [
        'id',
        'uid',
        'title',
        'external_id',
        'company_id',
        'sort_order',
        'path',
        'parent_entity_uid',
        'entity_type',
        'access',
        'archived',
        'for_everyone_access_role_id',
      ],
    },
    paging: 'offset',
    repeat: 'safe',
    stage: 'beta',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
