import { release, withEcho } from '../../domain/cell.ts';
import type { ChangeKind } from '../../domain/change.ts';
import { findWantedRoles, isEntityField, toRoleText } from '../../domain/entity.ts';
import { toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import type { OwnField } from '../../domain/kinds.ts';
import { isLinked } from '../../domain/kinds.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { toPlace } from '../../domain/plan.ts';
import type { JsonObject, UserId } from '../../domain/values.ts';
import { isJsonObject, parseFields } from '../../domain/values.ts';
import { withField } from '../../domain/write.ts';
import { followGroup, followUser, ruleGroups, toRuledName } from '../../rules/follow.ts';
import { findGroupPrivilege, ruleLinks } from '../../rules/rules.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { changeDrifts, toRepair } from '../../store/drifts.ts';
import { NOTHING_OPEN, toColumns } from '../../store/engine/columns.ts';
import { deleteAllLinks, desireLink, listLinkedUsers } from '../../store/links/links.ts';
import type { OpenAction } from '../../store/plans.ts';
import type { ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { findRow, getRow, LIVE, listRows, updateRow } from '../../store/resources/rows.ts';
import { NO_IDS, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import type { Current } from '../differences.ts';
import { findNow, isStillSo, lockCurrent } from '../differences.ts';

const NO_ADDRESS =
  'The provider gives no e-mail address, which a new account needs: have it send one, or accept that the person is inactive.';

/** Finds the reason why no account can be made for a user; undefined when one can. */
export function findAccountObstacle(row: UserRow): string | undefined {
  return toUserState(row).desired.address === undefined ? NO_ADDRESS : undefined;
}

/** Finds the reason why a repair can not be made: who is protected loses nothing, but may leave an ordinary group. */
export async function findObstacle(
  tx: Db,
  { rules }: Pick<ProcessDeps, 'rules'>,
  { kind, harm, resource_type: type, resource_id, member_id }: PlanAction,
): Promise<string | undefined> {
  const isOfMember = harm === 'removeMember' || harm === 'demoteAdmin';
  const row = await findRow(
    tx,
    isOfMember ? { type: 'user', id: member_id } : { type, id: resource_id },
  );
  if (row === undefined) return undefined;
  if (kind === 'user.create' && row.type === 'user') return findAccountObstacle(row);
  if (harm === null) return undefined;
  if (!isOfMember) return rules.protection.findReason(tx, row);
  const reason = row.type === 'user' ? await rules.protection.findPrivilege(tx, row) : undefined;
  if (reason === undefined || harm === 'demoteAdmin') return reason;
  const group = await getRow(tx, { type: 'group', id: resource_id });
  return (await findGroupPrivilege(tx, { rules }, group)) === undefined ? undefined : reason;
}

/**
 * Makes a value the desired one, after `enterRules`; nothing waits for the service. What its provider deleted comes back
 * if the value is of its own fields. False: another one has its name.
 */
export async function desire(
  tx: Db,
  deps: ProcessDeps,
  row: ResourceRow,
  change: Pick<PlanAction, 'kind' | 'member_id' | 'desired'>,
): Promise<boolean> {
  const { kind, member_id, desired } = change;
  const value = isJsonObject(desired) ? desired : {};
  const place = toPlace(change);
  if (place.kind === 'link' && row.type === 'group') {
    const isWanted = value.present === true;
    const news = { groupId: row.id, users: [place.userId], now: deps.clock.now() };
    // Whom rules want is not wanted by name.
    if (isWanted && row.deleted_at === null) await ruleLinks(tx, deps.rules, place.list, news);
    await desireLink(tx, row, place, isWanted);
    return saveVersion(tx, deps, row, {}, place.list === 'admin' ? [] : [place.userId]);
  }
  if (isEntityField(member_id)) {
    const roles = Array.isArray(value.roles) ? value.roles : [];
    const text = toRoleText(roles.filter((role) => typeof role === 'string'));
    const all = row.cells;
    const sent = findWantedRoles(all[member_id]);
    // They stand for the wanted ones until the rules want others. What no rule wants is released.
    const cells = sent ? withEcho(all, member_id, { sent, back: text }) : release(all, [member_id]);
    return saveVersion(tx, deps, row, { cells });
  }
  if (kind === 'group.create') {
    // It is gone and is not to come back.
    const users = await listLinkedUsers(tx, row);
    const gone = { ...NOTHING_OPEN, ...NO_IDS, entities: null, observed: null };
    await saveVersion(tx, deps, row, { ...gone, deleted_at: deps.clock.now() }, users);
    await deleteAllLinks(tx, row);
    return true;
  }
  return saveAttributes(tx, deps, row, toAttributes(deps, kind, value, row.attributes));
}

function toAttributes(
  { policy }: ProcessDeps,
  kind: ChangeKind,
  value: JsonObject,
  before: JsonObject,
): JsonObject {
  // Of a create the account is gone: a user that is to be inactive needs none.
  const given = kind === 'user.create' ? { active: false, ...value } : value;
  const isSuspended = toExtension(before, USER_EXTENSION).temporarilyInactive === true;
  const isSwitch = policy.deactivation === 'temporarilyInactive';
  // Where suspending deactivates, nobody works whose suspension is wanted.
  const resumes = given.active === true && isSuspended && isSwitch;
  const values = resumes ? { ...given, temporarilyInactive: false } : given;
  return parseFields<OwnField>(values).reduce(
    (next, field) => withField(next, field, values[field]),
    before,
  );
}

/** False: another user or group has the name. */
async function saveAttributes(tx: Db, deps: ProcessDeps, row: ResourceRow, attributes: JsonObject) {
  const columns = toColumns(row.type, attributes);
  const { name_folded } = columns;
  const named: readonly ResourceRow[] = await listRows(tx, row.type, { name_folded, ...LIVE });
  if (named.some(({ id, origin }) => id !== row.id && origin !== null)) return false;
  const users = row.type === 'group' ? await listLinkedUsers(tx, row) : [];
  return saveVersion(tx, deps, row, { ...columns, deleted_at: null }, users);
}

/** `users`: members of a group that the rules follow. */
async function saveVersion(
  tx: Db,
  { clock, rules }: ProcessDeps,
  row: ResourceRow,
  change: Partial<ResourceRow>,
  users: readonly UserId[] = [],
): Promise<true> {
  const now = clock.now();
  await updateRow(tx, row, { ...change, version: row.version + 1, modified_at: now });
  if (row.type === 'user') await followUser(tx, rules, row.id, now);
  else {
    const names = { before: toRuledName(row), after: toRuledName({ ...row, ...change }) };
    if (names.before !== names.after) await ruleGroups(tx, rules, [row.id], now);
    await followGroup(tx, rules, { id: row.id, ...names, users }, now);
  }
  return true;
}

/** Reason why a drift is left as it is. */
export const IS_CHANGED = 'The service holds something else by now.';

/** Accepts the observed value, in a transaction that has entered the rules (`names`). Returns the reason why not. */
export async function acceptDrift(tx: Db, deps: ProcessDeps, drift: DriftRow) {
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: take it over instead.';
  const { resource_type: type, resource_id: id, observed: desired } = repair;
  const current = await lockCurrent(tx, deps, { type, id });
  if (current === undefined || !isStillSo(current, repair)) return IS_CHANGED;
  const { row } = current;
  if (row.deleted_at !== null || !(await desire(tx, deps, row, { ...repair, desired })))
    return 'It was deleted, or another group has its name.';
  await changeDrifts(tx, [drift], { status: 'accepted', ended_at: deps.clock.now() });
  return undefined;
}

/** Accepts what the service holds instead of a change that a discarded plan held back, so that no policy makes it after all. */
export async function acceptHeld(
  tx: Db,
  deps: ProcessDeps,
  current: Current,
  action: OpenAction,
): Promise<void> {
  const { row } = current;
  const seenAt = row.observed?.at ?? 0;
  // The service had it, and the read for the plan did not show it.
  const isMissing = row.deleted_at === null && isLinked(row) && seenAt < action.planned_at;
  const isCreate = action.kind.endsWith('.create');
  if (isCreate && !isMissing) return;
  const desired = isCreate ? null : findNow(current, action)?.observed;
  if (desired === undefined) return;
  if (row.type === 'user') await updateRow(tx, row, { asked_kind: null });
  await desire(tx, deps, row, { ...action, desired });
}
