import { column } from './fields/boards.ts';
import { lastMovedWarnings } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Columns within a column. */
export const subcolumn = {
  /** Creates a subcolumn. */
  createNewSubcolumn: {
    id: 'subcolumn.createNewSubcolumn',
    api: 'rest',
    method: 'POST',
    path: '/columns/{column_id}/subcolumns',
    pathParameters: { column_id: 'integer' },
    body: {
      'title*': 'string',
      external_id: 'number | string | null',
      sort_order: 'number',
      type: 'integer',
      archive_after_days: 'integer',
      months_to_hide_cards: 'integer | null',
      card_hide_after_days: 'integer | null',
      col_count: 'integer',
      rules: 'integer',
      ...lastMovedWarnings,
      wip_limit: 'integer',
    },
    response: { kind: 'object', fields: column },
    repeat: 'unsafe',
    source: 'field-notes',
  },
  /** The subcolumns of a column, in one answer. */
  getListOfSubcolumns: {
    id: 'subcolumn.getListOfSubcolumns',
    api: 'rest',
    method: 'GET',
    path: '/columns/{column_id}/subcolumns',
    pathParameters: { column_id: 'integer' },
    response: { kind: 'array', fields: column },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** Deletes a subcolumn; one that holds something only with `force`, which some installations take from the query. */
  removeSubcolumn: {
    id: 'subcolumn.removeSubcolumn',
    api: 'rest',
    method: 'DELETE',
    path: '/columns/{column_id}/subcolumns/{id}',
    pathParameters: { column_id: 'integer', id: 'integer' },
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'field-notes',
  },
  /** Changes a subcolumn or puts it between two others. */
  updateSubcolumn: {
    id: 'subcolumn.updateSubcolumn',
    api: 'rest',
    method: 'PATCH',
    path: '/columns/{column_id}/subcolumns/{id}',
    pathParameters: { column_id: 'integer', id: 'integer' },
    body: {
      title: 'string',
      external_id: 'number | string | null',
      sort_order: 'number',
      type: 'integer',
      archive_after_days: 'integer',
      months_to_hide_cards: 'integer | null',
      card_hide_after_days: 'integer | null',
      col_count: 'integer',
      rules: 'integer',
      ...lastMovedWarnings,
      default_tags: 'string | null',
      prev_column_id: 'integer | null',
      next_column_id: 'integer | null',
      pause_sla: 'boolean',
    },
    response: { kind: 'object', fields: column },
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
