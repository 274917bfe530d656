import { treeEntity } from './fields/spaces.ts';
import type { OperationGroup } from './operation.ts';

/** Where in the tree of spaces a property may be used. */
export const customPropertyTreeEntities = {
  /** Allows a property in an entity of the tree. */
  addTreeEntityToCustomProperty: {
    id: 'customPropertyTreeEntities.addTreeEntityToCustomProperty',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-properties/{property_id}/tree-entities',
    pathParameters: { property_id: 'integer' },
    body: { 'tree_entity_uid*': 'string' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'unsafe',
    source: 'REST: customPropertyTreeEntities',
  },
  /** Forbids a property in an entity of the tree. */
  deleteTreeEntityFromCustomProperty: {
    id: 'customPropertyTreeEntities.deleteTreeEntityFromCustomProperty',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-properties/{property_id}/tree-entities/{uid}',
    pathParameters: { property_id: 'integer', uid: 'string' },
    response: { kind: 'none', fields: [] },
    repeat: 'safe',
    source: 'REST: customPropertyTreeEntities',
  },
  /** Where a property is allowed, in one answer. */
  getListOfCustomPropertyTreeEntities: {
    id: 'customPropertyTreeEntities.getListOfCustomPropertyTreeEntities',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-properties/{property_id}/tree-entities',
    pathParameters: { property_id: 'integer' },
    response: { kind: 'array', fields: treeEntity },
    repeat: 'safe',
    source: 'REST: customPropertyTreeEntities',
  },
} as const satisfies OperationGroup;
