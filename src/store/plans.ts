import type { Sql } from 'sql-template-tag';
import sql, { join } from 'sql-template-tag';
import type { HarmKind } from '../domain/change.ts';
import type { LinkList } from '../domain/link.ts';
import type { ActionStatus, PlanAction, PlanOrigin, PlanStatus } from '../domain/plan.ts';
import { HOLDING_SOURCES } from '../domain/plan.ts';
import { waits } from './engine/columns.ts';
import {
  allOf,
  execute,
  lockUntilCommit,
  readInChunks,
  readNumber,
  readParts,
  select,
} from './engine/dialect.ts';
import { readResources } from './resources/rows.ts';
import type { Db, ListPart } from './store.ts';
import type { Row } from './tables.ts';
import { insertAll } from './tables.ts';

/** A plan as stored. */
export type PlanRow = Row<'plans'>;

/** Has processes take turns at plans until the transaction ends: after `enterRules`, and before users and groups are locked. */
export const lockPlans = (tx: Db) => lockUntilCommit(tx, 'plans');

/** A plan that waits for an operator, with its number of changes that are still to be made. */
export type WaitingPlan = Pick<PlanRow, 'id' | 'source' | 'created_at' | 'reason'> & {
  readonly waiting: number;
};

/** Counts the changes of the plans that wait for an operator. */
export const countWaitingPlans = (db: Db) =>
  select<WaitingPlan>(db)`
    select plan.id, plan.source, plan.created_at, plan.reason,
      (select count(*) from plan_actions as action
        where action.plan_id = plan.id and action.status = 'planned') as waiting
    from plans as plan where plan.status = 'held' order by plan.seq`;

const hasAny = (statuses: readonly ActionStatus[]) =>
  sql`exists (select 1 from plan_actions where plan_id = plans.id and status in (${join(statuses)}))`;

/** Condition of plans of which nothing waits any more: a held one has lost every action that it had. */
const IS_OVER = sql`ended_at is null and (
  (status = 'held' and not ${hasAny(['planned'])} and ${hasAny(['done', 'dropped'])})
  or (status in ('approved', 'discarded') and not ${hasAny(['planned', 'released'])}))`;

/** True when `endOver` would end a plan. */
export const hasOver = async (db: Db) =>
  (await select(db)`select 1 from plans where ${IS_OVER} limit 1`).length > 0;

/** Ends the plans of which nothing waits any more, and returns them; a held one is discarded. `now` is epoch milliseconds. */
export const endOver = (tx: Db, now: number) =>
  select<PlanRow>(tx)`
    update plans set ended_at = ${now}, decided_at = coalesce(decided_at, ${now}),
      reason = case status when 'held' then 'nothing was left of it' else reason end,
      status = case status when 'approved' then 'applied' else 'discarded' end
    where ${IS_OVER} returning *`;

/** Action of a plan as stored; ids rise in the order of the plan. */
export type PlanActionRow = Row<'plan_actions'>;

/** Adds actions to a plan. */
export const insertPlanActions = (
  tx: Db,
  of: Pick<PlanActionRow, 'plan_id' | 'planned_at'>,
  actions: readonly PlanAction[],
) =>
  insertAll(
    tx,
    'plan_actions',
    actions.map(({ kind, resource_type, resource_id, member_id, desired, observed, harm }) => {
      const subject = { resource_type, resource_id, member_id };
      return { ...of, ...subject, kind, desired, observed, harm, status: 'planned' };
    }),
  );

/** Names of the subjects of a row that is about a user or group, or about a user in a group; null where the store has them no more. */
export type SubjectNames = Readonly<Record<'name' | 'member_name', string | null>>;

/** Columns of these names, of a row with `resource_id` and `member_id`. */
export const SUBJECT_NAMES = sql`(select name from resources where id = resource_id) as name,
  (select name from resources where id = member_id) as member_name`;

/** Condition of an action of a plan, both joined, that holds its change back. */
export const IS_HELD = sql`(action.status = 'planned' and plan.source in (${join(HOLDING_SOURCES)}))`;

/** An action that is not over, with what of its plan decides about it. */
export type OpenAction = PlanActionRow & {
  readonly plan_status: PlanStatus;
  readonly plan_source: PlanOrigin;
};

const selectActions = (db: Db, which: Sql) =>
  select<OpenAction>(db)`
    select action.*, plan.status as plan_status, plan.source as plan_source
    from plan_actions as action join plans as plan on plan.id = action.plan_id
    where ${which} order by action.id`;

/** Lists the changes of these users and groups that are held back until a plan is decided. */
export const listHeldChanges = (db: Db, resourceIds: readonly string[]) =>
  readInChunks(resourceIds, (some) =>
    selectActions(db, sql`${IS_HELD} and action.resource_id in (${join(some)})`),
  );

/** Lists the actions of a user or group that are planned or under way, of plans that are not over. */
export const listOpenActions = (db: Db, resourceId: string) =>
  selectActions(
    db,
    sql`action.resource_id = ${resourceId} and action.status in ('planned', 'released')
      and plan.ended_at is null`,
  );

/** Subject of an action. */
export type ActionKey = Pick<PlanActionRow, 'kind' | 'resource_id' | 'member_id'>;

/** Counts actions of a plan by their status. */
export async function countPlanActions(db: Db, planId: string): Promise<Map<ActionStatus, number>> {
  const rows = await select<{ status: ActionStatus; count: number }>(db)`
    select status, count(*) as count from plan_actions where plan_id = ${planId} group by status`;
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** An action for an operator. `first_seen_at`: of the drift that it repairs (epoch milliseconds); null: it repairs none. */
export type PlanActionView = PlanActionRow &
  SubjectNames & { readonly at: number; readonly first_seen_at: number | null };

/** The actions of a plan, in its order. */
export const listPlanActionViews = (
  db: Db,
  planId: string,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
) =>
  select<PlanActionView>(db)`
    select action.*, planned_at as at, ${SUBJECT_NAMES}, (select max(drift.first_seen_at) from drifts as drift
        where drift.resource_id = action.resource_id and drift.member_id = action.member_id
        and drift.change = action.kind and drift.first_seen_at <= plan.created_at
        and coalesce(drift.ended_at, plan.created_at) >= plan.created_at) as first_seen_at
    from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.plan_id = ${planId} and action.id > ${afterId} order by action.id limit ${limit}`;

/** Lists what automatic plans since then (epoch milliseconds) changed, or are about to change. */
export const listAutomaticChanges = (db: Db, since: number) =>
  selectActions(
    db,
    sql`plan.status in ('approved', 'applied') and plan.automatic = 1 and plan.decided_at > ${since}
      and action.status <> 'dropped'`,
  );

/** Counts the resources that each kind of harm could concern. */
export async function countPopulation(db: Db, harm: HarmKind): Promise<number> {
  const managed = sql`origin is not null and deleted_at is null`;
  const linked = (list: LinkList) => sql`select count(*) from links
    where observed = 1 and list = ${list} and group_id in (select seq from resources where ${managed})`;
  const counted: Readonly<Record<HarmKind, Sql>> = {
    deactivate: sql`select count(*) from resources where type = 'user' and active = 1 and ${managed}`,
    removeMember: linked('member'),
    demoteAdmin: linked('admin'),
    cutAccess: sql`select count(*) from resources where ${managed}`,
    deleteGroup: sql`select count(*) from resources where type = 'group' and ${managed}`,
  };
  return readNumber(db, counted[harm]);
}

/** Reads managed users and groups of which something waits, of all providers or of one, in order of creation, but for what is kept from the service. */
export async function* eachWaitingRow(db: Db, provider?: string) {
  const read = ({ afterSeq, limit }: ListPart) =>
    readResources(
      db,
      sql`seq > ${afterSeq} and origin is not null and staged is null
        and ${allOf([provider && sql`provider = ${provider}`])}
        and (${waits('cells')} or seq in (select group_id from links where pending is not null))
        order by seq limit ${limit}`,
    );
  for await (const rows of readParts(read)) yield* rows;
}

/** Has everything looked at before the next action, which is due for nothing that was tried before. */
export async function doubtEverything(tx: Db): Promise<void> {
  await execute(tx)`update resources set attempts = 0, failing_since = null, last_error = null,
    stuck_at = null, must_look = must_look + 1, due_at = null where origin is not null`;
}
