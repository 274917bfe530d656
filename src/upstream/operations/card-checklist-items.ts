import { checklistItem } from './fields/card-parts.ts';
import { checklistItemChanges, newChecklistItem } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Items of a checklist, addressed through the card. */
export const cardChecklistItems = {
  /** Adds an item. */
  addItemToChecklist: {
    id: 'cardChecklistItems.addItemToChecklist',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/checklists/{checklist_id}/items',
    pathParameters: { card_id: 'integer', checklist_id: 'integer' },
    body: newChecklistItem,
    response: { kind: 'object', fields: checklistItem },
    repeat: 'unsafe',
    source: 'REST: cardChecklistItems',
  },
  /** Removes an item. */
  removeChecklistItem: {
    id: 'cardChecklistItems.removeChecklistItem',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/checklists/{checklist_id}/items/{id}',
    pathParameters: { card_id: 'integer', checklist_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardChecklistItems',
  },
  /** Changes an item, checks it, or moves it to another checklist. */
  updateChecklistItem: {
    id: 'cardChecklistItems.updateChecklistItem',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/checklists/{checklist_id}/items/{id}',
    pathParameters: { card_id: 'integer', checklist_id: 'integer', id: 'integer' },
    body: checklistItemChanges,
    response: { kind: 'object', fields: checklistItem },
    repeat: 'safe',
    source: 'REST: cardChecklistItems',
  },
} as const satisfies OperationGroup;
