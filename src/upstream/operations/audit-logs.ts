import type { OperationGroup } from './operation.ts';

/** The readable record of what happened in the company. */
export const auditLogs = {
  /** Events, newest first as far as is known; `from` and `to` are inclusive ISO 8601 times. */
  retrieveAuditLogEvents: {
    id: 'auditLogs.retrieveAuditLogEvents',
    api: 'rest',
    method: 'GET',
    path: '/audit-logs',
    query: {
      from: 'string',
      to: 'string',
      author_id: 'integer',
      author_uid: 'string',
      categories: 'string',
      actions: 'string',
      id: 'string',
      limit: 'integer',
      offset: 'integer',
    },
    response: {
      kind: 'array',
      fields: [
        'id',
        'app_name',
        'company_uid',
        'author_id',
        'author_uid',
        'author_username',
        'author_remote_address',
        'author',
        'category',
        'action',
        'message',
        'details',
        'created',
      ],
    },
    paging: 'offset',
    repeat: 'safe',
    section: 'audit',
    source: 'REST: auditLogs',
  },
} as const satisfies OperationGroup;
