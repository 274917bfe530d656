import { isDeepStrictEqual } from 'node:util';
import { isWaiting } from '../../domain/cell.ts';
import { listHarms, toChangeKey } from '../../domain/change.ts';
import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { LinkKey } from '../../domain/link.ts';
import { type PlanAction, toPlace } from '../../domain/plan.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { listLinks, type StoredLink } from '../../store/links/links.ts';
import { findRow, getRow, type ResourceRow, type UserRow } from '../../store/resources/rows.ts';
import { isLinked, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import type { Current } from '../differences.ts';

/** True when the precondition of a change holds: the same value is desired, and the same was observed. */
export function isStillSo({ row, changes }: Current, change: PlanAction): boolean {
  if (change.kind === 'user.create' || change.kind === 'group.create') return isWanted(row);
  const known = changes.get(toChangeKey(change));
  // The name of a group that is to go may change meanwhile.
  if (known === undefined || change.kind === 'group.delete') return known !== undefined;
  const { desired, observed } = change;
  const now = [toOwnPart(known.desired, desired), toOwnPart(known.observed, observed)];
  return isDeepStrictEqual(now, [desired, observed]);
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
  if (place.kind === 'link') return (await findLink(db, row, place))?.pending != null;
  const cells = parseCells(row);
  return place.fields.some((field) => isWaiting(cells[field]));
}

/** Finds the row of one user in a list of a group. */
export async function findLink(
  db: Db,
  row: ResourceRow,
  { list, userId }: LinkKey,
): Promise<StoredLink | undefined> {
  return (await listLinks(db, row, { list, userIds: [userId] }))[0];
}

/** Obstacle to a new account, with what removes it. */
const NO_ADDRESS =
  'The provider gives no e-mail address, which a new account needs: have it send one, or accept that the person is inactive.';

/** Finds the reason why no account can be made for a user; undefined when one can. */
export function findAccountObstacle(row: UserRow): string | undefined {
  return toUserState(row).desired.address === undefined ? NO_ADDRESS : undefined;
}

/**
 * Finds the reason why a repair may or can not be made; undefined when it can. Users that no provider may deactivate or
 * demote are safe from repairs too. Leaving a group is a demotion only where the group is privileged.
 */
export async function findObstacle(
  tx: Db,
  { rules }: Pick<ProcessDeps, 'rules'>,
  { kind, harm, type, resourceId, memberId }: PlanAction,
): Promise<string | undefined> {
  switch (harm) {
    case undefined: {
      if (kind !== 'user.create') return undefined;
      const row = await findRow(tx, { type: 'user', id: resourceId });
      return row && findAccountObstacle(row);
    }
    case 'deactivate':
    case 'deleteGroup':
    case 'cutAccess': {
      const row = await findRow(tx, { type, id: resourceId });
      return row && rules.protection.findReason(tx, row);
    }
    case 'removeMember':
    case 'demoteAdmin': {
      const row = await findRow(tx, { type: 'user', id: memberId });
      const reason = row && (await rules.protection.findPrivilege(tx, row));
      if (reason === undefined || harm === 'demoteAdmin') return reason;
      const group = await getRow(tx, { type: 'group', id: resourceId });
      return (await findGroupPrivilege(tx, { rules }, group)) === undefined ? undefined : reason;
    }
    default:
      return assertNever(harm);
  }
}
