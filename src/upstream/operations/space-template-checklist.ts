import type { OperationGroup } from './operation.ts';

const checklist = ['uid', 'name', 'sort_order', 'space_uid', 'created', 'updated'] as const;

/** Checklists that a space offers its cards as templates. */
export const spaceTemplateChecklist = {
  /** Creates a template. */
  createNewSpaceTemplateChecklist: {
    id: 'spaceTemplateChecklist.createNewSpaceTemplateChecklist',
    api: 'rest',
    method: 'POST',
    path: '/spaces/{space_uid}/template-checklists',
    pathParameters: { space_uid: 'string' },
    body: { name: 'string', sort_order: 'number' },
    response: { kind: 'object', fields: checklist },
    repeat: 'unsafe',
    source: 'REST: spaceTemplateChecklist',
  },
  /** The templates of a space with their items, in one answer. */
  getListOfSpaceTemplateChecklists: {
    id: 'spaceTemplateChecklist.getListOfSpaceTemplateChecklists',
    api: 'rest',
    method: 'GET',
    path: '/spaces/{space_uid}/template-checklists',
    pathParameters: { space_uid: 'string' },
    response: { kind: 'array', fields: [...checklist, 'items'] },
    repeat: 'safe',
    source: 'REST: spaceTemplateChecklist',
  },
  /** Deletes a template. */
  removeSpaceTemplateChecklist: {
    id: 'spaceTemplateChecklist.removeSpaceTemplateChecklist',
    api: 'rest',
    method: 'DELETE',
    path: '/spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    pathParameters: { space_uid: 'string', template_checklist_uid: 'string' },
    response: { kind: 'object', fields: ['uid'] },
    repeat: 'safe',
    source: 'REST: spaceTemplateChecklist',
  },
  /** Changes a template, or moves it to another space. */
  updateSpaceTemplateChecklist: {
    id: 'spaceTemplateChecklist.updateSpaceTemplateChecklist',
    api: 'rest',
    method: 'PATCH',
    path: '/spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    pathParameters: { space_uid: 'string', template_checklist_uid: 'string' },
    body: { name: 'string', sort_order: 'number', space_uid: 'string' },
    response: { kind: 'object', fields: checklist },
    repeat: 'safe',
    source: 'REST: spaceTemplateChecklist',
  },
} as const satisfies OperationGroup;
