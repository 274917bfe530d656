import { cardOfChecklist } from './fields/cards.ts';
import type { OperationGroup } from './operation.ts';

/** Checklists by themselves. */
export const checklists = {
  /** The cards that have a checklist. */
  retrieveCardsWithChecklist: {
    id: 'checklists.retrieveCardsWithChecklist',
    api: 'rest',
    method: 'GET',
    path: '/checklists/{id}',
    pathParameters: { id: 'integer' },
    query: { 'only_shared_cards*': 'boolean' },
    response: { kind: 'array', fields: cardOfChecklist },
    repeat: 'safe',
    source: 'REST: checklists',
  },
} as const satisfies OperationGroup;
