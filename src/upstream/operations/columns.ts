import { column } from './fields/boards.ts';
import { lastMovedWarnings } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Columns of a board. */
export const columns = {
  /** Creates a column. */
  createNewColumn: {
    id: 'columns.createNewColumn',
    api: 'rest',
    method: 'POST',
    path: '/boards/{board_id}/columns',
    pathParameters: { board_id: 'integer' },
    body: {
      'title*': 'string',
      external_id: 'number | string | null',
      sort_order: 'number',
      type: '1 | 2 | 3',
      ...lastMovedWarnings,
      wip_limit: 'integer',
      wip_limit_type: '1 | 2',
      col_count: 'integer',
      archive_after_days: 'integer',
      months_to_hide_cards: 'integer | null',
      card_hide_after_days: 'integer | null',
      rules: 'integer',
    },
    response: { kind: 'object', fields: column },
    repeat: 'unsafe',
    source: 'REST: columns',
  },
  /** The columns of a board, in one answer. */
  getListOfColumns: {
    id: 'columns.getListOfColumns',
    api: 'rest',
    method: 'GET',
    path: '/boards/{board_id}/columns',
    pathParameters: { board_id: 'integer' },
    response: { kind: 'array', fields: [...column, 'pause_sla', 'subcolumns'] },
    repeat: 'safe',
    source: 'REST: columns',
  },
  /** Deletes a column; one that holds something only with `force`, which some installations take from the query. */
  removeColumn: {
    id: 'columns.removeColumn',
    api: 'rest',
    method: 'DELETE',
    path: '/boards/{board_id}/columns/{id}',
    pathParameters: { board_id: 'integer', id: 'integer' },
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    undocumented: ['query.force'],
    source: 'REST: columns',
  },
  /** Changes a column or puts it between two others. */
  updateColumn: {
    id: 'columns.updateColumn',
    api: 'rest',
    method: 'PATCH',
    path: '/boards/{board_id}/columns/{id}',
    pathParameters: { board_id: 'integer', id: 'integer' },
    body: {
      external_id: 'number | string | null',
      title: 'string',
      sort_order: 'number',
      type: '1 | 2 | 3',
      wip_limit: 'integer | null',
      wip_limit_type: '1 | 2',
      ...lastMovedWarnings,
      col_count: 'integer',
      archive_after_days: 'integer',
      months_to_hide_cards: 'integer | null',
      card_hide_after_days: 'integer | null',
      rules: 'integer',
      default_tags: 'string | null',
      prev_column_id: 'integer | null',
      next_column_id: 'integer | null',
      pause_sla: 'boolean',
    },
    response: { kind: 'object', fields: column },
    repeat: 'safe',
    source: 'REST: columns',
  },
} as const satisfies OperationGroup;
