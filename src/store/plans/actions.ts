import { type Selectable, sql } from 'kysely';
import type { HarmKind } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type ActionStatus, HOLDING_SOURCES, type PlanAction } from '../../domain/plan.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks, readInChunks } from '../engine/dialect.ts';
import { joinSubjectNames } from '../resources/names.ts';
import type { PlanActionsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** Action of a plan as stored; ids rise in the order of the plan. */
export type PlanActionRow = Selectable<PlanActionsTable>;

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
  for (const some of chunks(rows)) await tx.insertInto('plan_actions').values(some).execute();
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
  const held = db
    .selectFrom('plan_actions')
    .innerJoin('plans', 'plans.id', 'plan_actions.plan_id')
    .select(['plan_actions.kind', 'plan_actions.resource_id', 'plan_actions.member_id'])
    .where('plan_actions.status', '=', 'planned')
    .where('plans.source', 'in', HOLDING_SOURCES);
  return readInChunks(resourceIds, (some) =>
    held.where('plan_actions.resource_id', 'in', some).execute(),
  );
}

/** Forgets the actions of a plan, or those of some users or groups. */
export async function deletePlanActions(
  tx: Db,
  planId: string,
  resourceIds?: readonly string[],
): Promise<void> {
  const actions = tx.deleteFrom('plan_actions').where('plan_id', '=', planId);
  if (resourceIds === undefined) {
    await actions.execute();
    return;
  }
  for (const some of chunks(resourceIds)) await actions.where('resource_id', 'in', some).execute();
}

/** Lists the actions of a plan that are about these users or groups. */
export async function listActionsOf(
  db: Db,
  planId: string,
  resourceIds: readonly string[],
): Promise<ActionKey[]> {
  const actions = db.selectFrom('plan_actions').select(['kind', 'resource_id', 'member_id']);
  const ofPlan = actions.where('plan_id', '=', planId);
  return readInChunks(resourceIds, (some) => ofPlan.where('resource_id', 'in', some).execute());
}

/** Page of the actions of a plan. */
export interface ActionQuery {
  readonly status?: ActionStatus;
  readonly afterId: number;
  readonly limit: number;
}

/** Lists the next actions of a plan with this status, in its order. */
export async function listPlanActions(
  db: Db,
  planId: string,
  query: ActionQuery,
): Promise<PlanActionRow[]> {
  let actions = db.selectFrom('plan_actions').selectAll().where('plan_id', '=', planId);
  if (query.status !== undefined) actions = actions.where('status', '=', query.status);
  return actions.where('id', '>', query.afterId).orderBy('id').limit(query.limit).execute();
}

/** Lists the actions of a user or group that are released, or held back by a plan that waits. */
export async function listOpenActions(db: Db, resourceId: string): Promise<PlanActionRow[]> {
  const actions = db
    .selectFrom('plan_actions')
    .innerJoin('plans', 'plans.id', 'plan_actions.plan_id')
    .selectAll('plan_actions')
    .where('plan_actions.resource_id', '=', resourceId);
  return actions
    .where((where) =>
      where.or([
        where('plan_actions.status', '=', 'released'),
        where.and([
          where('plan_actions.status', '=', 'planned'),
          where('plans.status', '=', 'held'),
          where('plans.source', 'in', HOLDING_SOURCES),
        ]),
      ]),
    )
    .orderBy('plan_actions.id')
    .execute();
}

/** Moves actions on. `releasedAt` is epoch milliseconds. */
export async function updatePlanActions(
  tx: Db,
  ids: readonly number[],
  change: { status: ActionStatus; released_at?: number },
): Promise<void> {
  for (const some of chunks(ids)) {
    await tx.updateTable('plan_actions').set(change).where('id', 'in', some).execute();
  }
}

/** Drops the action of a plan that still waits, if it has this one. */
export async function dropPlanAction(
  tx: Db,
  planId: string,
  { kind, resource_id, member_id }: ActionKey,
): Promise<void> {
  const update = tx.updateTable('plan_actions').set({ status: 'dropped' });
  const planned = update.where('plan_id', '=', planId).where('status', '=', 'planned');
  const ofResource = planned.where('resource_id', '=', resource_id).where('kind', '=', kind);
  await ofResource.where('member_id', '=', member_id).execute();
}

/** Subject of an action. */
export type ActionKey = Pick<PlanActionRow, 'kind' | 'resource_id' | 'member_id'>;

/** Counts actions of a plan by their status. */
export async function countPlanActions(db: Db, planId: string): Promise<Map<ActionStatus, number>> {
  const rows = await db
    .selectFrom('plan_actions')
    .select((select) => ['status', select.fn.countAll().as('count')])
    .where('plan_id', '=', planId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** An action for an operator, with the names of its users and groups. */
export interface PlanActionView extends Omit<PlanAction, 'harm'> {
  readonly id: number;
  readonly name: string | null;
  readonly memberName: string | null;
  readonly harm: HarmKind | null;
  readonly status: ActionStatus;
  /** Epoch milliseconds. */
  readonly plannedAt: number;
  /** Time at which the drift that it repairs was first seen (epoch milliseconds); null: it repairs none. */
  readonly firstSeenAt: number | null;
}

/** The actions of a plan, in its order. */
export async function listPlanActionViews(
  db: Db,
  planId: string,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<PlanActionView[]> {
  const names = joinSubjectNames('action');
  const { rows } = await sql<
    Omit<PlanActionView, 'desired' | 'observed'> & { desired: string; observed: string }
  >`
    select action.id, action.kind, action.resource_type as type, action.resource_id as "resourceId",
      action.member_id as "memberId", ${names.columns}, action.desired, action.observed, action.harm, action.status,
      action.planned_at as "plannedAt", (select max(drift.first_seen_at) from drifts as drift
        where drift.resource_id = action.resource_id and drift.member_id = action.member_id
        and drift.change = action.kind and drift.first_seen_at <= plan.created_at
        and coalesce(drift.ended_at, plan.created_at) >= plan.created_at) as "firstSeenAt"
    from plan_actions as action join plans as plan on plan.id = action.plan_id ${names.joins}
    where action.plan_id = ${planId} and action.id > ${afterId} order by action.id limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => ({
    ...row,
    desired: parseStored<JsonValue>(row.desired),
    observed: parseStored<JsonValue>(row.observed),
  }));
}
