import { release } from '../../domain/cell.ts';
import { toChangeKey } from '../../domain/change.ts';
import { acceptRoles, isEntityField, toRoleText } from '../../domain/entity.ts';
import {
  GROUP_EXTENSION,
  GROUP_SCHEMA_URI,
  toExtension,
  USER_EXTENSION,
  USER_SCHEMA_URI,
  withSchemas,
} from '../../domain/extensions.ts';
import { userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { splitName } from '../../domain/name.ts';
import { type PlanAction, toPlace } from '../../domain/plan.ts';
import { followGroup, followUser, toRuledName } from '../../rules/follow.ts';
import { forgetRemoval } from '../../store/changes.ts';
import { changeDrifts, type DriftRow, toRepair } from '../../store/drifts.ts';
import {
  NOTHING_OPEN,
  parseCells,
  parseStored,
  toGroupColumns,
  toUserColumns,
} from '../../store/engine/columns.ts';
import {
  changeLinks,
  deleteAllLinks,
  desireLink,
  listLinkedUsers,
} from '../../store/links/links.ts';
import { touchGroupsOf } from '../../store/links/of-users.ts';
import type { PlanRow } from '../../store/plans.ts';
import { listByName } from '../../store/resources/find.ts';
import { type GroupRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import { isLinked, NO_IDS, toObservation } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import { type Current, findCurrent } from '../differences.ts';
import { isStillSo, toOwnPart } from './current.ts';

type DesireDeps = Pick<ProcessDeps, 'clock' | 'rules' | 'policy'>;

/** Change whose field or place has the value that is to be desired from now on. */
interface Desire extends Pick<PlanAction, 'kind' | 'memberId'> {
  readonly value: JsonValue;
}

/**
 * Makes a value the desired one, as another version that readers see; the provider's next write of it wins. It is not
 * pending: where the service does not hold it yet, the caller makes it so. The caller has entered the rules (`enterRules`,
 * `names`). False when the user or group is deleted, or another group has the name.
 */
export async function desire(
  tx: Db,
  deps: DesireDeps,
  row: ResourceRow,
  wanted: Desire,
): Promise<boolean> {
  const { kind, memberId, value } = wanted;
  if (row.deleted_at !== null) return false;
  const attributes = parseStored<JsonObject>(row.attributes);
  const changed = { ...attributes, ...toChange(attributes, wanted) };
  if (row.type === 'user') return save(tx, deps, row, { attributes: changed });
  const now = deps.clock.now();
  const place = toPlace({ kind, memberId, desired: value });
  if (place.kind === 'link') {
    const isWanted = isJsonObject(value) && value.present === true;
    const link = { list: place.list, userId: userId(memberId) };
    await desireLink(tx, row, link, isWanted);
    await saveVersion(tx, row, {}, now);
    if (place.list === 'admin') return true;
    const name = toRuledName(row);
    const news = { id: row.id, before: name, after: name, users: [link.userId] };
    await followGroup(tx, deps.rules, news, now);
    return true;
  }
  if (kind === 'group.create') return markGroupGone(tx, deps, row);
  if (!isEntityField(memberId)) return save(tx, deps, row, { attributes: changed });
  const roles = isJsonObject(value) && Array.isArray(value.roles) ? value.roles : [];
  const text = toRoleText(roles.filter((role) => typeof role === 'string'));
  const cells = JSON.stringify(acceptRoles(parseCells(row), memberId, text));
  await saveVersion(tx, row, { cells }, now);
  return true;
}

function toChange(attributes: JsonObject, { kind, value }: Desire): JsonObject {
  // The account is gone: a user that is to be inactive needs none.
  if (kind === 'user.create') return { active: false };
  if (!isJsonObject(value)) return {};
  const toExtended = (urn: string) => ({ [urn]: { ...toExtension(attributes, urn), ...value } });
  switch (kind) {
    case 'user.access':
      return toExtended(USER_EXTENSION);
    case 'group.permissions':
      return toExtended(GROUP_EXTENSION);
    case 'user.rename': {
      const name = typeof value.name === 'string' ? value.name : '';
      return { name: { ...splitName(name), formatted: name } };
    }
    case 'group.rename':
      return value;
    default:
      return { active: value.active === true };
  }
}

/** Stores attributes as another version, which the rules follow. False: another user or group has the name. */
async function save(
  tx: Db,
  { clock, rules }: DesireDeps,
  row: ResourceRow,
  { attributes, ...change }: { readonly attributes: JsonObject; readonly deleted_at?: null },
): Promise<boolean> {
  const columns =
    row.type === 'user'
      ? toUserColumns(withSchemas(USER_SCHEMA_URI, attributes))
      : toGroupColumns(withSchemas(GROUP_SCHEMA_URI, attributes));
  const named = await listByName(tx, row.type, columns.name_folded);
  if (named.some(({ id, origin }) => id !== row.id && origin !== null)) return false;
  const now = clock.now();
  await saveVersion(tx, row, { ...columns, ...change }, now);
  if (row.type === 'user') {
    await followUser(tx, rules, row.id, now);
    return true;
  }
  const [before, after] = [toRuledName(row), toRuledName({ ...row, ...columns, ...change })];
  const users = row.deleted_at === null ? [] : await listLinkedUsers(tx, row);
  await followGroup(tx, rules, { id: row.id, before, after, users }, now);
  return true;
}

function saveVersion(
  tx: Db,
  row: ResourceRow,
  change: Partial<ResourceRow>,
  now: number,
): Promise<void> {
  return updateRow(tx, row, { ...change, version: row.version + 1, modified_at: now });
}

/** Deletes a group that is gone and is not to come back. */
async function markGroupGone(tx: Db, deps: DesireDeps, row: GroupRow): Promise<true> {
  const now = deps.clock.now();
  const users = await listLinkedUsers(tx, row);
  const gone = { ...NOTHING_OPEN, ...NO_IDS, entities: null, observed: null, deleted_at: now };
  await saveVersion(tx, row, gone, now);
  const news = { id: row.id, before: toRuledName(row), after: undefined, users };
  await followGroup(tx, deps.rules, news, now);
  await deleteAllLinks(tx, row);
  return true;
}

/** Brings back what its provider deleted and the service keeps; without its name it is not managed any more. */
async function restore(
  tx: Db,
  deps: DesireDeps,
  row: ResourceRow,
  action: PlanAction,
): Promise<void> {
  const { memberId } = action;
  const place = toPlace(action);
  // A group that the bridge released keeps the member or entity, which is not the bridge's any more.
  if (row.type === 'group' && place.kind === 'link') {
    const which = { list: place.list, userIds: [userId(memberId)] };
    await changeLinks(tx, row, which, () => undefined);
    return;
  }
  if (isEntityField(memberId)) {
    const cells = JSON.stringify(release(parseCells<string>(row), [memberId]));
    return updateRow(tx, row, { cells });
  }
  const kept = parseStored<JsonObject>(row.attributes);
  const attributes = row.type === 'user' ? { ...kept, active: true } : kept;
  if (!(await save(tx, deps, row, { attributes, deleted_at: null })))
    return updateRow(tx, row, { ...NOTHING_OPEN, ...NO_IDS });
  if (row.type === 'user') await touchGroupsOf(tx, row.id, deps.clock.now());
}

/** Reason why a drift is left as it is. */
export const IS_CHANGED = 'The service holds something else by now.';

/**
 * Accepts the observed value as the desired one. The caller has entered the rules (`enterRules`, `names`). Returns the
 * reason why it is not accepted.
 */
export async function acceptDrift(
  tx: Db,
  deps: DesireDeps,
  drift: DriftRow,
): Promise<string | undefined> {
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: take it over instead.';
  const current = await findCurrent(
    tx,
    deps,
    { type: repair.type, id: repair.resourceId },
    { lock: true },
  );
  if (current === undefined || !isStillSo(current, repair)) return IS_CHANGED;
  if (!(await desire(tx, deps, current.row, { ...repair, value: repair.observed })))
    return 'It was deleted, or another group has its name.';
  await changeDrifts(tx, [drift], { status: 'accepted', ended_at: deps.clock.now() });
  return undefined;
}

/**
 * Makes what the service holds the desired state of a change of a discarded plan that held it back, so that no policy
 * makes the change after all. The caller has entered the rules.
 */
export async function acceptHeld(
  tx: Db,
  deps: DesireDeps,
  {
    plan,
    action,
    current: { row, changes },
  }: { readonly plan: PlanRow; readonly action: PlanAction; readonly current: Current },
): Promise<void> {
  if (action.kind.endsWith('.create') && isStillMissing(row, plan)) {
    await desire(tx, deps, row, { ...action, value: null });
    return;
  }
  const known = changes.get(toChangeKey(action));
  if (known === undefined) return;
  if (row.type === 'user') await forgetRemoval(tx, row, row.version);
  if (row.deleted_at !== null) return restore(tx, deps, row, action);
  await desire(tx, deps, row, { ...action, value: toOwnPart(known.observed, action.desired) });
}

/** True for a user or group that the service had, and that the read for the plan did not show. */
function isStillMissing(row: ResourceRow, { created_at: readSince }: PlanRow): boolean {
  const seenAt = toObservation(row)?.at ?? 0;
  return row.deleted_at === null && isLinked(row) && seenAt < readSince;
}
