import { isWaiting } from '../../domain/cell.ts';
import { findHarm, findRepair, listHarms, toChangeKey } from '../../domain/change.ts';
import type { Difference } from '../../domain/drift.ts';
import { type GivenKey, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { LinkList } from '../../domain/link.ts';
import { type PlanAction, toPlace } from '../../domain/plan.ts';
import type { Deactivation } from '../../domain/user.ts';
import { hasWaiting, parseCells } from '../../store/engine/columns.ts';
import { listDifferingLinks, listLinks, type StoredLink } from '../../store/links/links.ts';
import { findGroupByUpstream } from '../../store/resources/by-upstream.ts';
import { findRow, type GroupRow, lockRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toUpstreamIds } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import {
  hasSuccessor,
  listDifferences,
  listListDifferences,
  toDifference,
} from '../compare/compare.ts';
import type { ReconcileDeps } from '../deps.ts';

/** User or group with the changes that would end its known differences, by their keys (`toChangeKey`). */
export interface Current {
  readonly row: ResourceRow;
  readonly changes: ReadonlyMap<string, PlanAction>;
}

/** Compares a user or group; undefined when the store no longer has it. `lock`: locked until the transaction ends. */
export async function findCurrent(
  db: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  key: GivenKey,
  { lock = false } = {},
): Promise<Current | undefined> {
  const row = await (lock ? lockRow(db, key) : findRow(db, key));
  return row && compareKnown(db, row, policy.deactivation);
}

/**
 * Compares a user or group with what is known of the service, whenever that was seen, and a deleted one with what it is to
 * lose.
 */
export async function compareKnown(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<Current> {
  const differences = row.origin === null ? [] : await listKnown(db, row, deactivation);
  const changes = differences.flatMap((difference) => toChange(difference) ?? []);
  return { row, changes: new Map(changes.map((change) => [toChangeKey(change), change])) };
}

function toChange({ kind: drift, ...difference }: Difference): PlanAction | undefined {
  // A group that is to go is wanted no more. That something is missing is looked for by the next step.
  const kind = drift === 'group.unmanaged' ? 'group.delete' : findRepair(drift);
  if (kind === undefined || drift.endsWith('.missing')) return undefined;
  return { ...difference, kind, harm: findHarm({ ...difference, kind }) };
}

async function listKnown(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<readonly Difference[]> {
  const isDeleted = row.deleted_at !== null;
  if (row.type === 'group') {
    if (isDeleted) return listDeletedDifferences(db, row);
    // A group that is to be made comes with its lists, and with its entities.
    if (!isLinked(row)) return listListDifferences(row, await listDifferingLinks(db, row));
  } else if (isDeleted && row.observed === null && row.upstream_id !== null && !hasWaiting(row)) {
    if (await hasSuccessor(db, row)) return [];
    // Nothing was ever seen of the account, so it is taken to work.
    const values = { desired: { active: false }, observed: { active: true } };
    return [toDifference('user.activated', row.id, values)];
  }
  return listDifferences(db, row, deactivation);
}

/** Compares what a deleted group is to lose; one that another group stands for by now is left alone. */
async function listDeletedDifferences(db: Db, row: GroupRow): Promise<readonly Difference[]> {
  const holder = isLinked(row) && (await findGroupByUpstream(db, toUpstreamIds(row)));
  if (!holder || holder.id !== row.id) return [];
  const leaving = (await listDifferingLinks(db, row)).filter(({ wanted }) => !wanted);
  const lists = listListDifferences(row, leaving);
  const isToGo = row.origin === 'created' && row.observed !== null && !hasWaiting(row);
  if (!isToGo) return lists;
  const values = { desired: null, observed: { displayName: row.name } };
  return [...lists, toDifference('group.unmanaged', row.id, values)];
}

/** True when the precondition of a change holds: the same value is desired, and the same was observed. */
export function isStillSo({ row, changes }: Current, change: PlanAction): boolean {
  if (change.kind === 'user.create' || change.kind === 'group.create') return isWanted(row);
  const known = changes.get(toChangeKey(change));
  if (known === undefined) return false;
  // The name of a group that is to go may change meanwhile.
  if (change.kind === 'group.delete') return true;
  const same = (value: JsonValue, own: JsonValue) =>
    JSON.stringify(toOwnPart(value, own)) === JSON.stringify(own);
  return same(known.desired, change.desired) && same(known.observed, change.observed);
}

/** The part of a value in the fields that an action is about: others may differ beside them. */
export function toOwnPart(value: JsonValue, own: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(own)) return value;
  const fields = Object.keys(own).filter((field) => Object.hasOwn(value, field));
  return Object.fromEntries(fields.map((field) => [field, value[field] ?? null]));
}

/** True when a resource is still to be made, or made anew; its absence is stored nowhere, so no more can be asked. */
export function isWanted(row: ResourceRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  const cells = parseCells(row);
  if (row.type === 'group') return isLinked(row) || !isWaiting(cells.existence);
  return row.active === 1 && (row.upstream_id !== null || !isWaiting(cells.account));
}

/**
 * State of a change: it waits for the service, it is done, the service differs, or the user or group that it is about
 * was deleted.
 */
type ChangeState = 'waits' | 'done' | 'differs' | 'gone';

/** Finds the state of a change of a user or group; undefined: the store no longer has it. */
export async function findState(
  db: Db,
  current: Current | undefined,
  change: PlanAction,
): Promise<ChangeState> {
  if (current === undefined) return 'gone';
  const { row, changes } = current;
  // Of what was deleted only removals are still to be made.
  if (row.deleted_at !== null && listHarms([change]).length === 0) return 'gone';
  if (row.must_look !== 0 || (await isPlaceWaiting(db, row, change))) return 'waits';
  const known = changes.get(toChangeKey(change));
  if (known === undefined) {
    // What was never made differs in nothing else.
    const isToBeMade = change.kind.endsWith('.create') && !isLinked(row) && isWanted(row);
    return isToBeMade ? 'differs' : 'done';
  }
  const own = toOwnPart(known.desired, change.desired);
  return isJsonObject(own) && Object.keys(own).length === 0 ? 'done' : 'differs';
}

async function isPlaceWaiting(db: Db, row: ResourceRow, change: PlanAction): Promise<boolean> {
  const place = toPlace(change);
  if (place.kind === 'fields') {
    const cells = parseCells(row);
    return place.fields.some((field) => isWaiting(cells[field]));
  }
  const link = await findLink(db, row, { list: place.list, memberId: change.memberId });
  return link !== undefined && link.pending !== null;
}

/** Finds the row of one user in a list of a group. */
export async function findLink(
  db: Db,
  row: ResourceRow,
  { list, memberId }: { readonly list: LinkList; readonly memberId: string },
): Promise<StoredLink | undefined> {
  return (await listLinks(db, row, { list, userIds: [userId(memberId)] }))[0];
}
