import type { OperationGroup } from './operation.ts';

/** Files of a card. */
export const cardFiles = {
  /** Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice. */
  attachFileToCard: {
    id: 'cardFiles.attachFileToCard',
    api: 'rest',
    method: 'PUT',
    path: '/cards/{card_id}/files',
    pathParameters: { card_id: 'integer' },
    body: { 'file*': 'file' },
    content: 'multipart',
    response: {
      kind: 'object',
      fields: [
        'author_id',
        'card_cover',
        'card_id',
        'comment_id',
        'created',
        'deleted',
        'external',
        'id',
        'mh_markup_id',
        'mh_secret',
        'name',
        'size',
        'sort_order',
        'type',
        'updated',
        'url',
      ],
    },
    repeat: 'unsafe',
    stage: 'deprecated',
    source: 'REST: cardFiles',
  },
  /** Takes a file off a card. */
  detachFileFromCard: {
    id: 'cardFiles.detachFileFromCard',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/files/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardFiles',
  },
  /** Makes a file the cover of its card, or no longer. The fields of the answer are not documented. */
  updateFile: {
    id: 'cardFiles.updateFile',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/files/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: { card_cover: 'boolean' },
    response: { kind: 'object', fields: [] },
    repeat: 'safe',
    source: 'REST: cardFiles',
  },
} as const satisfies OperationGroup;
