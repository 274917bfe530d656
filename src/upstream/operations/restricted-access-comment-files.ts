import { storedFile, storedFileTypes } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Files of a comment that only those see who may see the card. `comment_uid` is `new` for a comment that is not written yet. */
export const restrictedAccessCommentFiles = {
  /** Attaches a file. */
  attachFileToComment: {
    id: 'restrictedAccessCommentFiles.attachFileToComment',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_uid}/comments/{comment_uid}/files',
    pathParameters: { card_uid: 'string', comment_uid: 'string' },
    body: { 'file*': 'file' },
    content: 'multipart',
    response: { kind: 'object', fields: [...storedFile, 'comment_uid'], types: storedFileTypes },
    repeat: 'unsafe',
    source: 'REST: restrictedAccessCommentFiles',
  },
  /** Deletes a file. */
  deleteCommentFile: {
    id: 'restrictedAccessCommentFiles.deleteCommentFile',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { card_uid: 'string', comment_uid: 'string', id: 'string' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: restrictedAccessCommentFiles',
  },
  /**
   * What is known of a file, and in `url` where to fetch it. With `redirect: true` the answer is where that leads. Newer
   * installations take `response_type` instead and redirect unless it is `json`.
   */
  getCommentFile: {
    id: 'restrictedAccessCommentFiles.getCommentFile',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { card_uid: 'string', comment_uid: 'string', id: 'string' },
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
        'comment_uid',
        'author_uid',
        'card_cover',
        'url',
      ],
      types: storedFileTypes,
    },
    repeat: 'safe',
    undocumented: ['response_type'],
    source: 'REST: restrictedAccessCommentFiles',
  },
  /** Renames a file or makes it the cover. */
  updateCommentFile: {
    id: 'restrictedAccessCommentFiles.updateCommentFile',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { card_uid: 'string', comment_uid: 'string', id: 'string' },
    body: { name: 'string', card_cover: 'boolean' },
    response: { kind: 'object', fields: [...storedFile, 'comment_uid'], types: storedFileTypes },
    repeat: 'safe',
    source: 'REST: restrictedAccessCommentFiles',
  },
} as const satisfies OperationGroup;
