import { cardType } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Kinds of cards. */
export const cardTypes = {
  /** Creates a card type. */
  createNewCardType: {
    id: 'cardTypes.createNewCardType',
    api: 'rest',
    method: 'POST',
    path: '/card-types',
    body: {
      'letter*': 'string',
      'name*': 'string',
      'color*': 'integer',
      properties: 'object',
      card_properties: 'unknown[]',
      suggest_fields: 'boolean',
    },
    response: { kind: 'object', fields: cardType },
    repeat: 'unsafe',
    source: 'REST: cardTypes',
  },
  /** One card type. */
  getCardType: {
    id: 'cardTypes.getCardType',
    api: 'rest',
    method: 'GET',
    path: '/card-types/{id}',
    pathParameters: { id: 'integer' },
    response: { kind: 'object', fields: cardType },
    repeat: 'safe',
    source: 'REST: cardTypes',
  },
  /** The card types of the company. */
  getListOfCardTypes: {
    id: 'cardTypes.getListOfCardTypes',
    api: 'rest',
    method: 'GET',
    path: '/card-types',
    query: { limit: 'integer', offset: 'integer' },
    response: { kind: 'array', fields: cardType },
    paging: 'offset',
    repeat: 'safe',
    source: 'REST: cardTypes',
  },
  /** Deletes a card type; its cards become cards of another. */
  removeCardType: {
    id: 'cardTypes.removeCardType',
    api: 'rest',
    method: 'DELETE',
    path: '/card-types/{id}',
    pathParameters: { id: 'integer' },
    body: { 'replace_type_id*': 'number' },
    response: { kind: 'object', fields: cardType },
    repeat: 'safe',
    source: 'REST: cardTypes',
  },
  /** Changes a card type. */
  updateCardType: {
    id: 'cardTypes.updateCardType',
    api: 'rest',
    method: 'PATCH',
    path: '/card-types/{id}',
    pathParameters: { id: 'integer' },
    body: {
      letter: 'string',
      name: 'string',
      color: 'integer',
      properties: 'object',
      card_properties: 'unknown[]',
      suggest_fields: 'boolean',
    },
    response: { kind: 'object', fields: cardType },
    repeat: 'safe',
    source: 'REST: cardTypes',
  },
} as const satisfies OperationGroup;
