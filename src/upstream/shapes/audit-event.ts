import type { Reader } from './reader.ts';
import { createReader, toInteger, toText } from './reader.ts';

/**
 * One entry of the audit log. `author…` fields are as of the event. Only its id and its time are needed; what else the
 * answer lacks, or says in another form, is undefined or ''.
 */
export type AuditEvent = Readonly<ReturnType<typeof parseAuditEvent>>;

/** One event of retrieveAuditLogEvents. @throws UpstreamError `unreadable` */
export function parseAuditEvent(body: unknown) {
  const reader = createReader('audit event', body);
  const text = (name: string) => toText(reader.raw(name));
  return {
    id: reader.idText('id'),
    createdAt: parseTime(reader, 'created'),
    category: text('category') ?? '',
    action: text('action') ?? '',
    message: text('message'),
    /** An object, JSON text or anything else: its shape depends on category and action. */
    details: reader.raw('details'),
    authorId: toInteger(reader.raw('author_id')),
    authorUsername: text('author_username'),
    authorRemoteAddress: text('author_remote_address'),
  };
}

/** A time of ISO 8601, in UTC where it names no zone, or the seconds or milliseconds since 1970. */
function parseTime(reader: Reader, name: string): Date {
  const raw = reader.raw(name);
  const epoch = toInteger(raw);
  const time = epoch === undefined ? toDate(toText(raw)) : new Date(toMs(epoch));
  if (Number.isNaN(time.getTime())) throw reader.fail(name, 'a time');
  return time;
}

function toDate(text = ''): Date {
  return new Date(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Milliseconds have one digit more than seconds have until the year 5138. */
function toMs(epoch: number): number {
  return epoch < 100_000_000_000 ? epoch * 1_000 : epoch;
}
