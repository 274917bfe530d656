// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { ListCall } from '../client-types.ts';

/** Arguments of `auditLogs.retrieveAuditLogEvents`. */
export interface AuditLogsRetrieveAuditLogEventsArguments {
  readonly query?: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly author_id?: number | undefined;
    readonly author_uid?: string | undefined;
    readonly categories?: string | undefined;
    readonly actions?: string | undefined;
    readonly id?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `auditLogs.retrieveAuditLogEvents`. */
export interface AuditLogsRetrieveAuditLogEventsEntry {
  id: string;
  app_name: string | null;
  company_uid: string | null;
  author_id: number | null;
  author_uid: string | null;
  author_username: string | null;
  author_remote_address: string | null;
  author: Record<string, unknown> | null;
  category: string;
  action: string;
  message: string;
  details: Record<string, unknown> | null;
  created: string;
}

/** Answer of `auditLogs.retrieveAuditLogEvents`. */
export type AuditLogsRetrieveAuditLogEventsAnswer = AuditLogsRetrieveAuditLogEventsEntry[];

/** Operations of `client.auditLogs`. */
export interface AuditLogsOperations {
  /**
   * Events, newest first as far as is known; `from` and `to` are inclusive ISO 8601 times.
   *
   * `GET /audit-logs`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `from`, `to`, `author_id`, `author_uid`, `categories`, `actions`, `id`,
   * `limit`, `offset`
   */
  readonly retrieveAuditLogEvents: ListCall<AuditLogsRetrieveAuditLogEventsArguments, AuditLogsRetrieveAuditLogEventsAnswer>;
}
