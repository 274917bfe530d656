import type { OperationGroup } from './operation.ts';

/** Checklists of a card. */
export const cardChecklists = {
  /** Adds a checklist, empty or with the items of another. */
  addChecklistToCard: {
    id: 'cardChecklists.addChecklistToCard',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/checklists',
    pathParameters: { card_id: 'integer' },
    body: {
      name: 'string',
      sort_order: 'number',
      items_source_checklist_id: 'integer',
      exclude_item_ids: 'integer[]',
      source_share_id: 'integer',
    },
    response: {
      kind: 'object',
      fields: [
        'created',
        'updated',
        'id',
        'name',
        'policy_id',
        'card_id',
        'checklist_id',
        'sort_order',
        'deleted',
        'items',
      ],
    },
    repeat: 'unsafe',
    source: 'REST: cardChecklists',
  },
  /** Removes a checklist from a card. */
  removeChecklistFromCard: {
    id: 'cardChecklists.removeChecklistFromCard',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/checklists/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardChecklists',
  },
  /** One checklist with its items. */
  retrieveCardChecklist: {
    id: 'cardChecklists.retrieveCardChecklist',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/checklists/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: {
      kind: 'object',
      fields: ['created', 'updated', 'id', 'uid', 'fts_version', 'name', 'policy_id', 'items'],
    },
    repeat: 'safe',
    source: 'REST: cardChecklists',
  },
  /** Renames a checklist, puts it elsewhere, or moves it to another card. */
  updateChecklist: {
    id: 'cardChecklists.updateChecklist',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/checklists/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: { name: 'string', sort_order: 'number', card_id: 'integer' },
    response: { kind: 'object', fields: ['created', 'updated', 'id', 'name', 'policy_id'] },
    repeat: 'safe',
    source: 'REST: cardChecklists',
  },
} as const satisfies OperationGroup;
