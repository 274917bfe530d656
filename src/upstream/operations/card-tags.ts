import type { OperationGroup } from './operation.ts';

/** Tags of a card. */
export const cardTags = {
  /** Puts a tag on a card by its name. */
  addTag: {
    id: 'cardTags.addTag',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/tags',
    pathParameters: { card_id: 'integer' },
    body: { 'name*': 'string' },
    response: {
      kind: 'object',
      fields: ['created', 'updated', 'archived', 'id', 'name', 'company_id', 'color'],
    },
    repeat: 'unsafe',
    source: 'REST: cardTags',
  },
  /** Takes a tag off a card. */
  removeTagFromCard: {
    id: 'cardTags.removeTagFromCard',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/tags/{tag_id}',
    pathParameters: { card_id: 'integer', tag_id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardTags',
  },
  /** The tags of a card, in one answer. The documents spell the name so. */
  rertrieveListOfTags: {
    id: 'cardTags.rertrieveListOfTags',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/tags',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'array', fields: ['id', 'name', 'color', 'card_id', 'tag_id'] },
    repeat: 'safe',
    source: 'REST: cardTags',
  },
} as const satisfies OperationGroup;
