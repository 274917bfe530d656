// Parameters that several operations share.

/** When a card that does not move is marked. */
export const lastMovedWarnings = {
  last_moved_warning_after_days: 'integer',
  last_moved_warning_after_hours: 'integer',
  last_moved_warning_after_minutes: 'integer',
} as const;

/** A checklist item, to be made. */
export const newChecklistItem = {
  'text*': 'string',
  sort_order: 'number',
  checked: 'boolean',
  due_date: 'string | null',
  responsible_id: 'integer',
} as const;

/** What can be changed of a checklist item; another `checklist_id` moves it. */
export const checklistItemChanges = {
  text: 'string | null',
  sort_order: 'number',
  checklist_id: 'integer',
  checked: 'boolean',
  due_date: 'string | null',
  responsible_id: 'number | null',
} as const;

/** Ids joined with commas: the list, or its text. */
export const idList = 'string | integer | integer[] | string[]';
