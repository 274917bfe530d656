import type { OperationGroup } from './operation.ts';

const link = ['url', 'updated', 'created', 'id', 'description'] as const;

/** Links of a card to other places. */
export const cardExternalLinks = {
  /** Adds a link. */
  addExternalLink: {
    id: 'cardExternalLinks.addExternalLink',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/external-links',
    pathParameters: { card_id: 'integer' },
    body: { 'url*': 'string', description: 'string | null' },
    response: { kind: 'object', fields: link },
    repeat: 'unsafe',
    source: 'REST: cardExternalLinks',
  },
  /** Removes a link. */
  removeExternalLink: {
    id: 'cardExternalLinks.removeExternalLink',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/external-links/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardExternalLinks',
  },
  /** The links of a card, in one answer. */
  retrieveCardExternalLinks: {
    id: 'cardExternalLinks.retrieveCardExternalLinks',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/external-links',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'array', fields: [...link, 'card_id', 'external_link_id'] },
    repeat: 'safe',
    source: 'REST: cardExternalLinks',
  },
  /** Changes a link. */
  updateExternalLink: {
    id: 'cardExternalLinks.updateExternalLink',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/external-links/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: { url: 'string', description: 'string | null' },
    response: { kind: 'object', fields: link },
    repeat: 'safe',
    source: 'REST: cardExternalLinks',
  },
} as const satisfies OperationGroup;
