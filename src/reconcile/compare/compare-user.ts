import { isWaiting } from '../../domain/cell.ts';
import type { Difference, DriftKind } from '../../domain/drift.ts';
import type { JsonObject } from '../../domain/json.ts';
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
  toDifference,
  UNKNOWN,
  UNSEEN,
} from './comparison.ts';

/** Compares one user with the service as seen since the sweep began. */
export function compareUser(row: UserRow, seen: SeenSince): Comparison {
  if (!seen.lists.users || isBusy(row)) return UNKNOWN;
  const state = toUserState(row);
  const { observed, desired, upstreamId } = state;
  if (row.origin === null) return compareUnmanaged(row, observed, seen);
  const isSeen = observed !== undefined && observed.at >= seen.since;
  if (upstreamId === undefined || isWaiting(state.cells.account)) return NOTHING;
  if (state.deleted) return isSeen ? compareDeleted(state, observed, seen) : NOTHING;
  if (!isSeen) {
    if (!desired.active) return NOTHING;
    const values = { desired: { active: true }, observed: null };
    return { kind: 'missing', difference: toDifference('user.missing', row.id, values) };
  }
  if (isHiddenByScim(observed, seen.since)) return leftOut('users');
  return compareFields(state, observed, seen);
}

/** An unmanaged account is a difference while it exists. */
function compareUnmanaged(
  { id }: UserRow,
  observed: ObservedUser | undefined,
  { lists, since }: SeenSince,
): Comparison {
  if (observed === undefined) return NOTHING;
  if (observed.at >= since) {
    const values = { desired: null, observed: toAccount(observed) };
    return toCompared([toDifference('user.unmanaged', id, values)]);
  }
  // An account known only from the list of company users is not missed while that list cannot be read.
  return lists.companyUsers || observed.shownAt !== undefined ? UNSEEN : NOTHING;
}

function compareFields(state: UserState, observed: ObservedUser, seen: SeenSince): Compared {
  const { id, desired, cells } = state;
  const fields = listUserDifferences(desired, observed, cells, seen.deactivation).filter(
    (field) => !isWaiting(cells[field]),
  );
  const differences: Difference[] = [];
  if (fields.includes('active')) {
    const wanted = isWantedActive(desired, seen.deactivation);
    const kind = wanted ? 'user.deactivated' : 'user.activated';
    const held = isObservedActive(observed, seen.deactivation);
    const values = { desired: { active: wanted }, observed: { active: held } };
    differences.push(toDifference(kind, id, values));
  }
  if (fields.includes('name') && desired.name !== undefined) {
    const wanted = { name: fullName(desired.name) };
    const values = { desired: wanted, observed: { name: observed.fullName } };
    differences.push(toDifference('user.renamed', id, values));
  }
  const access = { desired: toAccess(desired, fields), observed: toAccess(observed, fields) };
  if (Object.keys(access.observed).length > 0)
    differences.push(toDifference('user.access', id, access));
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
function compareDeleted(state: UserState, observed: ObservedUser, seen: SeenSince): Comparison {
  const comparison = compareFields(state, observed, seen);
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
