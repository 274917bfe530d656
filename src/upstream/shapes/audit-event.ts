import { createReader } from './reader.ts';

/** One entry of the audit log. `author…` fields are as of the event; a field that the answer lacks is undefined. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly category: string;
  readonly action: string;
  readonly message: string | undefined;
  /** An object, JSON text or anything else: its shape depends on category and action. */
  readonly details: unknown;
  readonly appName: string | undefined;
  readonly companyUid: string | undefined;
  readonly authorId: number | undefined;
  readonly authorUid: string | undefined;
  readonly authorUsername: string | undefined;
  readonly authorRemoteAddress: string | undefined;
}

/** One event of retrieveAuditLogEvents. @throws UpstreamError `unreadable` */
export function parseAuditEvent(body: unknown): AuditEvent {
  const reader = createReader('audit event', body);
  const createdAt = new Date(reader.text('created'));
  if (Number.isNaN(createdAt.getTime())) throw reader.fail('created', 'a time');
  return {
    id: reader.idText('id'),
    createdAt,
    category: reader.text('category'),
    action: reader.text('action'),
    message: reader.textOrUndefined('message'),
    details: reader.raw('details'),
    appName: reader.textOrUndefined('app_name'),
    companyUid: reader.textOrUndefined('company_uid'),
    authorId: reader.integerOrUndefined('author_id'),
    authorUid: reader.textOrUndefined('author_uid'),
    authorUsername: reader.textOrUndefined('author_username'),
    authorRemoteAddress: reader.textOrUndefined('author_remote_address'),
  };
}
