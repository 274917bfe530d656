import { commentListed, commentWritten } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Comments of a card. As JSON, or as a form when files come along; `files[]` is deprecated. */
export const cardComments = {
  /** Writes a comment. */
  addComment: {
    id: 'cardComments.addComment',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/comments',
    pathParameters: { card_id: 'integer' },
    body: { 'text*': 'string', 'files[]': 'file[]' },
    content: 'json-or-multipart',
    response: { kind: 'object', fields: commentWritten },
    repeat: 'unsafe',
    source: 'REST: cardComments',
  },
  /** Removes a comment. */
  removeComment: {
    id: 'cardComments.removeComment',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/comments/{comment_id}',
    pathParameters: { card_id: 'integer', comment_id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardComments',
  },
  /** The comments of a card, in one answer. */
  retrieveCardComments: {
    id: 'cardComments.retrieveCardComments',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/comments',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'array', fields: commentListed },
    repeat: 'safe',
    source: 'REST: cardComments',
  },
  /** Changes the text of a comment. Unsafe to repeat: files would be attached again. */
  updateComment: {
    id: 'cardComments.updateComment',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/comments/{comment_id}',
    pathParameters: { card_id: 'integer', comment_id: 'integer' },
    body: { text: 'string', 'files[]': 'file[]' },
    content: 'json-or-multipart',
    response: { kind: 'object', fields: commentWritten },
    repeat: 'unsafe',
    source: 'REST: cardComments',
  },
} as const satisfies OperationGroup;
