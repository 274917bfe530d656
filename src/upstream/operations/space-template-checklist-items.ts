import type { OperationGroup } from './operation.ts';

const item = ['uid', 'text', 'sort_order', 'user_id', 'created', 'updated'] as const;

/** Items of the template checklists of a space. */
export const spaceTemplateChecklistItems = {
  /** Adds an item. */
  createNewSpaceTemplateChecklistItem: {
    id: 'spaceTemplateChecklistItems.createNewSpaceTemplateChecklistItem',
    api: 'rest',
    method: 'POST',
    path: '/spaces/{space_uid}/template-checklists/{template_checklist_uid}/items',
    pathParameters: { space_uid: 'string', template_checklist_uid: 'string' },
    body: { 'text*': 'string', sort_order: 'number' },
    response: { kind: 'object', fields: item },
    repeat: 'unsafe',
    source: 'REST: spaceTemplateChecklistItems',
  },
  /** Removes an item. */
  removeSpaceTemplateChecklistItem: {
    id: 'spaceTemplateChecklistItems.removeSpaceTemplateChecklistItem',
    api: 'rest',
    method: 'DELETE',
    path: '/spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    pathParameters: { space_uid: 'string', template_checklist_uid: 'string', item_uid: 'string' },
    response: { kind: 'object', fields: ['uid'] },
    repeat: 'safe',
    source: 'REST: spaceTemplateChecklistItems',
  },
  /** Changes an item. */
  updateSpaceTemplateChecklistItem: {
    id: 'spaceTemplateChecklistItems.updateSpaceTemplateChecklistItem',
    api: 'rest',
    method: 'PATCH',
    path: '/spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    pathParameters: { space_uid: 'string', template_checklist_uid: 'string', item_uid: 'string' },
    body: { text: 'string', sort_order: 'number' },
    response: { kind: 'object', fields: item },
    repeat: 'safe',
    source: 'REST: spaceTemplateChecklistItems',
  },
} as const satisfies OperationGroup;
