import { type Difference, type DriftKind, toDifferenceKey } from '../../domain/drift.ts';
import { assertNever } from '../../domain/errors.ts';
import type { GroupField } from '../../domain/group.ts';
import { groupId, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds, lockGroup } from '../../store/groups/groups.ts';
import { type LinkTable, listDifferingLinks, listLinks } from '../../store/links/links.ts';
import type { ActionKey } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, type UserRow } from '../../store/users/users.ts';
import { compareGroup } from '../compare/compare-group.ts';
import { compareUser } from '../compare/compare-user.ts';
import { type Comparison, EVERY_LIST } from '../compare/comparison.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Locked user or group with all its known differences. */
export interface Current {
  readonly row: UserRow | GroupRow;
  readonly differences: ReadonlyMap<string, Difference>;
}

/** Columns of a row at rest: a release is compared with what is known, whoever works on the row. */
const AT_REST = { lane_owner: null, must_look: 0 } as const;

/** Locks a user or group and compares it; undefined when the store no longer has it. */
export async function lockCurrent(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { type, id }: { type: 'user' | 'group'; id: string },
): Promise<Current | undefined> {
  const seen = { lists: EVERY_LIST, since: 0, deactivation: policy.deactivation };
  if (type === 'user') {
    const row = await lockUser(tx, userId(id));
    return row && { row, differences: toMap(compareUser({ ...row, ...AT_REST }, seen)) };
  }
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined) return undefined;
  const links = row.origin === null ? [] : await listDifferingLinks(tx, row.id);
  return { row, differences: toMap(compareGroup({ ...row, ...AT_REST }, links, seen)) };
}

function toMap(comparison: Comparison): Map<string, Difference> {
  const differences = comparison.kind === 'compared' ? comparison.differences : [];
  return new Map(differences.map((one) => [toDifferenceKey(one), one]));
}

/** True when the precondition of an action holds: the same value is desired, and the same was observed. */
export function isStillSo(
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string; readonly observed: string },
): boolean {
  if (action.kind === 'user.missing' || action.kind === 'group.missing') return isWanted(row);
  const key = toDifferenceKey({ kind: action.kind, memberId: action.member_id });
  const difference = differences.get(key);
  if (difference === undefined) return false;
  const same = (value: unknown, text: string) => JSON.stringify(value) === text;
  return same(difference.desired, action.desired) && same(difference.observed, action.observed);
}

/** True when a missing resource is still wanted; its absence is stored nowhere, so no more can be asked. */
function isWanted(row: UserRow | GroupRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  return 'upstream_id' in row ? row.active === 1 && row.upstream_id !== null : hasUpstreamIds(row);
}

/** State of a repair: it waits for the service, it is done, or the service differs again. */
export type RepairState = 'waits' | 'done' | 'differs';

/** Finds the state of a repair of the current resource. */
export async function checkRepair(
  tx: Db,
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string },
): Promise<RepairState> {
  if (row.must_look !== 0) return 'waits';
  const { kind, member_id: memberId } = action;
  const place = findPlace({ kind, desired: parseStored(action.desired) });
  if (place?.kind === 'fields') {
    const pending = parseStored<Pending<string>>(row.pending);
    if (place.fields.some((field) => pending[field] !== undefined)) return 'waits';
  }
  if (place?.kind === 'link') {
    const [link] = await listLinks(tx, place.list, groupId(row.id), [userId(memberId)]);
    if (link !== undefined && link.pending !== null) return 'waits';
  }
  return differences.has(toDifferenceKey({ kind, memberId })) ? 'differs' : 'done';
}

/** Place of a difference: fields, or one row in one of a group's lists. */
export type DriftPlace =
  | { readonly kind: 'fields'; readonly fields: readonly (UserField | GroupField)[] }
  | { readonly kind: 'link'; readonly list: LinkTable };

/** Difference, as far as its place is concerned. */
interface Placed {
  readonly kind: DriftKind;
  readonly desired: JsonValue;
}

/** Finds the place of a difference; undefined when the bridge owns nothing of it. */
export function findPlace({ kind, desired }: Placed): DriftPlace | undefined {
  switch (kind) {
    case 'user.missing':
      return { kind: 'fields', fields: ['account'] };
    case 'user.deactivated':
    case 'user.activated':
      return { kind: 'fields', fields: ['active'] };
    case 'user.renamed':
      return { kind: 'fields', fields: ['name'] };
    case 'group.missing':
      return { kind: 'fields', fields: ['existence'] };
    case 'group.renamed':
      return { kind: 'fields', fields: ['displayName'] };
    case 'user.access':
      return { kind: 'fields', fields: ACCESS.filter(isIn(desired)) };
    case 'group.permissions':
      return { kind: 'fields', fields: PERMISSIONS.filter(isIn(desired)) };
    case 'member.added':
    case 'member.removed':
      return { kind: 'link', list: 'memberships' };
    case 'admin.added':
    case 'admin.removed':
      return { kind: 'link', list: 'group_admins' };
    case 'user.unmanaged':
    case 'group.unmanaged':
      return undefined;
    default:
      return assertNever(kind);
  }
}

const ACCESS = ['appsPermissions', 'temporarilyInactive'] as const;
const PERMISSIONS = ['permissions', 'addToCardsAndSpacesEnabled'] as const;

function isIn(value: JsonValue): (field: string) => boolean {
  return (field) => isJsonObject(value) && Object.hasOwn(value, field);
}
