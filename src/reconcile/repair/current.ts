import { isWaiting } from '../../domain/cell.ts';
import {
  findRepair,
  getChangeRow,
  listChangedFields,
  listHarms,
  toChangeKey,
} from '../../domain/change.ts';
import type { Difference } from '../../domain/drift.ts';
import { isEntityField } from '../../domain/entity.ts';
import type { GroupField } from '../../domain/group.ts';
import { groupId, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import type { Deactivation, UserField } from '../../domain/user.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { hasWaiting, parseCells, parseStored } from '../../store/engine/columns.ts';
import {
  findGroupByUpstream,
  type GroupRow,
  hasUpstreamIds,
  toUpstreamIds,
} from '../../store/groups/groups.ts';
import {
  type DifferingLink,
  type LinkTable,
  listDifferingLinks,
  listLinks,
} from '../../store/links/links.ts';
import type { ActionKey } from '../../store/plans/actions.ts';
import { findRow, isUserRow, lockRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listUsersOfAccount, type UserRow } from '../../store/users/users.ts';
import { compareGroup, listEntityDifferences, toLinkDifference } from '../compare/compare-group.ts';
import { compareUser } from '../compare/compare-user.ts';
import { type Comparison, toCompared, toDifference } from '../compare/comparison.ts';
import type { ReconcileDeps } from '../deps.ts';
import { seenByLook } from '../read/reading.ts';

/** Locked user or group with all its known differences, by the changes that would end them. */
export interface Current {
  readonly row: ResourceRow;
  readonly differences: ReadonlyMap<string, Difference>;
}

/** Columns of a row at rest: a release is compared with what is known, whoever works on the row. */
const AT_REST = { in_flight: 0, must_look: 0 } as const;

/** User or group that a drift or an action of a plan is about. */
type About = Pick<DriftRow, 'resource_type' | 'resource_id'>;

/** Locks a user or group and compares it; undefined when the store no longer has it. */
export async function lockCurrent(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { resource_type: type, resource_id: id }: About,
): Promise<Current | undefined> {
  const row = await lockRow(tx, { type, id });
  return row && compareKnown(tx, row, policy.deactivation);
}

/** Compares a user or group without locking it; undefined when the store no longer has it. */
export async function findCurrent(
  db: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { resource_type: type, resource_id: id }: About,
): Promise<Current | undefined> {
  const row = await findRow(db, { type, id });
  return row && compareKnown(db, row, policy.deactivation);
}

function compareKnown(db: Db, row: ResourceRow, deactivation: Deactivation): Promise<Current> {
  return isUserRow(row) ? compareKnownUser(db, row, deactivation) : compareKnownGroup(db, row);
}

/** Compares a user with what is known of the service, whenever that was seen. */
export async function compareKnownUser(
  tx: Db,
  row: UserRow,
  deactivation: Deactivation,
): Promise<Current> {
  const none = { row, differences: new Map() };
  if (row.deleted_at !== null) {
    if (await hasSuccessor(tx, row)) return none;
    // Nothing was ever seen of the account, so it is taken to work.
    if (row.observed === null && row.upstream_id !== null && !hasWaiting(row)) {
      const values = { desired: { active: false }, observed: { active: true } };
      const removal = toDifference('user.activated', row.id, values);
      return { row, differences: toMap(toCompared([removal])) };
    }
  }
  const seen = { ...seenByLook(0), deactivation };
  return { row, differences: toMap(compareUser({ ...row, ...AT_REST }, seen)) };
}

/** Compares a group and its lists with what is known of the service, whenever that was seen. */
export async function compareKnownGroup(tx: Db, row: GroupRow): Promise<Current> {
  if (row.origin === null) return { row, differences: new Map() };
  if (row.deleted_at !== null) return compareDeletedGroup(tx, row);
  const links = await listDifferingLinks(tx, row.id);
  // A group that is to be made comes with its lists, and with its entities.
  if (!hasUpstreamIds(row)) return { row, differences: toListMap(row, links) };
  const seen = { ...seenByLook(0), deactivation: 'scim' } as const;
  return { row, differences: toMap(compareGroup({ ...row, ...AT_REST }, links, seen)) };
}

/** True when another user has the account of a deleted one by now. */
async function hasSuccessor(tx: Db, { id, upstream_id }: UserRow): Promise<boolean> {
  const users = upstream_id === null ? [] : await listUsersOfAccount(tx, upstream_id);
  return users.some((other) => other.id !== id && other.deleted_at === null);
}

/** Compares what a deleted group is to lose; one that another group stands for by now is left alone. */
async function compareDeletedGroup(tx: Db, row: GroupRow): Promise<Current> {
  const holder = hasUpstreamIds(row) && (await findGroupByUpstream(tx, toUpstreamIds(row)));
  if (!holder || holder.id !== row.id) return { row, differences: new Map() };
  const leaving = (await listDifferingLinks(tx, row.id)).filter(({ wanted }) => !wanted);
  const differences = toListMap(row, leaving);
  const isToGo = row.origin === 'created' && row.observed !== null && !hasWaiting(row);
  if (!isToGo) return { row, differences };
  const values = { desired: null, observed: { displayName: row.display_name } };
  const removal = toDifference('group.unmanaged', row.id, values);
  const key = toChangeKey({ kind: 'group.delete', memberId: '' });
  return { row, differences: new Map([...differences, [key, removal]]) };
}

function toListMap(row: GroupRow, links: readonly DifferingLink[]): Map<string, Difference> {
  const differing = links.map((link) => toLinkDifference(row, link));
  return toMap(toCompared([...differing, ...listEntityDifferences(row)]));
}

function toMap(comparison: Comparison | undefined): Map<string, Difference> {
  const differences = comparison?.isUnseen ? [] : (comparison?.differences ?? []);
  return new Map(
    differences.flatMap((one) => {
      const kind = findRepair(one.kind);
      return kind === undefined ? [] : [[toChangeKey({ ...one, kind }), one] as const];
    }),
  );
}

/** True when the precondition of an action holds: the same value is desired, and the same was observed. */
export function isStillSo(
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string; readonly observed: string },
): boolean {
  if (action.kind === 'user.create' || action.kind === 'group.create') return isWanted(row);
  const difference = differences.get(toKey(action));
  if (difference === undefined) return false;
  // The name of a group that is to go may change meanwhile.
  if (action.kind === 'group.delete') return true;
  const same = (value: JsonValue, text: string) =>
    JSON.stringify(toOwnPart(value, parseStored(text))) === text;
  return same(difference.desired, action.desired) && same(difference.observed, action.observed);
}

/** True when a drift is what is still known: nothing locks its user or group, because a decision about it looks again. */
export async function isDriftStillSo(
  db: Db,
  deps: Pick<ReconcileDeps, 'policy'>,
  drift: DriftRow,
): Promise<boolean> {
  const { change: kind } = drift;
  const current = await findCurrent(db, deps, drift);
  return current !== undefined && kind !== null && isStillSo(current, { ...drift, kind });
}

/** The part of a value in the fields that an action is about: others may differ beside them. */
export function toOwnPart(value: JsonValue, own: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(own)) return value;
  const fields = Object.keys(own).filter((field) => Object.hasOwn(value, field));
  return Object.fromEntries(fields.map((field) => [field, value[field] ?? null]));
}

/** True when a resource is still to be made, or made anew; its absence is stored nowhere, so no more can be asked. */
function isWanted(row: ResourceRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  const cells = parseCells(row);
  if (isUserRow(row)) {
    return row.active === 1 && (row.upstream_id !== null || !isWaiting(cells.account));
  }
  return hasUpstreamIds(row) || !isWaiting(cells.existence);
}

/** Key of an action among the differences of its resource. */
export function toKey({
  kind,
  member_id: memberId,
}: Pick<ActionKey, 'kind' | 'member_id'>): string {
  return toChangeKey({ kind, memberId });
}

/**
 * State of a repair: it waits for the service, it is done, the service differs again, or the user or group that it is
 * about was deleted.
 */
export type RepairState = 'waits' | 'done' | 'differs' | 'gone';

/** Finds the state of a repair of the current resource. */
export async function checkRepair(
  tx: Db,
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string },
): Promise<RepairState> {
  const { kind, member_id: memberId } = action;
  // Of what was deleted only removals are still to be made.
  if (row.deleted_at !== null && listHarms([action]).length === 0) return 'gone';
  if (row.must_look !== 0) return 'waits';
  const desired = parseStored<JsonValue>(action.desired);
  const place = toPlace({ kind, memberId, desired });
  if (place.kind === 'fields') {
    const cells = parseCells(row);
    if (place.fields.some((field) => isWaiting(cells[field]))) return 'waits';
  }
  if (place.kind === 'link') {
    const [link] = await listLinks(tx, place.list, groupId(row.id), [userId(memberId)]);
    if (link !== undefined && link.pending !== null) return 'waits';
  }
  const difference = differences.get(toKey(action));
  if (difference === undefined) return 'done';
  const own = toOwnPart(difference.desired, desired);
  return isJsonObject(own) && Object.keys(own).length === 0 ? 'done' : 'differs';
}

/** Place of a change: fields, or one row in one of a group's lists. */
type ChangePlace =
  | { readonly kind: 'fields'; readonly fields: readonly (UserField | GroupField)[] }
  | { readonly kind: 'link'; readonly list: LinkTable };

/** Finds the place of a change; one of several fields concerns those that have a value. */
export function toPlace({
  kind,
  memberId,
  desired,
}: Pick<PlanAction, 'kind' | 'memberId' | 'desired'>): ChangePlace {
  const { about } = getChangeRow(kind);
  if (about === 'entity') {
    return { kind: 'fields', fields: isEntityField(memberId) ? [memberId] : [] };
  }
  if (about !== undefined) return { kind: 'link', list: about };
  const fields = listChangedFields(kind);
  if (fields.length === 1) return { kind: 'fields', fields };
  const isIn = (field: string) => isJsonObject(desired) && Object.hasOwn(desired, field);
  return { kind: 'fields', fields: fields.filter(isIn) };
}
