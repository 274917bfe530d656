import { type Selectable, sql } from 'kysely';
import type { HarmKind } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import {
  type ActionStatus,
  HOLDING_SOURCES,
  type PlanAction,
  type PlanOrigin,
  type PlanStatus,
  REPAIR_SOURCES,
} from '../../domain/plan.ts';
import { lockUntilCommit } from '../commit-lock.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks } from '../engine/dialect.ts';
import { joinSubjectNames } from '../resources/names.ts';
import type { PlanActionsTable, PlansTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A plan as stored. */
export type PlanRow = Selectable<PlansTable>;
/** Action of a plan as stored; ids rise in the order of the plan. */
export type PlanActionRow = Selectable<PlanActionsTable>;

/** Reason of a plan that was discarded because nothing was left of it. */
const NOTHING_LEFT = 'nothing was left of it';

/** Adds a plan with its actions, and returns it as stored. */
export async function insertPlan(
  tx: Db,
  plan: Omit<PlanRow, 'seq'>,
  actions: readonly PlanAction[],
): Promise<PlanRow> {
  const stored = await tx.insertInto('plans').values(plan).returningAll().executeTakeFirstOrThrow();
  await insertPlanActions(tx, { id: plan.id, now: plan.created_at }, actions);
  return stored;
}

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

/** The plan with this id. */
export async function findPlan(db: Db, id: string): Promise<PlanRow | undefined> {
  return db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a plan and locks it until the transaction ends. */
export async function lockPlan(tx: Db, id: string): Promise<PlanRow | undefined> {
  return tx.selectFrom('plans').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Plan that undoes another one and is not done. */
export async function findUndoing(db: Db, id: string): Promise<PlanRow | undefined> {
  const plans = db.selectFrom('plans').selectAll().where('undoes', '=', id);
  return plans.where('status', '=', 'approved').executeTakeFirst();
}

/** Locks the making of plans: until the transaction ends no other plan is made, and this one is not decided. */
export async function lockHeldRepairs(tx: Db): Promise<PlanRow | undefined> {
  return lockHeld(tx, REPAIR_SOURCES);
}

/** Locks the making of plans, and finds the one of this source that waits. */
export async function lockHeldPlanOf(tx: Db, source: PlanOrigin): Promise<PlanRow | undefined> {
  return lockHeld(tx, [source]);
}

async function lockHeld(tx: Db, sources: readonly PlanOrigin[]): Promise<PlanRow | undefined> {
  await lockUntilCommit(tx, 'plans');
  const held = tx.selectFrom('plans').selectAll().where('status', '=', 'held');
  return held.where('source', 'in', sources).forUpdate().executeTakeFirst();
}

/** A plan that waits for an operator, with its number of changes that are still to be made. */
export type WaitingPlan = Pick<PlanRow, 'id' | 'source' | 'created_at' | 'reason'> & {
  readonly waiting: number;
};

/** Counts the changes of the plans that wait for an operator. */
export async function countWaitingPlans(db: Db): Promise<WaitingPlan[]> {
  const { rows } = await sql<WaitingPlan>`
    select plan.id, plan.source, plan.created_at, plan.reason,
      (select count(*) from plan_actions as action
        where action.plan_id = plan.id and action.status = 'planned') as waiting
    from plans as plan where plan.status = 'held' order by plan.seq`.execute(db);
  return rows.map((row) => ({ ...row, waiting: Number(row.waiting) }));
}

/** Lists planned actions of waiting plans whose user or group was written since they were planned. */
export async function listOvertakenActions(tx: Db, limit: number): Promise<PlanActionRow[]> {
  const sources = sql.join([...HOLDING_SOURCES]);
  const { rows } = await sql<PlanActionRow>`
    select action.* from plans as plan
    join plan_actions as action on action.plan_id = plan.id and action.status = 'planned'
    left join users on action.resource_type = 'user' and users.id = action.resource_id
    left join groups on action.resource_type = 'group' and groups.id = action.resource_id
    where plan.status = 'held' and plan.source in (${sources})
    and coalesce(users.modified_at, groups.modified_at, action.planned_at + 1) > action.planned_at
    order by action.id limit ${limit}`.execute(tx);
  return rows;
}

/** Notes that actions were seen to be still right. `now` is epoch milliseconds. */
export async function renewPlanActions(tx: Db, ids: readonly number[], now: number): Promise<void> {
  for (const some of chunks(ids)) {
    await tx.updateTable('plan_actions').set({ planned_at: now }).where('id', 'in', some).execute();
  }
}

/** Lists the changes of these users and groups that are held back until a plan is decided. */
export async function listHeldChanges(
  db: Db,
  resourceIds: readonly string[],
): Promise<ActionKey[]> {
  const held: ActionKey[] = [];
  for (const some of chunks(resourceIds)) {
    const rows = await db
      .selectFrom('plan_actions')
      .innerJoin('plans', 'plans.id', 'plan_actions.plan_id')
      .select(['plan_actions.kind', 'plan_actions.resource_id', 'plan_actions.member_id'])
      .where('plan_actions.resource_id', 'in', some)
      .where('plan_actions.status', '=', 'planned')
      .where('plans.source', 'in', HOLDING_SOURCES)
      .execute();
    held.push(...rows);
  }
  return held;
}

/** Plans, the newest first. */
export async function listPlans(
  db: Db,
  query: { status: PlanStatus | undefined; beforeSeq: number; limit: number },
): Promise<PlanRow[]> {
  let plans = db.selectFrom('plans').selectAll().where('seq', '<', query.beforeSeq);
  if (query.status !== undefined) plans = plans.where('status', '=', query.status);
  return plans.orderBy('seq', 'desc').limit(query.limit).execute();
}

/** Plans that were decided and are not over, the oldest first. */
export async function listDecidedPlans(db: Db): Promise<PlanRow[]> {
  const decided = db
    .selectFrom('plans')
    .selectAll()
    .where('status', 'in', ['approved', 'discarded']);
  return decided.where('ended_at', 'is', null).orderBy('seq').execute();
}

/** Changes the status of a plan. */
export async function updatePlan(
  tx: Db,
  id: string,
  change: Partial<Omit<PlanRow, 'seq' | 'id' | 'source' | 'undoes'>>,
): Promise<void> {
  await tx.updateTable('plans').set(change).where('id', '=', id).execute();
}

/**
 * Discards those of these plans that wait and of which nothing is left, since nobody approved them, and returns them.
 * `now` is epoch milliseconds.
 */
export async function discardEmpty(tx: Db, ids: Iterable<string>, now: number): Promise<PlanRow[]> {
  const ended: PlanRow[] = [];
  for (const id of ids) {
    const plan = await lockPlan(tx, id);
    if (plan?.status !== 'held' || (await countPlanActions(tx, id)).has('planned')) continue;
    const end = { reason: NOTHING_LEFT, decided_at: now, ended_at: now };
    const change = { status: 'discarded', ...end } as const;
    await updatePlan(tx, id, change);
    ended.push({ ...plan, ...change });
  }
  return ended;
}

/** Finds the plan of this source that is being made or waits. */
export async function findOpenPlan(tx: Db, source: PlanOrigin): Promise<PlanRow | undefined> {
  const plans = tx.selectFrom('plans').selectAll().where('source', '=', source);
  return plans.where('status', 'in', ['making', 'held']).forUpdate().executeTakeFirst();
}

/** Forgets a plan of which nothing is to be told. */
export async function deletePlan(tx: Db, id: string): Promise<void> {
  await deletePlanActions(tx, id);
  await tx.deleteFrom('plans').where('id', '=', id).execute();
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
  const found: ActionKey[] = [];
  const actions = db.selectFrom('plan_actions').select(['kind', 'resource_id', 'member_id']);
  for (const some of chunks(resourceIds)) {
    const query = actions.where('plan_id', '=', planId).where('resource_id', 'in', some);
    found.push(...(await query.execute()));
  }
  return found;
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

/** Subject that something is taken away from, and the kind of it. */
export interface HarmSubject {
  readonly harm: HarmKind;
  readonly resourceId: string;
  /** The SCIM id of the user in a list of the group; empty: it is about the resource itself. */
  readonly memberId: string;
}

/**
 * Lists subjects that automatic plans took something away from since then (epoch milliseconds), or are about to; each
 * once.
 */
export async function listHarmed(db: Db, since: number): Promise<HarmSubject[]> {
  const columns = sql`action.harm, action.resource_id as "resourceId", action.member_id as "memberId"`;
  const { rows } = await sql<HarmSubject>`
    select ${columns} from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.released_at > ${since} and action.harm is not null and plan.automatic = 1
    union
    select ${columns} from plans as plan
    join plan_actions as action on action.plan_id = plan.id and action.status = 'planned'
    where plan.status = 'approved' and plan.automatic = 1 and action.harm is not null`.execute(db);
  return rows;
}

/** Counts automatic repairs of the same user or group, or the same user in a group, since then. */
export async function countRepairs(
  db: Db,
  { resource_id, member_id }: Omit<ActionKey, 'kind'>,
  since: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct action.plan_id) as count from plan_actions as action
    join plans as plan on plan.id = action.plan_id
    where action.resource_id = ${resource_id} and action.member_id = ${member_id}
    and action.released_at > ${since} and action.status <> 'dropped' and plan.automatic = 1`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Counts the resources that each kind of harm could concern. */
export async function countPopulation(db: Db, harm: HarmKind): Promise<number> {
  const managed = sql`origin is not null and deleted_at is null`;
  const count = {
    deactivate: sql`select count(*) as count from users where active = 1 and ${managed}`,
    removeMember: sql`select count(*) as count from memberships where observed = 1
      and group_id in (select id from groups where ${managed})`,
    demoteAdmin: sql`select count(*) as count from group_admins where observed = 1
      and group_id in (select id from groups where ${managed})`,
    cutAccess: sql`select (select count(*) from users where ${managed}) + (select count(*) from groups where ${managed}) as count`,
    deleteGroup: sql`select count(*) as count from groups where ${managed}`,
  }[harm];
  const { rows } = await sql<{ count: number }>`${count}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/**
 * Forgets at most `limit` actions of plans that ended before `before` (epoch milliseconds), and those of the plans that
 * have none left; returns how many actions.
 */
export async function prunePlans(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const old = tx.selectFrom('plans').select('id').where('ended_at', '<', before);
  const actions = tx.selectFrom('plan_actions').select('id').where('plan_id', 'in', old);
  const some = actions.orderBy('id').limit(limit);
  const result = await tx.deleteFrom('plan_actions').where('id', 'in', some).executeTakeFirst();
  const left = tx.selectFrom('plan_actions').select('plan_id').where('plan_id', 'in', old);
  const done = tx.deleteFrom('plans').where('ended_at', '<', before);
  await done.where('id', 'not in', left).execute();
  return Number(result.numDeletedRows);
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
