import { cardAmongChildren } from './fields/cards.ts';
import type { OperationGroup } from './operation.ts';

/** Cards below a card. */
export const cardChildren = {
  /** Puts a card below another. `card_id` of the path is the parent, that of the body the child. */
  addChildren: {
    id: 'cardChildren.addChildren',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/children',
    pathParameters: { card_id: 'integer' },
    body: { 'card_id*': 'integer' },
    response: {
      kind: 'object',
      fields: [
        ...cardAmongChildren,
        'has_access_to_space',
        'path_data',
        'space_id',
        'type',
        'owner',
      ],
    },
    repeat: 'unsafe',
    source: 'REST: cardChildren',
  },
  /** Takes a card from below another. */
  removeChildren: {
    id: 'cardChildren.removeChildren',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/children/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardChildren',
  },
  /** The cards below a card, in one answer. */
  retrieveCardChildrenList: {
    id: 'cardChildren.retrieveCardChildrenList',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/children',
    pathParameters: { card_id: 'integer' },
    response: {
      kind: 'array',
      fields: [
        ...cardAmongChildren,
        'type',
        'owner',
        'board',
        'lane',
        'column',
        'card_id',
        'depends_on_card_id',
      ],
    },
    repeat: 'safe',
    source: 'REST: cardChildren',
  },
} as const satisfies OperationGroup;
