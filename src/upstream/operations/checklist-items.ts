import { checklistItem } from './fields/card-parts.ts';
import { checklistItemChanges, newChecklistItem } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Items of a checklist, addressed without the card. */
export const checklistItems = {
  /** Adds an item. */
  addItemToChecklist: {
    id: 'checklistItems.addItemToChecklist',
    api: 'rest',
    method: 'POST',
    path: '/checklists/{checklist_id}/items',
    pathParameters: { checklist_id: 'integer' },
    body: newChecklistItem,
    response: { kind: 'object', fields: checklistItem },
    repeat: 'unsafe',
    source: 'REST: checklistItems',
  },
  /** Removes an item. */
  removeChecklistItem: {
    id: 'checklistItems.removeChecklistItem',
    api: 'rest',
    method: 'DELETE',
    path: '/checklists/{checklist_id}/items/{id}',
    pathParameters: { checklist_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: checklistItems',
  },
  /** Changes an item, checks it, or moves it to another checklist. */
  updateChecklistItem: {
    id: 'checklistItems.updateChecklistItem',
    api: 'rest',
    method: 'PATCH',
    path: '/checklists/{checklist_id}/items/{id}',
    pathParameters: { checklist_id: 'integer', id: 'integer' },
    body: checklistItemChanges,
    response: { kind: 'object', fields: checklistItem },
    repeat: 'safe',
    source: 'REST: checklistItems',
  },
} as const satisfies OperationGroup;
