import { storedFile, storedFileTypes } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Files of a card that only those see who may see the card. */
export const restrictedAccessCardFiles = {
  /** Attaches a file. */
  attachFileToCard: {
    id: 'restrictedAccessCardFiles.attachFileToCard',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_uid}/files',
    pathParameters: { card_uid: 'string' },
    body: { 'file*': 'file' },
    content: 'multipart',
    response: { kind: 'object', fields: storedFile, types: storedFileTypes },
    repeat: 'unsafe',
    source: 'REST: restrictedAccessCardFiles',
  },
  /** Deletes a file. */
  deleteCardFile: {
    id: 'restrictedAccessCardFiles.deleteCardFile',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_uid}/files/{id}',
    pathParameters: { card_uid: 'string', id: 'string' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: restrictedAccessCardFiles',
  },
  /**
   * What is known of a file, and in `url` where to fetch it. With `redirect: true` the answer is where that leads. Newer
   * installations take `response_type` instead and redirect unless it is `json`.
   */
  getCardFile: {
    id: 'restrictedAccessCardFiles.getCardFile',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_uid}/files/{id}',
    pathParameters: { card_uid: 'string', id: 'string' },
    query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
    response: {
      kind: 'redirect',
      fields: [
        'id',
        'name',
        'size',
        'mime_type',
        'entity_type',
        'created',
        'updated',
        'card_uid',
        'author_uid',
        'card_cover',
        'url',
      ],
      types: storedFileTypes,
    },
    repeat: 'safe',
    undocumented: ['response_type'],
    source: 'REST: restrictedAccessCardFiles',
  },
  /** Renames a file or makes it the cover. */
  updateCardFile: {
    id: 'restrictedAccessCardFiles.updateCardFile',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_uid}/files/{id}',
    pathParameters: { card_uid: 'string', id: 'string' },
    body: { name: 'string', card_cover: 'boolean' },
    response: { kind: 'object', fields: storedFile, types: storedFileTypes },
    repeat: 'safe',
    source: 'REST: restrictedAccessCardFiles',
  },
} as const satisfies OperationGroup;
