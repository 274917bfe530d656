import sql, { join } from 'sql-template-tag';
import type { Detector, Difference, DriftKind, DriftStatus } from '../domain/change.ts';
import { ACTIVE_STATUSES, findHarm, findRepair } from '../domain/change.ts';
import type { PlanAction } from '../domain/plan.ts';
import type { GivenKey } from '../domain/values.ts';
import { newId } from '../domain/values.ts';
import { allOf, execute, literal, select } from './engine/dialect.ts';
import type { SubjectNames } from './plans.ts';
import { SUBJECT_NAMES } from './plans.ts';
import { toText } from './resources/find.ts';
import type { Db } from './store.ts';
import type { NewestPart, Row } from './tables.ts';
import { findOne, insertNew, listWhere, updateWhere } from './tables.ts';

/** A drift as stored. */
export type DriftRow = Row<'drifts'>;

/** The active statuses in SQL, as the indexes write them. */
export const ACTIVE = join(ACTIVE_STATUSES.map((status) => literal(status)));

/** Lists the active drifts of these users or groups. */
export const listActiveDrifts = (db: Db, resourceIds: readonly string[]) =>
  listWhere(db, 'drifts', { resource_id: resourceIds, status: ACTIVE_STATUSES });

/** The change that repairs a drift; undefined: it is about something unmanaged. */
export function toRepair({ change: kind, ...row }: DriftRow): PlanAction | undefined {
  const repair = kind && { ...row, kind };
  return repair ? { ...repair, harm: findHarm(repair) } : undefined;
}

/**
 * Lists users and groups of which something was decided, with an active drift or a held action that were written since
 * then, and of which a repair or an action is under way while no worker has them.
 */
export const listToSettle = (db: Db, since: number) =>
  select<GivenKey>(db)`
    with written as (select id from resources where modified_at > ${since}),
    busy as (select id from resources where type = 'user' and due_at is not null and stuck_at is null)
    select resource_type as type, resource_id as id from drifts where status in (${ACTIVE})
      and (resource_id in (select id from written) or member_id in (select id from written)
        or (status = 'repairing' and resource_id not in (select id from busy)))
    union select action.resource_type, action.resource_id from plans as plan
      join plan_actions as action on action.plan_id = plan.id
      where plan.ended_at is null and case action.status
        when 'planned' then plan.status <> 'held' or action.resource_id in (select id from written)
        when 'released' then action.resource_id not in (select id from busy) end`;

/** Stores differences as drifts, and returns the new ones; one that is not over stays the one it is. */
export const insertDrifts = (
  tx: Db,
  differences: readonly Difference[],
  { detector, now }: { readonly detector: Detector; readonly now: number },
) =>
  insertNew(
    tx,
    'drifts',
    differences.map((difference) => ({
      ...difference,
      id: newId(),
      change: findRepair(difference.kind) ?? null,
      status: 'open',
      detector,
      first_seen_at: now,
      last_seen_at: now,
    })),
  );

/** Changes drifts that are not over, and returns them as they are then. */
export const changeDrifts = (
  tx: Db,
  drifts: readonly DriftRow[],
  change: Partial<Omit<DriftRow, 'seq' | 'id'>>,
) => updateWhere(tx, 'drifts', { id: drifts.map(({ id }) => id), status: ACTIVE_STATUSES }, change);

/** Ends the drift of an unmanaged user or group that is taken over. `now` is epoch milliseconds. */
export async function endUnmanaged(tx: Db, { type, id }: GivenKey, now: number): Promise<void> {
  const active = { resource_id: id, kind: `${type}.unmanaged`, status: ACTIVE_STATUSES } as const;
  await updateWhere(tx, 'drifts', active, { status: 'accepted', ended_at: now });
}

/** Ends drifts of users and groups that the store does not have any more. */
export async function endOrphanedDrifts(tx: Db, now: number): Promise<void> {
  await execute(tx)`update drifts set status = 'gone', ended_at = ${now} where status in (${ACTIVE})
    and resource_id not in (select id from resources)`;
}

/** Counts drifts of what is managed, of each kind and status; `held`: those whose repair a waiting plan holds. */
export const countDrifts = (db: Db) =>
  select<Pick<DriftRow, 'kind' | 'status'> & Record<'count' | 'held', number>>(db)`
    select drifts.kind, drifts.status, count(*) as count, count(plans.id) as held
    from drifts left join plans on plans.id = drifts.plan_id and plans.status = 'held'
    where drifts.change is not null
    group by drifts.kind, drifts.status order by drifts.kind, drifts.status`;

/** Counts differences found after `seq` by kind, those that are over too, with the last of each. */
export const countDriftsAfter = (db: Db, seq: number) =>
  select<Pick<DriftRow, 'kind'> & Record<'count' | 'last', number>>(db)`
    select kind, count(*) as count, max(seq) as last from drifts
    where seq > ${seq} group by kind order by kind`;

/** The page begins behind `from`, in this order. */
interface DriftQuery extends NewestPart {
  /** False: the drifts of unmanaged users and groups. */
  readonly isManaged: boolean;
  readonly order: 'newest' | 'oldest';
  readonly kind?: DriftKind;
  readonly statuses: readonly DriftStatus[] | undefined;
  /** Id of the user or group that differs, or of the member. */
  readonly resourceId: string | undefined;
  /** Part of a name of the user or group, or of the member, or a whole id. */
  readonly text: string | undefined;
}

/** Drifts for an operator, with the names of their users and groups, in this order of finding. */
export function listDriftViews(
  db: Db,
  { isManaged, order, from, limit, kind, statuses, resourceId, text }: DriftQuery,
) {
  const isNewest = order === 'newest';
  const named = text && sql`(select id from resources where ${toText(text)})`;
  const isMeant = allOf([
    isNewest ? sql`seq < ${from}` : sql`seq > ${from}`,
    isManaged ? sql`change is not null` : sql`change is null`,
    kind && sql`kind = ${kind}`,
    // Not by the index of statuses, which would have all drifts sorted for each page.
    statuses && sql`coalesce(status, '') in (${join(statuses)})`,
    resourceId && sql`(resource_id = ${resourceId} or member_id = ${resourceId})`,
    named && sql`(resource_id in ${named} or member_id in ${named})`,
  ]);
  return select<DriftRow & SubjectNames>(db)`
    select drifts.*, ${SUBJECT_NAMES} from drifts where ${isMeant}
    order by seq ${isNewest ? sql`desc` : sql`asc`} limit ${limit}`;
}

/** The newest drifts of a user or group, and of a user as a member. */
export function listDriftsOf(db: Db, { id, limit }: { id: string; limit: number }) {
  // The index of members leaves out drifts without a member, which are many.
  return select<DriftRow>(db)`
    select * from (select * from drifts where resource_id = ${id}
      union all select * from drifts where member_id = ${id} and member_id <> '') as past
    order by first_seen_at desc limit ${limit}`;
}

/** Statuses of a sweep that has compared everything. */
export const CONCLUDED = ['complete', 'held'] as const;

/** Time at which the last sweep ended that concluded everything (epoch milliseconds); undefined: none has. */
export const findLastSweptAt = async (db: Db) =>
  (await findOne(db, 'sweeps', { status: CONCLUDED }, { order: 'seq desc' }))?.ended_at ??
  undefined;
