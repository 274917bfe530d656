import { type RawBuilder, sql } from 'kysely';
import type { DriftKind, DriftStatus } from '../domain/drift.ts';
import type { DriftRow } from './drifts.ts';
import { toText } from './resources/lists.ts';
import { joinSubjectNames, type SubjectNames } from './resources/names.ts';
import type { Db } from './store.ts';

/** Number of drifts of one kind and status; `held` are those whose repair a waiting plan holds. */
export interface DriftCount {
  readonly kind: DriftKind;
  readonly status: DriftStatus;
  readonly count: number;
  readonly held: number;
}

/** Counts drifts of what is managed, of each kind and status. */
export async function countDrifts(db: Db): Promise<DriftCount[]> {
  const { rows } = await sql<DriftCount>`
    select drifts.kind, drifts.status, count(*) as count, count(plans.id) as held
    from drifts left join plans on plans.id = drifts.plan_id and plans.status = 'held'
    where drifts.change is not null
    group by drifts.kind, drifts.status order by drifts.kind, drifts.status`.execute(db);
  return rows.map((row) => ({ ...row, count: Number(row.count), held: Number(row.held) }));
}

/** Counts the unmanaged users and groups that no operator wants left alone. */
export async function countUnmanaged(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from drifts where change is null and status = 'open'`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Counts differences found after `seq` by kind, those that are over too, with the last of each. */
export async function countDriftsAfter(
  db: Db,
  seq: number,
): Promise<{ kind: DriftKind; count: number; last: number }[]> {
  const { rows } = await sql<{ kind: DriftKind; count: number; last: number }>`
    select kind, count(*) as count, max(seq) as last from drifts
    where seq > ${seq} group by kind order by kind`.execute(db);
  return rows;
}

/** Selection of drifts, and the page of it to read. */
export interface DriftQuery {
  /** False: the drifts of unmanaged users and groups. */
  readonly isManaged: boolean;
  readonly order: 'newest' | 'oldest';
  /** The one before in this order. */
  readonly from: number;
  readonly limit: number;
  readonly kind: DriftKind | undefined;
  /** Undefined: with any status. */
  readonly statuses: readonly DriftStatus[] | undefined;
  /** Id of the user or group that differs, or of the member. */
  readonly resourceId: string | undefined;
  /** Part of a name of the user or group, or of the member, or a whole id. */
  readonly text: string | undefined;
}

/** A drift with the names of its users and groups. */
export type DriftView = DriftRow & SubjectNames;

/** Drifts for an operator, in the order of finding or the opposite one. */
export async function listDriftViews(db: Db, query: DriftQuery): Promise<DriftView[]> {
  const { columns, joins } = joinSubjectNames('drift');
  const { rows } = await sql<DriftView>`
    select drift.*, ${columns} from drifts as drift ${joins} where ${isOfQuery(query)}
    order by drift.seq ${query.order === 'newest' ? sql`desc` : sql`asc`} limit ${query.limit}`.execute(
    db,
  );
  return rows;
}

function isOfQuery(query: DriftQuery): RawBuilder<unknown> {
  const { isManaged, order, from, kind, statuses, resourceId, text } = query;
  const conditions = [
    order === 'newest' ? sql`drift.seq < ${from}` : sql`drift.seq > ${from}`,
    isManaged ? sql`drift.change is not null` : sql`drift.change is null`,
    kind && sql`drift.kind = ${kind}`,
    // Not by the index of statuses, which would have all drifts sorted for each page.
    statuses && sql`coalesce(drift.status, '') in (${sql.join(statuses)})`,
    resourceId && sql`(drift.resource_id = ${resourceId} or drift.member_id = ${resourceId})`,
    text && sql`(${isOfText(text)})`,
  ];
  return sql.join(
    conditions.filter((condition) => typeof condition === 'object'),
    sql` and `,
  );
}

function isOfText(text: string): RawBuilder<unknown> {
  const named = sql`(select id from resources where ${toText(text)})`;
  return sql`drift.resource_id in ${named} or drift.member_id in ${named}`;
}
