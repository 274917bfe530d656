import type { Directory } from '../directory.ts';
import type { AuditEvent } from '../model.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import type { Answer, Call } from './exchange.ts';
import { parseInteger, parseRestPage } from './paging.ts';

/** GET /audit-logs. `from` and `to` are inclusive; categories and actions are separated by commas. */
export function listAuditEvents(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const { offset, limit } = parseRestPage(call.query, 'auditLogs', shape);
  const isWanted = toPredicate(call.query);
  const { events } = directory.state;
  const found: AuditEvent[] = [];
  // Walks from the end that comes first and stops when the page is full: the log may be long.
  for (let step = 0; step < events.length && found.length < offset + limit; step += 1) {
    const event = events.at(shape.auditOrder === 'desc' ? -1 - step : step);
    if (event && isWanted(event)) found.push(event);
  }
  const body = found.slice(offset).map((event) => toRestEvent(directory, event, shape));
  return { status: 200, body };
}

function toPredicate(query: URLSearchParams): (event: AuditEvent) => boolean {
  const fromMs = parseTime(query, 'from') ?? Number.NEGATIVE_INFINITY;
  const toMs = parseTime(query, 'to') ?? Number.POSITIVE_INFINITY;
  const authorId = parseInteger(query, 'author_id');
  const authorUid = query.get('author_uid');
  const id = query.get('id');
  const categories = query.get('categories')?.split(',');
  const actions = query.get('actions')?.split(',');
  return (event) => {
    const atMs = Date.parse(event.created);
    return (
      atMs >= fromMs &&
      atMs <= toMs &&
      (authorId === undefined || event.authorId === authorId) &&
      (authorUid === null || event.authorUid === authorUid) &&
      (id === null || event.id === id) &&
      (categories?.includes(event.category) ?? true) &&
      (actions?.includes(event.action) ?? true)
    );
  };
}

/** Author fields are as of the event, `author` is the account as it is now. */
function toRestEvent(directory: Directory, event: AuditEvent, { auditDetails }: SandboxShape) {
  const author = directory.state.users.find(event.authorId ?? 0);
  const details = {
    object: event.details,
    string: JSON.stringify(event.details),
    null: null,
  }[auditDetails];
  return {
    id: event.id,
    app_name: null,
    company_uid: directory.companyUid,
    author_id: event.authorId,
    author_uid: event.authorUid,
    author_username: event.authorUserName,
    author_remote_address: event.authorAddress,
    author: author
      ? { id: author.id, uid: author.uid, username: author.userName, full_name: author.fullName }
      : null,
    category: event.category,
    action: event.action,
    message: event.message,
    details,
    created: event.created,
  };
}

function parseTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw new Refusal('bad-request', `${name} should be date-time`);
  return atMs;
}
