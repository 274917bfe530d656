import { release } from '../../domain/cell.ts';
import { isEntityField } from '../../domain/entity.ts';
import { withSchemas } from '../../domain/extensions.ts';
import { userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isOfRecovery } from '../../domain/plan.ts';
import { GROUP_SCHEMA_URI, USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { enterRules, followGroup, followUser, toRuledName } from '../../rules/follow.ts';
import { forgetRemoval } from '../../store/changes.ts';
import {
  HANDED_OVER,
  parseCells,
  parseStored,
  toGroupColumns,
  toUserColumns,
} from '../../store/engine/columns.ts';
import { type GroupRow, listGroupsByName, updateGroup } from '../../store/groups/groups.ts';
import { deleteLinks } from '../../store/links/links.ts';
import { listLinkedUsers, touchGroupsOf } from '../../store/links/shown.ts';
import {
  countPlanActions,
  listOvertakenActions,
  listPlanActions,
  type PlanActionRow,
  renewPlanActions,
  updatePlanActions,
} from '../../store/plans/actions.ts';
import {
  discardEmpty,
  lockHeldPlanOf,
  lockPlan,
  type PlanRow,
  updatePlan,
} from '../../store/plans/plans.ts';
import { isLinked, isUserRow, toObservation } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listUsersByName, type UserRow, updateUser } from '../../store/users/users.ts';
import { tellPlan } from '../add-plan.ts';
import { type Current, checkRepair, lockCurrent, toKey, toOwnPart, toPlace } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { desire } from './desire.ts';
import { RECOVERY } from './recovery-state.ts';

/** Actions of one transaction. */
const PART = 200;

/**
 * Makes what the service holds the desired state for every change of a discarded plan that held it back, so that no
 * policy makes the change after all. After a crash the next leader goes on.
 */
export async function acceptDiscarded(deps: DriftDeps, plan: PlanRow): Promise<void> {
  while (await acceptPart(deps, plan));
  // Rules may derive changes of others from what was accepted.
  deps.notify();
  const ended_at = deps.clock.now();
  await deps.store.write((tx) => updatePlan(tx, plan.id, { ended_at }));
}

async function acceptPart(deps: DriftDeps, plan: PlanRow): Promise<boolean> {
  const { id } = plan;
  return deps.store.write(async (tx) => {
    await lockPlan(tx, id);
    await enterRules(tx, deps.rules, 'names');
    const query = { status: 'planned', afterId: 0, limit: PART } as const;
    const actions = await listPlanActions(tx, id, query);
    for (const action of actions) await acceptState(tx, deps, { plan, action });
    const ids = actions.map((action) => action.id);
    await updatePlanActions(tx, ids, { status: 'dropped' });
    return actions.length > 0;
  });
}

/** Makes what the service holds the desired state of one field or one place in a list. */
async function acceptState(
  tx: Db,
  deps: DriftDeps,
  { plan, action }: { plan: PlanRow; action: PlanActionRow },
): Promise<void> {
  const current = await lockCurrent(tx, deps, action);
  if (current === undefined) return;
  const { kind, member_id: memberId } = action;
  if (isStillMissing(current, { plan, action })) {
    await desire(tx, deps, current, { kind, memberId, value: null });
    return;
  }
  const difference = current.differences.get(toKey(action));
  if (difference === undefined) return;
  if (isUserRow(current.row)) {
    await forgetRemoval(tx, current.row, current.row.version);
  }
  if (current.row.deleted_at !== null) return acceptDeleted(tx, deps, { current, action });
  const value = toOwnPart(difference.observed, parseStored(action.desired));
  await desire(tx, deps, current, { kind, memberId, value });
}

/** True for a user or group that the service had, and that the read for the plan did not show. */
function isStillMissing(
  { row }: Current,
  { plan, action }: { plan: PlanRow; action: PlanActionRow },
): boolean {
  if (!action.kind.endsWith('.create') || row.deleted_at !== null) return false;
  return isLinked(row) && (toObservation(row)?.at ?? 0) < plan.created_at;
}

/** Brings back what its provider deleted and the service keeps. */
async function acceptDeleted(
  tx: Db,
  deps: DriftDeps,
  { current: { row }, action }: { current: Current; action: PlanActionRow },
): Promise<void> {
  if (isUserRow(row)) return restoreUser(tx, deps, row);
  const { kind, member_id: memberId } = action;
  const place = toPlace({ kind, memberId, desired: parseStored(action.desired) });
  // A group that the bridge released keeps the member or entity, which is not the bridge's any more.
  if (place.kind === 'link') {
    return deleteLinks(tx, place.list, row.id, [userId(memberId)]);
  }
  if (isEntityField(memberId)) {
    const cells = release(parseCells<string>(row), [memberId]);
    return updateGroup(tx, row.id, { cells: JSON.stringify(cells) });
  }
  return restoreGroup(tx, deps, row);
}

/** Brings back a deleted user whose account stays active; without its name it is not managed any more. */
async function restoreUser(tx: Db, { clock, rules }: DriftDeps, row: UserRow): Promise<void> {
  const now = clock.now();
  const named = await listUsersByName(tx, row.user_name_folded);
  if (named.some(({ id, origin }) => id !== row.id && origin !== null)) {
    return updateUser(tx, row.id, { ...HANDED_OVER, upstream_id: null });
  }
  const attributes = { ...parseStored<JsonObject>(row.attributes), active: true };
  const columns = toUserColumns(withSchemas(USER_SCHEMA_URI, attributes));
  const change = { deleted_at: null, version: row.version + 1, modified_at: now };
  await updateUser(tx, row.id, { ...columns, ...change });
  await touchGroupsOf(tx, row.id, now);
  await followUser(tx, rules, row.id, now);
}

/** Brings back a deleted group that stays in the service; without its name it is not managed any more. */
async function restoreGroup(tx: Db, { clock, rules }: DriftDeps, row: GroupRow): Promise<void> {
  const now = clock.now();
  const named = await listGroupsByName(tx, row.display_name_folded);
  if (named.some(({ id, origin }) => id !== row.id && origin !== null)) {
    const ids = { upstream_scim_id: null, upstream_rest_id: null, upstream_uid: null };
    return updateGroup(tx, row.id, { ...HANDED_OVER, ...ids });
  }
  const columns = toGroupColumns(
    withSchemas(GROUP_SCHEMA_URI, parseStored<JsonObject>(row.attributes)),
  );
  const change = { ...columns, deleted_at: null, version: row.version + 1, modified_at: now };
  await updateGroup(tx, row.id, change);
  const users = await listLinkedUsers(tx, row.id);
  const after = toRuledName({ ...row, ...change });
  await followGroup(tx, rules, { id: row.id, before: undefined, after, users }, now);
}

/**
 * Drops held changes that a provider has taken back, or that the service has made itself since: a waiting plan shrinks,
 * and its hash stays. A plan of which nothing is left is discarded.
 */
export async function dropOvertaken(deps: DriftDeps): Promise<void> {
  const { store, clock, events } = deps;
  if ((await listOvertakenActions(store.read, 1)).length === 0) return;
  const over = await store.write(async (tx) => {
    // Before the users and groups, as all who make plans do.
    await lockHeldPlanOf(tx, 'provider');
    const actions = await listOvertakenActions(tx, PART);
    const now = clock.now();
    const dropped: PlanActionRow[] = [];
    for (const action of actions) {
      const current = await lockCurrent(tx, deps, action);
      const state = current === undefined ? 'gone' : await checkRepair(tx, current, action);
      if (state === 'done' || state === 'gone') dropped.push(action);
      if (state === 'differs') await renewPlanActions(tx, [action.id], now);
    }
    await updatePlanActions(
      tx,
      dropped.map(({ id }) => id),
      { status: 'dropped' },
    );
    return discardEmpty(tx, new Set(dropped.map(({ plan_id }) => plan_id)), now);
  });
  for (const plan of over) {
    tellPlan(events, plan, 0);
    await endRecoveryOf(deps, plan);
  }
}

/** Ends the recovery that a plan was made for, if it was: nothing of it is held any more. */
export async function endRecoveryOf(
  deps: DriftDeps,
  { id, source, status }: PlanRow,
): Promise<void> {
  if (!isOfRecovery(source)) return;
  const { store, events } = deps;
  const released = await store.write(async (tx) => {
    const state = await RECOVERY.find(tx);
    if (state?.phase !== 'waiting' || state.planId !== id) return undefined;
    await RECOVERY.delete(tx);
    return (await countPlanActions(tx, id)).get('released') ?? 0;
  });
  if (released === undefined) return;
  events.recovery({ phase: 'over', code: status, actions: released });
  store.bell.ring('decided');
}
