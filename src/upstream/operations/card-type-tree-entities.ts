import { treeEntity } from './fields/spaces.ts';
import type { OperationGroup } from './operation.ts';

/** Where in the tree of spaces a card type may be used. */
export const cardTypeTreeEntities = {
  /** Allows a card type in an entity of the tree. */
  addTreeEntityToCardType: {
    id: 'cardTypeTreeEntities.addTreeEntityToCardType',
    api: 'rest',
    method: 'POST',
    path: '/card-types/{type_id}/tree-entities',
    pathParameters: { type_id: 'integer' },
    body: { 'tree_entity_uid*': 'string' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'unsafe',
    source: 'REST: cardTypeTreeEntities',
  },
  /** Forbids a card type in an entity of the tree. */
  deleteTreeEntityFromCardType: {
    id: 'cardTypeTreeEntities.deleteTreeEntityFromCardType',
    api: 'rest',
    method: 'DELETE',
    path: '/card-types/{type_id}/tree-entities/{uid}',
    pathParameters: { type_id: 'integer', uid: 'string' },
    response: { kind: 'none', fields: [] },
    repeat: 'safe',
    source: 'REST: cardTypeTreeEntities',
  },
  /** Where a card type is allowed, in one answer. */
  getListOfTypeTreeEntities: {
    id: 'cardTypeTreeEntities.getListOfTypeTreeEntities',
    api: 'rest',
    method: 'GET',
    path: '/card-types/{type_id}/tree-entities',
    pathParameters: { type_id: 'integer' },
    response: { kind: 'array', fields: treeEntity },
    repeat: 'safe',
    source: 'REST: cardTypeTreeEntities',
  },
} as const satisfies OperationGroup;
