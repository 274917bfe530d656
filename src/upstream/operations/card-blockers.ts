import { cardBlocker } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** What keeps a card from going on: a reason or another card. */
export const cardBlockers = {
  /** Blocks a card. */
  blockCard: {
    id: 'cardBlockers.blockCard',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/blockers',
    pathParameters: { card_id: 'integer' },
    body: { reason: 'string', blocker_card_id: 'integer' },
    response: { kind: 'object', fields: [...cardBlocker, 'blocked_card', 'blocker', 'card'] },
    repeat: 'unsafe',
    source: 'REST: cardBlockers',
  },
  /** Removes a blocker. */
  deleteCardBlockers: {
    id: 'cardBlockers.deleteCardBlockers',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/blockers/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: [...cardBlocker, 'blocked_card', 'card'] },
    repeat: 'safe',
    source: 'REST: cardBlockers',
  },
  /** The blockers of a card, in one answer. */
  retrieveCardBlockersList: {
    id: 'cardBlockers.retrieveCardBlockersList',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/blockers',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'array', fields: [...cardBlocker, 'blocked_card', 'blocker', 'card'] },
    repeat: 'safe',
    source: 'REST: cardBlockers',
  },
  /** Changes the reason, the blocking card or the due date of a blocker. */
  updateCardBlockers: {
    id: 'cardBlockers.updateCardBlockers',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/blockers/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: {
      reason: 'string',
      blocker_card_id: 'integer',
      due_date: 'string | null',
      due_date_time_present: 'boolean | null',
    },
    response: { kind: 'object', fields: cardBlocker },
    repeat: 'safe',
    source: 'REST: cardBlockers',
  },
} as const satisfies OperationGroup;
