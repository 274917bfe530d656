import { type RawBuilder, sql } from 'kysely';
import { listWaiting, onlyWaiting } from '../domain/cell.ts';
import { CHANGES, type ChangeKind, FIELD_CHANGES, type HarmKind } from '../domain/change.ts';
import { isEntityField } from '../domain/entity.ts';
import type { GroupField, UserField } from '../domain/kinds.ts';
import type { LinkKey, LinkList } from '../domain/link.ts';
import {
  type ActionStatus,
  HOLDING_SOURCES,
  type PlanAction,
  type PlanOrigin,
} from '../domain/plan.ts';
import type { JsonValue } from '../domain/values.ts';
import { parseCells, parseStored, waits } from './engine/columns.ts';
import { lockUntilCommit, readInChunks, readNumber, select } from './engine/dialect.ts';
import type { ResourceRow } from './resources/rows.ts';
import type { Db } from './store.ts';
import { findOne, insertAll, type Row, updateWhere } from './tables.ts';

/** A plan as stored. */
export type PlanRow = Row<'plans'>;

/** Has processes take turns at plans until the transaction ends: after `enterRules`, and before users and groups are locked. */
export const lockPlans = (tx: Db) => lockUntilCommit(tx, 'plans');

/** Locks plans, and finds the one of these sources that waits: nobody decides about it meanwhile. */
export async function lockHeld(
  tx: Db,
  sources: readonly PlanOrigin[],
): Promise<PlanRow | undefined> {
  await lockPlans(tx);
  return findOne(tx, 'plans', { status: 'held', source: sources });
}

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

/** Lists plans that are not over although nothing of them waits: a held one has lost every action that it had. */
export function listOver(db: Db): Promise<PlanRow[]> {
  const hasAny = (statuses: readonly ActionStatus[]) =>
    sql`exists (select 1 from plan_actions where plan_id = plans.id and status in (${sql.join(statuses)}))`;
  return select<PlanRow>(db)`select * from plans where ended_at is null and (
    (status = 'held' and not ${hasAny(['planned'])} and ${hasAny(['done', 'dropped'])})
    or (status in ('approved', 'discarded') and not ${hasAny(['planned', 'released'])}))`;
}

/** Action of a plan as stored; ids rise in the order of the plan. */
export type PlanActionRow = Row<'plan_actions'>;

/** Adds actions to a plan. `now` is epoch milliseconds. */
export const insertPlanActions = (
  tx: Db,
  { id, now }: { readonly id: string; readonly now: number },
  actions: readonly PlanAction[],
) =>
  insertAll(
    tx,
    'plan_actions',
    actions.map((action) => ({
      ...toChangeColumns(action),
      plan_id: id,
      kind: action.kind,
      harm: action.harm ?? null,
      status: 'planned',
      planned_at: now,
    })),
  );

interface Change extends Pick<PlanAction, 'type' | 'resourceId' | 'memberId'> {
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}

/** The columns of a change. */
export function toChangeColumns({ type, resourceId, memberId, desired, observed }: Change) {
  return {
    resource_type: type,
    resource_id: resourceId,
    member_id: memberId,
    desired: JSON.stringify(desired),
    observed: JSON.stringify(observed),
  };
}

/** Parses the columns of a change. */
export const parseChange = (
  row: Pick<PlanActionRow, keyof ReturnType<typeof toChangeColumns>>,
): Change => ({
  type: row.resource_type,
  resourceId: row.resource_id,
  memberId: row.member_id,
  desired: parseStored<JsonValue>(row.desired),
  observed: parseStored<JsonValue>(row.observed),
});

/** Parses the stored form of an action. */
export const toAction = (row: PlanActionRow): PlanAction => ({
  ...parseChange(row),
  kind: row.kind,
  harm: row.harm ?? undefined,
});

/** Names of the subjects of a row that is about a user or group, or about a user in a group; null where the store has them no more. */
export type SubjectNames = Readonly<Record<'name' | 'member_name', string | null>>;

/** Columns of these names, of a row with `resource_id` and `member_id`. */
export const SUBJECT_NAMES = sql`(select name from resources where id = resource_id) as name,
  (select name from resources where id = member_id) as member_name`;

/** Condition of an action of a plan, both joined, that holds its change back. */
const IS_HELD = sql`(action.status = 'planned' and plan.source in (${sql.join(HOLDING_SOURCES)}))`;

const selectActions = (db: Db, which: RawBuilder<unknown>) =>
  select<PlanActionRow>(db)`
    select action.* from plan_actions as action join plans as plan on plan.id = action.plan_id
    where ${which}`;

/** Lists the changes of these users and groups that are held back until a plan is decided. */
export const listHeldChanges = (
  db: Db,
  resourceIds: readonly string[],
): Promise<readonly ActionKey[]> =>
  readInChunks(resourceIds, (some) =>
    selectActions(db, sql`${IS_HELD} and action.resource_id in (${sql.join(some)})`),
  );

/** Lists the actions of a user or group that are released, or held back by a plan that waits. */
export const listOpenActions = (db: Db, resourceId: string) =>
  selectActions(
    db,
    sql`action.resource_id = ${resourceId}
      and (action.status = 'released' or (plan.status = 'held' and ${IS_HELD})) order by action.id`,
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
  SubjectNames & { readonly first_seen_at: number | null };

/** The actions of a plan, in its order. */
export function listPlanActionViews(
  db: Db,
  planId: string,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<PlanActionView[]> {
  return select<PlanActionView>(db)`
    select action.*, ${SUBJECT_NAMES}, (select max(drift.first_seen_at) from drifts as drift
        where drift.resource_id = action.resource_id and drift.member_id = action.member_id
        and drift.change = action.kind and drift.first_seen_at <= plan.created_at
        and coalesce(drift.ended_at, plan.created_at) >= plan.created_at) as first_seen_at
    from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.plan_id = ${planId} and action.id > ${afterId} order by action.id limit ${limit}`;
}

/** Lists what automatic plans changed since then (epoch milliseconds), or are about to change. */
export async function listAutomaticChanges(db: Db, since: number): Promise<PlanActionRow[]> {
  return select<PlanActionRow>(db)`
    select action.* from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.released_at > ${since} and plan.automatic = 1
    union
    select action.* from plans as plan
    join plan_actions as action on action.plan_id = plan.id and action.status = 'planned'
    where plan.status = 'approved' and plan.automatic = 1`;
}

/** Counts the resources that each kind of harm could concern. */
export async function countPopulation(db: Db, harm: HarmKind): Promise<number> {
  const managed = sql`origin is not null and deleted_at is null`;
  const linked = (list: LinkList) => sql`select count(*) from links
    where observed = 1 and list = ${list} and group_id in (select seq from resources where ${managed})`;
  const counted: Readonly<Record<HarmKind, RawBuilder<unknown>>> = {
    deactivate: sql`select count(*) from resources where type = 'user' and active = 1 and ${managed}`,
    removeMember: linked('member'),
    demoteAdmin: linked('admin'),
    cutAccess: sql`select count(*) from resources where ${managed}`,
    deleteGroup: sql`select count(*) from resources where type = 'group' and ${managed}`,
  };
  return readNumber(db, counted[harm]);
}

/** Ends all that waits, and has everything looked at before the next action. Returns the changes that may have waited, without values. */
export async function holdEverything(tx: Db): Promise<PlanAction[]> {
  const held = await holdFields(tx);
  // A repair that waited is held like everything else.
  await updateWhere(tx, 'drifts', { status: 'repairing' }, { status: 'open', plan_id: null });
  const rows = await select<LinkKey & { groupId: string; desired: number }>(tx)`
    update links set pending = null, retry_at = null, attempts = 0 where pending is not null
    returning list, desired, (select id from resources where seq = group_id) as "groupId",
      (select id from resources where seq = target) as "userId"`;
  for (const { list, groupId, userId, desired } of rows) {
    const kind = `${list}.${desired === 1 ? 'add' : 'remove'}` as const;
    held.push({ ...UNKNOWN, kind, type: 'group', resourceId: groupId, memberId: userId });
  }
  return held;
}

async function holdFields(tx: Db): Promise<PlanAction[]> {
  await sql`update resources set attempts = 0, failing_since = null, last_error = null,
    stuck_at = null, must_look = must_look + 1, due_at = null where origin is not null`.execute(tx);
  const rows = await select<Pick<ResourceRow, 'type' | 'id' | 'cells'>>(tx)`
    select type, id, cells from resources where origin is not null and ${waits('cells')}`;
  const held: PlanAction[] = [];
  for (const { type, id, ...row } of rows) {
    const cells = parseCells<UserField | GroupField>(row);
    for (const field of listWaiting(cells)) {
      const place = { type, resourceId: id, memberId: isEntityField(field) ? field : '' };
      held.push(...listKinds(field).map((kind) => ({ ...UNKNOWN, kind, ...place })));
    }
    const left = JSON.stringify(onlyWaiting(cells, []));
    await sql`update resources set cells = ${left} where id = ${id}`.execute(tx);
  }
  return held;
}

const UNKNOWN = { desired: null, observed: null, harm: undefined } as const;

/** Lists the changes by which a plan may have the service hold a field: userName and address are changed by none. */
function listKinds(field: UserField | GroupField): readonly ChangeKind[] {
  if (isEntityField(field)) return ['entity.add', 'entity.change', 'entity.remove'];
  const [on, off = on] = FIELD_CHANGES[field];
  return CHANGES[on].repairs === undefined ? [] : [...new Set([on, off])];
}
