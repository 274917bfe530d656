import { sql } from 'kysely';
import type { ChangeKind } from '../../domain/change.ts';
import type { HarmKind } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type ActionStatus, HOLDING_SOURCES, type PlanAction } from '../../domain/plan.ts';
import { parseStored } from '../engine/columns.ts';
import { readInChunks, select } from '../engine/dialect.ts';
import { joinSubjectNames, type SubjectNames } from '../resources/names.ts';
import type { Db } from '../store.ts';
import { insertAll, type Row } from '../tables.ts';

/** Action of a plan as stored; ids rise in the order of the plan. */
export type PlanActionRow = Row<'plan_actions'>;

/** Adds actions to a plan. `now` is epoch milliseconds. */
export async function insertPlanActions(
  tx: Db,
  { id, now }: { readonly id: string; readonly now: number },
  actions: readonly PlanAction[],
): Promise<void> {
  const rows = actions.map((action) => ({
    plan_id: id,
    kind: action.kind,
    resource_type: action.type,
    resource_id: action.resourceId,
    member_id: action.memberId,
    desired: JSON.stringify(action.desired),
    observed: JSON.stringify(action.observed),
    harm: action.harm ?? null,
    status: 'planned' as const,
    planned_at: now,
    released_at: null,
  }));
  await insertAll(tx, 'plan_actions', rows);
}

/** Parses the stored form of an action. */
export function toAction(row: PlanActionRow): PlanAction {
  const { kind, resource_type: type, resource_id: resourceId, member_id: memberId } = row;
  const desired = parseStored<JsonValue>(row.desired);
  const observed = parseStored<JsonValue>(row.observed);
  return { kind, type, resourceId, memberId, desired, observed, harm: row.harm ?? undefined };
}

/** Lists the changes of these users and groups that are held back until a plan is decided. */
export async function listHeldChanges(
  db: Db,
  resourceIds: readonly string[],
): Promise<ActionKey[]> {
  return readInChunks(
    resourceIds,
    (some) =>
      select<ActionKey>(db)`
      select action.kind, action.resource_id, action.member_id
      from plan_actions as action join plans as plan on plan.id = action.plan_id
      where action.status = 'planned' and plan.source in (${sql.join(HOLDING_SOURCES)})
        and action.resource_id in (${sql.join(some)})`,
  );
}

/** Lists the actions of a user or group that are released, or held back by a plan that waits. */
export async function listOpenActions(db: Db, resourceId: string): Promise<PlanActionRow[]> {
  return select<PlanActionRow>(db)`
    select action.* from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.resource_id = ${resourceId} and (action.status = 'released'
      or (action.status = 'planned' and plan.status = 'held' and plan.source in (${sql.join(HOLDING_SOURCES)})))
    order by action.id`;
}

/** Subject of an action. */
export type ActionKey = Pick<PlanActionRow, 'kind' | 'resource_id' | 'member_id'>;

/** Counts actions of a plan by their status. */
export async function countPlanActions(db: Db, planId: string): Promise<Map<ActionStatus, number>> {
  const rows = await select<{ status: ActionStatus; count: number }>(db)`
    select status, count(*) as count from plan_actions where plan_id = ${planId} group by status`;
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** An action for an operator, with the names of its users and groups. */
export type PlanActionView = PlanActionRow &
  SubjectNames & {
    /** Time at which the drift that it repairs was first seen (epoch milliseconds); null: it repairs none. */
    readonly first_seen_at: number | null;
  };

/** The actions of a plan, in its order. */
export async function listPlanActionViews(
  db: Db,
  planId: string,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<PlanActionView[]> {
  const { columns, joins } = joinSubjectNames('action');
  return select<PlanActionView>(db)`
    select action.*, ${columns}, (select max(drift.first_seen_at) from drifts as drift
        where drift.resource_id = action.resource_id and drift.member_id = action.member_id
        and drift.change = action.kind and drift.first_seen_at <= plan.created_at
        and coalesce(drift.ended_at, plan.created_at) >= plan.created_at) as first_seen_at
    from plan_actions as action join plans as plan on plan.id = action.plan_id ${joins}
    where action.plan_id = ${planId} and action.id > ${afterId} order by action.id limit ${limit}`;
}

/** Change by an automatic plan, and its subject. */
export interface AutomaticChange {
  readonly kind: ChangeKind;
  readonly harm: HarmKind | null;
  readonly resourceId: string;
  /** The SCIM id of the user in a list of the group; empty: it is about the resource itself. */
  readonly memberId: string;
}

/** Lists what automatic plans changed since then (epoch milliseconds), or are about to change. */
export async function listAutomaticChanges(db: Db, since: number): Promise<AutomaticChange[]> {
  const columns = sql`action.kind, action.harm, action.resource_id as "resourceId", action.member_id as "memberId"`;
  return select<AutomaticChange>(db)`
    select ${columns} from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.released_at > ${since} and plan.automatic = 1
    union
    select ${columns} from plans as plan
    join plan_actions as action on action.plan_id = plan.id and action.status = 'planned'
    where plan.status = 'approved' and plan.automatic = 1`;
}

/** Counts automatic repairs of the same user or group, or the same user in a group, since then. */
export async function countRepairs(
  db: Db,
  { resourceId, memberId }: Pick<PlanAction, 'resourceId' | 'memberId'>,
  since: number,
): Promise<number> {
  const rows = await select<{ count: number }>(db)`
    select count(distinct action.plan_id) as count from plan_actions as action
    join plans as plan on plan.id = action.plan_id
    where action.resource_id = ${resourceId} and action.member_id = ${memberId}
    and action.released_at > ${since} and action.status <> 'dropped' and plan.automatic = 1`;
  return Number(rows[0]?.count ?? 0);
}

/** Counts the resources that each kind of harm could concern. */
export async function countPopulation(db: Db, harm: HarmKind): Promise<number> {
  const managed = sql`origin is not null and deleted_at is null`;
  const count = {
    deactivate: sql`select count(*) as count from resources where type = 'user' and active = 1 and ${managed}`,
    removeMember: sql`select count(*) as count from links where observed = 1 and list = 'member'
      and group_id in (select seq from resources where ${managed})`,
    demoteAdmin: sql`select count(*) as count from links where observed = 1 and list = 'admin'
      and group_id in (select seq from resources where ${managed})`,
    cutAccess: sql`select count(*) as count from resources where ${managed}`,
    deleteGroup: sql`select count(*) as count from resources where type = 'group' and ${managed}`,
  }[harm];
  const rows = await select<{ count: number }>(db)`${count}`;
  return Number(rows[0]?.count ?? 0);
}
