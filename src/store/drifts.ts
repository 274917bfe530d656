import { type Selectable, sql } from 'kysely';
import type { Difference, DriftKind, DriftStatus } from '../domain/drift.ts';
import { newId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json.ts';
import { chunks } from './chunks.ts';
import type { Db } from './database.ts';
import { parseStored } from './documents.ts';
import type { DriftsTable } from './schema.ts';

/** A drift as stored. */
export type DriftRow = Selectable<DriftsTable>;

/** The open drifts of these people or groups. */
export async function listOpenDrifts(db: Db, resourceIds: readonly string[]): Promise<DriftRow[]> {
  const rows: DriftRow[] = [];
  for (const some of chunks(resourceIds)) {
    const query = db.selectFrom('drifts').selectAll().where('status', '=', 'open');
    rows.push(...(await query.where('resource_id', 'in', some).execute()));
  }
  return rows;
}

/** Stores differences as open drifts; one that is open already stays the one it is. `now` is epoch milliseconds. */
export async function insertDrifts(
  tx: Db,
  differences: readonly Difference[],
  now: number,
): Promise<void> {
  const rows = differences.map(({ kind, type, resourceId, memberId, desired, observed }) => ({
    id: newId(),
    kind,
    resource_type: type,
    resource_id: resourceId,
    member_id: memberId,
    desired: JSON.stringify(desired),
    observed: JSON.stringify(observed),
    status: 'open' as const,
    first_seen_at: now,
    last_seen_at: now,
  }));
  for (const some of chunks(rows)) {
    const insert = tx.insertInto('drifts').values(some);
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
  }
}

/** Open drifts that were seen again. */
export async function confirmDrifts(tx: Db, ids: readonly string[], now: number): Promise<void> {
  for (const some of chunks(ids)) {
    await tx.updateTable('drifts').set({ last_seen_at: now }).where('id', 'in', some).execute();
  }
}

/** An open drift that was seen again, and differs in another way by now. */
export async function updateDrift(
  tx: Db,
  id: string,
  { desired, observed, now }: Pick<Difference, 'desired' | 'observed'> & { now: number },
): Promise<void> {
  const change = { desired: JSON.stringify(desired), observed: JSON.stringify(observed) };
  const update = tx.updateTable('drifts').set({ ...change, last_seen_at: now });
  await update.where('id', '=', id).execute();
}

/** Open drifts that are none any more. When they were last seen stays. */
export async function closeDrifts(tx: Db, ids: readonly string[]): Promise<void> {
  for (const some of chunks(ids)) {
    await tx.updateTable('drifts').set({ status: 'gone' }).where('id', 'in', some).execute();
  }
}

/** Open drifts of people and groups that the store does not have any more are none. */
export async function closeOrphanedDrifts(tx: Db): Promise<void> {
  await sql`update drifts set status = 'gone' where status = 'open'
    and resource_id not in (select id from users) and resource_id not in (select id from groups)`.execute(
    tx,
  );
}

/** Forgets drifts that are gone and were last seen before this moment (epoch milliseconds). */
export async function pruneDrifts(tx: Db, before: number): Promise<void> {
  const gone = tx.deleteFrom('drifts').where('status', '=', 'gone');
  await gone.where('last_seen_at', '<', before).execute();
}

/** How many drifts there are of each kind and status. */
export async function countDrifts(
  db: Db,
): Promise<{ kind: DriftKind; status: DriftStatus; count: number }[]> {
  return db
    .selectFrom('drifts')
    .select((select) => ['kind', 'status', select.fn.countAll<number>().as('count')])
    .groupBy(['kind', 'status'])
    .orderBy('kind')
    .orderBy('status')
    .execute();
}

/** Which drifts, and which part of them in order of finding. */
export interface DriftQuery {
  readonly kind: DriftKind | undefined;
  readonly status: DriftStatus | undefined;
  readonly afterSeq: number;
  readonly limit: number;
}

/** A drift with the names that a person knows its people and groups by; null where the store has them no more. */
export interface DriftView {
  readonly seq: number;
  readonly id: string;
  readonly kind: DriftKind;
  readonly status: DriftStatus;
  readonly type: 'user' | 'group';
  readonly resourceId: string;
  readonly name: string | null;
  readonly memberId: string;
  readonly memberName: string | null;
  readonly desired: JsonValue;
  readonly observed: JsonValue;
  /** Epoch milliseconds. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** Drifts for an operator, oldest first. */
export async function listDriftViews(
  db: Db,
  { kind, status, afterSeq, limit }: DriftQuery,
): Promise<DriftView[]> {
  const ofKind = kind === undefined ? sql`` : sql`and drift.kind = ${kind}`;
  const ofStatus = status === undefined ? sql`` : sql`and drift.status = ${status}`;
  const { rows } = await sql<Omit<DriftView, 'desired' | 'observed'> & StoredDocuments>`
    select drift.seq, drift.id, drift.kind, drift.status, drift.resource_type as type,
      drift.resource_id as "resourceId", coalesce(person.user_name, team.display_name) as name,
      drift.member_id as "memberId", member.user_name as "memberName", drift.desired, drift.observed,
      drift.first_seen_at as "firstSeenAt", drift.last_seen_at as "lastSeenAt"
    from drifts as drift
    left join users as person on drift.resource_type = 'user' and person.id = drift.resource_id
    left join groups as team on drift.resource_type = 'group' and team.id = drift.resource_id
    left join users as member on member.id = drift.member_id
    where drift.seq > ${afterSeq} ${ofKind} ${ofStatus} order by drift.seq limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => ({
    ...row,
    desired: parseStored<JsonValue>(row.desired),
    observed: parseStored<JsonValue>(row.observed),
  }));
}

interface StoredDocuments {
  readonly desired: string;
  readonly observed: string;
}
