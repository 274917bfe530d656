import { timeLog } from './fields/card-parts.ts';
import type { OperationGroup } from './operation.ts';

/** Time spent on a card, in minutes. */
export const cardTimeLogs = {
  /** Logs time. */
  addTimeLog: {
    id: 'cardTimeLogs.addTimeLog',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/time-logs',
    pathParameters: { card_id: 'integer' },
    body: {
      'role_id*': 'integer',
      'time_spent*': 'integer',
      'for_date*': 'string',
      comment: 'string',
    },
    response: { kind: 'object', fields: timeLog },
    repeat: 'unsafe',
    source: 'REST: cardTimeLogs',
  },
  /** The time logged on a card, in one answer. */
  getTimeLogs: {
    id: 'cardTimeLogs.getTimeLogs',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/time-logs',
    pathParameters: { card_id: 'integer' },
    query: { for_date: 'string', personal: 'boolean' },
    response: { kind: 'array', fields: [...timeLog, 'role', 'user', 'author'] },
    repeat: 'safe',
    source: 'REST: cardTimeLogs',
  },
  /** Removes a time log. */
  removeTimeLog: {
    id: 'cardTimeLogs.removeTimeLog',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/time-logs/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardTimeLogs',
  },
  /** Changes a time log. */
  updateLogRecord: {
    id: 'cardTimeLogs.updateLogRecord',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/time-logs/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: { role_id: 'integer', time_spent: 'integer', for_date: 'string', comment: 'string' },
    response: { kind: 'object', fields: timeLog },
    repeat: 'safe',
    source: 'REST: cardTimeLogs',
  },
} as const satisfies OperationGroup;
