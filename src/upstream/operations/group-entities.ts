import { groupEntity, groupEntityTypes } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** Which spaces and documents a company group may enter, and in which roles. */
export const groupEntities = {
  /** Gives a group roles in an entity of the tree. */
  addEntity: {
    id: 'groupEntities.addEntity',
    api: 'rest',
    method: 'POST',
    path: '/company/groups/{group_uid}/entities',
    pathParameters: { group_uid: 'string' },
    body: { 'entity_uid*': 'string', 'role_ids*': 'string[]' },
    response: { kind: 'object', fields: groupEntity, types: groupEntityTypes },
    repeat: 'unsafe',
    stage: 'beta',
    source: 'REST: groupEntities',
  },
  /** The entities of a group, in one answer. */
  getListOfGroupEntities: {
    id: 'groupEntities.getListOfGroupEntities',
    api: 'rest',
    method: 'GET',
    path: '/company/groups/{group_uid}/entities',
    pathParameters: { group_uid: 'string' },
    response: { kind: 'array', fields: ['uid', 'path', 'title', 'entity_type', 'own_role_ids'] },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: groupEntities',
  },
  /** Takes an entity from a group. */
  removeEntity: {
    id: 'groupEntities.removeEntity',
    api: 'rest',
    method: 'DELETE',
    path: '/company/groups/{group_uid}/entities/{uid}',
    pathParameters: { group_uid: 'string', uid: 'string' },
    response: {
      kind: 'object',
      fields: [...groupEntity, 'role', 'own_role'],
      types: groupEntityTypes,
    },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: groupEntities',
  },
  /** Sets the roles of a group in an entity. */
  updateGroupEntity: {
    id: 'groupEntities.updateGroupEntity',
    api: 'rest',
    method: 'PATCH',
    path: '/company/groups/{group_uid}/entities/{uid}',
    pathParameters: { group_uid: 'string', uid: 'string' },
    body: { role_ids: 'string[]' },
    response: { kind: 'object', fields: groupEntity, types: groupEntityTypes },
    repeat: 'safe',
    stage: 'beta',
    source: 'REST: groupEntities',
  },
} as const satisfies OperationGroup;
