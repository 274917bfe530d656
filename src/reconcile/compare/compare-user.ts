import { isWaiting } from '../../domain/cell.ts';
import type { Difference, DriftKind } from '../../domain/drift.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { fullName } from '../../domain/name.ts';
import {
  type Deactivation,
  isObservedActive,
  isWantedActive,
  listUserDifferences,
  type ObservedUser,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import {
  type Compared,
  type Comparison,
  isBusy,
  isHiddenByScim,
  leftOut,
  NOTHING,
  type SeenSince,
  toCompared,
  UNKNOWN,
  UNSEEN,
} from './comparison.ts';

/** Compares one user with the service as seen since the sweep began. */
export function compareUser(row: UserRow, seen: SeenSince): Comparison {
  if (!seen.lists.users || isBusy(row)) return UNKNOWN;
  const state = toUserState(row);
  const { observed, desired, upstreamId } = state;
  const toDifference = (kind: DriftKind, wanted: JsonValue, held: JsonValue): Difference => ({
    kind,
    type: 'user',
    resourceId: row.id,
    memberId: '',
    desired: wanted,
    observed: held,
  });
  if (row.origin === null) return compareUnmanaged(observed, { seen, toDifference });
  const isSeen = observed !== undefined && observed.at >= seen.since;
  if (upstreamId === undefined || isWaiting(state.cells.account)) return NOTHING;
  if (state.deleted)
    return isSeen ? compareDeleted(state, observed, { seen, toDifference }) : NOTHING;
  if (!isSeen) {
    if (!desired.active) return NOTHING;
    return { kind: 'missing', difference: toDifference('user.missing', { active: true }, null) };
  }
  if (isHiddenByScim(observed, seen.since)) return leftOut('users');
  return compareFields(state, observed, { seen, toDifference });
}

/** An unmanaged account is a difference while it exists. */
function compareUnmanaged(
  observed: ObservedUser | undefined,
  { seen: { lists, since }, toDifference }: Comparing,
): Comparison {
  if (observed === undefined) return NOTHING;
  if (observed.at >= since) {
    return toCompared([toDifference('user.unmanaged', null, toAccount(observed))]);
  }
  // An account known only from the list of company users is not missed while that list cannot be read.
  return lists.companyUsers || observed.shownAt !== undefined ? UNSEEN : NOTHING;
}

interface Comparing {
  readonly seen: SeenSince;
  readonly toDifference: (kind: DriftKind, wanted: JsonValue, held: JsonValue) => Difference;
}

function compareFields(
  state: UserState,
  observed: ObservedUser,
  { seen, toDifference }: Comparing,
): Compared {
  const { desired, cells } = state;
  const fields = listUserDifferences(desired, observed, cells, seen.deactivation).filter(
    (field) => !isWaiting(cells[field]),
  );
  const differences: Difference[] = [];
  if (fields.includes('active')) {
    const wanted = isWantedActive(desired, seen.deactivation);
    const kind = wanted ? 'user.deactivated' : 'user.activated';
    const held = isObservedActive(observed, seen.deactivation);
    differences.push(toDifference(kind, { active: wanted }, { active: held }));
  }
  if (fields.includes('name') && desired.name !== undefined) {
    const held = { name: observed.fullName };
    differences.push(toDifference('user.renamed', { name: fullName(desired.name) }, held));
  }
  const [wanted, held] = [toAccess(desired, fields), toAccess(observed, fields)];
  if (Object.keys(held).length > 0) differences.push(toDifference('user.access', wanted, held));
  const isListed = seen.lists.companyUsers && (observed.listedAt ?? 0) >= seen.since;
  const unread = isListed ? [] : listOfCompanyUsers(seen.deactivation);
  const comparison = toCompared(
    differences.filter(({ kind }) => !unread.includes(kind)),
    unread,
  );
  return isLeftOut(observed, seen) ? { ...comparison, leftOutBy: 'companyUsers' } : comparison;
}

/**
 * True when the list of company users has dropped a user it showed before. It may always leave out inactive users, and
 * an account it never showed.
 */
function isLeftOut({ active, listedAt }: ObservedUser, { lists, since }: SeenSince): boolean {
  return lists.companyUsers && active && listedAt !== undefined && listedAt < since;
}

/** Compares a deleted user: only an account that works again is a difference. */
function compareDeleted(
  state: UserState,
  observed: ObservedUser,
  comparing: Comparing,
): Comparison {
  const comparison = compareFields(state, observed, comparing);
  const differences = comparison.differences.filter(({ kind }) => kind === 'user.activated');
  return { ...comparison, differences };
}

/** Drift kinds that only the list of company users can show. */
function listOfCompanyUsers(deactivation: Deactivation): DriftKind[] {
  const suspended: DriftKind[] = ['user.deactivated', 'user.activated'];
  return deactivation === 'scim' ? ['user.access'] : ['user.access', ...suspended];
}

/** Licence and suspension among the differing fields, as far as both sides tell them. */
function toAccess(
  { appsPermissions, temporarilyInactive }: Access,
  fields: readonly UserField[],
): JsonObject {
  return {
    ...(appsPermissions !== undefined && fields.includes('appsPermissions')
      ? { appsPermissions }
      : {}),
    ...(fields.includes('temporarilyInactive')
      ? { temporarilyInactive: temporarilyInactive ?? false }
      : {}),
  };
}

interface Access {
  readonly appsPermissions?: number | undefined;
  readonly temporarilyInactive?: boolean | undefined;
}

function toAccount({ userName, email, active }: ObservedUser): JsonObject {
  return { userName: userName ?? null, email: email ?? null, active };
}
