import { release } from '../../domain/cell.ts';
import { toChangeKey } from '../../domain/change.ts';
import { isEntityField } from '../../domain/entity.ts';
import { withSchemas } from '../../domain/extensions.ts';
import { userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type PlanAction, toPlace } from '../../domain/plan.ts';
import { GROUP_SCHEMA_URI, USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { followGroup, followUser, toRuledName } from '../../rules/follow.ts';
import { forgetRemoval } from '../../store/changes.ts';
import { type DriftRow, endDrifts, toRepair } from '../../store/drifts.ts';
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
import type { PlanRow } from '../../store/plans/plans.ts';
import {
  isLinked,
  isUserRow,
  type ResourceRow,
  toObservation,
} from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listUsersByName, type UserRow, updateUser } from '../../store/users/users.ts';
import type { ProcessDeps } from '../deps.ts';
import { type Current, isStillSo, lockCurrent, toOwnPart } from './current.ts';
import { desire } from './desire.ts';

/** Dependencies of accepting. */
type AcceptDeps = Pick<ProcessDeps, 'clock' | 'rules' | 'policy'>;

/** Reason why a drift is left as it is. */
export const IS_CHANGED = 'The service holds something else by now.';

/**
 * Accepts the observed value as the desired one. The caller has entered the rules (`enterRules`, `names`). Returns the
 * reason why it is not accepted.
 */
export async function acceptDrift(
  tx: Db,
  deps: AcceptDeps,
  drift: DriftRow,
): Promise<string | undefined> {
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: take it over instead.';
  const current = await lockCurrent(tx, deps, { type: repair.type, id: repair.resourceId });
  if (current === undefined || !isStillSo(current, repair)) return IS_CHANGED;
  if (!(await desire(tx, deps, current, { ...repair, value: repair.observed })))
    return 'It was deleted, or another group has its name.';
  await endDrifts(tx, [drift], { status: 'accepted', now: deps.clock.now() });
  return undefined;
}

/**
 * Makes what the service holds the desired state of a change of a discarded plan that held it back, so that no policy
 * makes the change after all. The caller has entered the rules.
 */
export async function acceptHeld(
  tx: Db,
  deps: AcceptDeps,
  {
    plan,
    action,
    current,
  }: { readonly plan: PlanRow; readonly action: PlanAction; readonly current: Current },
): Promise<void> {
  const { row, changes } = current;
  if (action.kind.endsWith('.create') && isStillMissing(row, plan)) {
    await desire(tx, deps, current, { ...action, value: null });
    return;
  }
  const known = changes.get(toChangeKey(action));
  if (known === undefined) return;
  if (isUserRow(row)) await forgetRemoval(tx, row, row.version);
  if (row.deleted_at !== null) return restore(tx, deps, row, action);
  const value = toOwnPart(known.observed, action.desired);
  await desire(tx, deps, current, { ...action, value });
}

/** True for a user or group that the service had, and that the read for the plan did not show. */
function isStillMissing(row: ResourceRow, { created_at: readSince }: PlanRow): boolean {
  const seenAt = toObservation(row)?.at ?? 0;
  return row.deleted_at === null && isLinked(row) && seenAt < readSince;
}

/** Brings back what its provider deleted and the service keeps. */
async function restore(
  tx: Db,
  deps: AcceptDeps,
  row: ResourceRow,
  action: PlanAction,
): Promise<void> {
  if (isUserRow(row)) return restoreUser(tx, deps, row);
  const { memberId } = action;
  const place = toPlace(action);
  // A group that the bridge released keeps the member or entity, which is not the bridge's any more.
  if (place.kind === 'link') return deleteLinks(tx, place.list, row.id, [userId(memberId)]);
  if (isEntityField(memberId)) {
    const cells = release(parseCells<string>(row), [memberId]);
    return updateGroup(tx, row.id, { cells: JSON.stringify(cells) });
  }
  return restoreGroup(tx, deps, row);
}
/** Brings back a deleted user whose account stays active; without its name it is not managed any more. */
async function restoreUser(tx: Db, { clock, rules }: AcceptDeps, row: UserRow): Promise<void> {
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
async function restoreGroup(tx: Db, { clock, rules }: AcceptDeps, row: GroupRow): Promise<void> {
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
