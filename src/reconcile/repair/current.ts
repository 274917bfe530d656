import { isWaiting } from '../../domain/cell.ts';
import { listHarms, toChangeKey } from '../../domain/change.ts';
import { userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { LinkList } from '../../domain/link.ts';
import { type PlanAction, toPlace } from '../../domain/plan.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { listLinks, type StoredLink } from '../../store/links/links.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { isLinked } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { Current } from '../differences.ts';

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
