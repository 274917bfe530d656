import type { OperationGroup } from './operation.ts';

/** Why cards are blocked, in words that can be counted. */
export const cardBlockerCategories = {
  /** Puts a blocker into a category, by its name. */
  addBlockerCategory: {
    id: 'cardBlockerCategories.addBlockerCategory',
    api: 'rest',
    method: 'POST',
    path: '/blockers/{blocker_id}/categories',
    pathParameters: { blocker_id: 'integer' },
    body: { 'name*': 'string' },
    response: { kind: 'object', fields: ['uid', 'name', 'color'] },
    repeat: 'unsafe',
    source: 'REST: cardBlockerCategories',
  },
  /** Takes a blocker out of a category. */
  removeCategory: {
    id: 'cardBlockerCategories.removeCategory',
    api: 'rest',
    method: 'DELETE',
    path: '/blockers/{blocker_id}/categories/{category_uuid}',
    pathParameters: { blocker_id: 'integer', category_uuid: 'string' },
    response: { kind: 'object', fields: ['uid'] },
    repeat: 'safe',
    source: 'REST: cardBlockerCategories',
  },
  /** The categories of all blockers. */
  retrieveListOfCategories: {
    id: 'cardBlockerCategories.retrieveListOfCategories',
    api: 'rest',
    method: 'GET',
    path: '/categories',
    response: { kind: 'array', fields: ['uid', 'name', 'color'] },
    repeat: 'safe',
    source: 'REST: cardBlockerCategories',
  },
} as const satisfies OperationGroup;
