import type { Insertable, Selectable } from 'kysely';
import { chunks } from './chunks.ts';
import { forgetNamed } from './event-resources.ts';
import type { AuditEventsTable } from './schema.ts';
import type { Db } from './store.ts';

/** One event as it is stored. */
export type AuditEventRow = Insertable<AuditEventsTable>;

/** Stores events that are not stored yet. */
export async function insertAuditEvents(tx: Db, events: readonly AuditEventRow[]): Promise<void> {
  for (const some of chunks(events)) await tx.insertInto('audit_events').values(some).execute();
}

/** Which of these events are stored. */
export async function listKnownEventIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await db.selectFrom('audit_events').select('id').where('id', 'in', some).execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}

/** The uses of calls of the ledger by events of a time, both ends included, and when those happened (epoch milliseconds). */
export async function listExplanations(
  db: Db,
  { from, to }: { from: number; to: number },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('audit_events')
    .select(['explained_by', 'created_at'])
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .where('explained_by', 'is not', null)
    .execute();
  return new Map(rows.map(({ explained_by: use, created_at }) => [use ?? '', created_at]));
}

/** Which part of the events that nobody was found for, by when they were read (epoch milliseconds, `until` included). */
export interface UnresolvedQuery {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

/** Events that named nobody managed when they were read, in the order of reading; those read together may be more than `limit`. */
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

/** Says whose an event is that nobody was found for. */
export async function resolveEvent(
  tx: Db,
  id: string,
  change: Pick<Selectable<AuditEventsTable>, 'origin' | 'explained_by'>,
): Promise<void> {
  await tx.updateTable('audit_events').set(change).where('id', '=', id).execute();
}

/** How many events are stored that happened at `from` or later (epoch milliseconds). */
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
