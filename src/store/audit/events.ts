import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import { chunks, isPostgres, readInChunks } from '../engine/dialect.ts';
import { toValues } from '../engine/row-sql.ts';
import type {
  AuditEventNamesTable,
  AuditEventResourcesTable,
  AuditEventsTable,
} from '../schema.ts';
import type { Db } from '../store.ts';

/** One event as it is stored. */
export type AuditEventRow = Insertable<AuditEventsTable>;

/** Stores events that are not stored yet. */
export async function insertAuditEvents(tx: Db, events: readonly AuditEventRow[]): Promise<void> {
  for (const some of chunks(events)) {
    await sql`insert into audit_events ${toValues(some)}`.execute(tx);
  }
}

/** Filters ids down to those of events that are stored. */
export async function listKnownEventIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const events = db.selectFrom('audit_events').select('id');
  const known = await readInChunks(ids, (some) => events.where('id', 'in', some).execute());
  return new Set(known.map(({ id }) => id));
}

/** Uses of calls of the ledger by events of a time, both ends included (epoch milliseconds). */
interface ExplanationQuery {
  readonly from: number;
  readonly to: number;
  /** The calls that matter, by their ids in the ledger. */
  readonly callIds: ReadonlySet<number>;
}

/** Rows that one statement reads, so that it does not hold the event loop for long. */
const READ_PART = 1_000;

/** The uses of calls of the ledger by events, and when those happened (epoch milliseconds). */
export async function listExplanations(
  db: Db,
  { from, to, callIds }: ExplanationQuery,
): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  let last = { created_at: from, id: '' };
  for (;;) {
    const { created_at: at, id } = last;
    const rows = await db
      .selectFrom('audit_events')
      .select(['id', 'explained_by', 'created_at'])
      .where('created_at', '>=', at)
      .where('created_at', '<=', to)
      .where((where) => where.or([where('created_at', '>', at), where('id', '>', id)]))
      .where('explained_by', 'is not', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(READ_PART)
      .execute();
    for (const { explained_by: use, created_at } of rows) {
      if (use !== null && callIds.has(toCallId(use))) uses.set(use, created_at);
    }
    last = rows.at(-1) ?? last;
    if (rows.length < READ_PART) return uses;
  }
}

/** Id of the call that a use names, in the ledger. */
export function toCallId(use: string): number {
  return Number(use.split('|', 1)[0]);
}

/** Range of unresolved events, by the time they were read (epoch milliseconds, `until` included). */
interface UnresolvedQuery {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

/**
 * Lists events that named nothing managed when they were read, in the order of reading; those read together may be more
 * than `limit`.
 */
export async function listUnresolvedEvents(
  db: Db,
  { after, until, limit }: UnresolvedQuery,
): Promise<Selectable<AuditEventsTable>[]> {
  const unresolved = db.selectFrom('audit_events').selectAll().where('origin', '=', 'unresolved');
  const some = unresolved.where('seen_at', '>', after).where('seen_at', '<=', until);
  const rows = await some.orderBy('seen_at').limit(limit).execute();
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return rows;
  return unresolved.where('seen_at', '>', after).where('seen_at', '<=', last.seen_at).execute();
}

/** Stores the origin of an event that was unresolved. */
export async function resolveEvent(
  tx: Db,
  id: string,
  change: Pick<Selectable<AuditEventsTable>, 'origin' | 'explained_by'>,
): Promise<void> {
  await tx.updateTable('audit_events').set(change).where('id', '=', id).execute();
}

/** Counts events that happened at `from` or later (epoch milliseconds). */
export async function countEventsSince(db: Db, from: number): Promise<number> {
  const { count } = await db
    .selectFrom('audit_events')
    .select((select) => select.fn.countAll().as('count'))
    .where('created_at', '>=', from)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Time of the newest event beyond the newest `rowsMax` (epoch milliseconds); undefined: there are no more. */
export async function findAuditEventBeyond(db: Db, rowsMax: number): Promise<number | undefined> {
  const newest = db.selectFrom('audit_events').select('created_at').orderBy('created_at', 'desc');
  return (await newest.offset(rowsMax).limit(1).executeTakeFirst())?.created_at;
}

/** Forgets at most `limit` of the events read before `before` (epoch milliseconds), the oldest first; returns how many. */
export async function pruneAuditEvents(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const oldest = await tx
    .selectFrom('audit_events')
    .select('id')
    .where('created_at', '<', before)
    .where('seen_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  const ids = oldest.map(({ id }) => id);
  await forgetNamed(tx, ids);
  for (const some of chunks(ids)) {
    await tx.deleteFrom('audit_events').where('id', 'in', some).execute();
  }
  return oldest.length;
}

/** User or group that an event names. */
export type EventResourceRow = Insertable<AuditEventResourcesTable>;

/** Text of an event that names no known user or group. */
export type EventNameRow = Insertable<AuditEventNamesTable>;

/**
 * Form in which a text of an event is kept, and a user or group asked for by it. A number is one of users or one of groups;
 * the capitals keep it apart from every folded text.
 */
export function toNameKey(type: 'user' | 'group', text: string): string {
  return /^\d+$/.test(text) ? `${type.toUpperCase()} ${text}` : foldCase(text);
}

/** Stores the users and groups that new events name. */
export async function insertEventResources(
  tx: Db,
  rows: readonly EventResourceRow[],
): Promise<void> {
  for (const some of chunks(rows)) {
    await sql`insert into audit_event_resources ${toValues(some)}`.execute(tx);
  }
}

/** Stores the texts of new events that name no known user or group. */
export async function insertEventNames(tx: Db, rows: readonly EventNameRow[]): Promise<void> {
  for (const some of chunks(rows)) {
    await sql`insert into audit_event_names ${toValues(some)}`.execute(tx);
  }
}

/** Forgets the users, groups and texts that events name. */
export async function forgetNamed(tx: Db, eventIds: readonly string[]): Promise<void> {
  for (const some of chunks(eventIds)) {
    await tx.deleteFrom('audit_event_resources').where('event_id', 'in', some).execute();
    await tx.deleteFrom('audit_event_names').where('event_id', 'in', some).execute();
  }
}

/** An event, with who made it. What the log does not show is null. */
export interface EventView {
  readonly id: string;
  /** Time of the event, by the clock of the service. */
  readonly createdAt: number;
  /** Time of the event, as near to our own clock as is known. */
  readonly at: number;
  readonly category: string;
  readonly action: string;
  readonly message: string | null;
  /** `operator`: of a call of the bridge that an operator asked for, by `scim-bridge api`. */
  readonly origin: AuditEventsTable['origin'] | 'operator';
  readonly authorId: number | null;
  readonly username: string | null;
  readonly address: string | null;
}

/** Selects an event as it is viewed, from `audit_events` as `event` and where it is named as `about`. */
export function selectView(db: Db): RawBuilder<unknown> {
  return sql`event.id, event.created_at as "createdAt", about.at, event.category, event.action, event.message,
    ${selectOrigin(db)} as origin, event.author_id as "authorId", event.author_username as username,
    event.author_address as address`;
}

/** Selects the origin of an event as it is shown: what an operator asked for is no act of the bridge. */
function selectOrigin(db: Db): RawBuilder<EventView['origin']> {
  const callId = isPostgres(db)
    ? sql`cast(split_part(event.explained_by, '|', 1) as bigint)`
    : sql`cast(event.explained_by as integer)`;
  return sql`case when event.origin = 'ours' and exists
    (select 1 from own_calls as call where call.id = ${callId} and call.kind is null)
    then 'operator' else event.origin end`;
}
