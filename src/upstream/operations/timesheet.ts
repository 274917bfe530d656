import { timeLog } from './fields/card-parts.ts';
import { idList } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

/** Time logged on all cards. */
export const timesheet = {
  /** The time logged between two days, both included. */
  getList: {
    id: 'timesheet.getList',
    api: 'rest',
    method: 'GET',
    path: '/time-logs',
    query: {
      'from*': 'string',
      'to*': 'string',
      tag_ids: idList,
      user_ids: idList,
      group_ids: idList,
      space_ids: idList,
      board_ids: idList,
      column_ids: idList,
      card_ids: idList,
      visible_column_ids: idList,
      limit: 'integer',
      offset: 'integer',
      condition: 'integer',
      group_by: 'integer',
      time_precision: 'string | number',
      time_unit: 'string',
      with_daily_distribution: 'boolean',
      only_general_sum: 'boolean',
    },
    response: { kind: 'array', fields: [...timeLog, 'card', 'user', 'role'] },
    paging: 'offset',
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
