import { isWaiting } from '../../domain/cell.ts';
import { listFieldChanges } from '../../domain/change.ts';
import type { DriftKind } from '../../domain/drift.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  type Deactivation,
  listUserDifferences,
  type ObservedUser,
  toUserValues,
  type UserState,
} from '../../domain/user.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { isListed, isSeen } from '../read/reading.ts';
import {
  type Comparison,
  isBusy,
  leftOut,
  NOTHING,
  type SeenSince,
  toCompared,
  toDifference,
  toDifferences,
  toMissing,
  UNSEEN,
} from './comparison.ts';

/** Compares one user with the service as seen since then; undefined: nothing can be said. */
export function compareUser(row: UserRow, seen: SeenSince): Comparison | undefined {
  if (!seen.lists.users || isBusy(row)) return undefined;
  const state = toUserState(row);
  const { observed, desired, upstreamId } = state;
  if (row.origin === null) return compareUnmanaged(row, observed, seen);
  const isThere = observed !== undefined && isSeen(seen, row);
  if (upstreamId === undefined || isWaiting(state.cells.account)) return NOTHING;
  if (state.deleted) return isThere ? compareDeleted(row, state, { observed, seen }) : NOTHING;
  if (!isThere) {
    if (!desired.active) return NOTHING;
    const values = { desired: { active: true }, observed: null };
    return toMissing(toDifference('user.missing', row.id, values));
  }
  const { by, shownAt: at } = observed;
  const isHidden = by.startsWith('scim.') && at !== undefined;
  if (isHidden && !isListed(seen, 'users', { seq: row.seq, at })) return leftOut('users');
  return compareFields(row, state, { observed, seen });
}

/** An unmanaged account is a difference while it exists. */
function compareUnmanaged(
  row: UserRow,
  observed: ObservedUser | undefined,
  seen: SeenSince,
): Comparison {
  if (observed === undefined) return NOTHING;
  if (isSeen(seen, row)) {
    const values = { desired: null, observed: toAccount(observed) };
    return toCompared([toDifference('user.unmanaged', row.id, values)]);
  }
  // An account known only from the list of company users is not missed while that list cannot be read.
  return seen.lists.companyUsers || observed.shownAt !== undefined ? UNSEEN : NOTHING;
}

/** Observation of a user, and what was seen of the service. */
interface SeenUser {
  readonly observed: ObservedUser;
  readonly seen: SeenSince;
}

function compareFields(
  { seq }: UserRow,
  state: UserState,
  { observed, seen }: SeenUser,
): Comparison {
  const { id, desired, cells } = state;
  const fields = listUserDifferences(desired, observed, cells, seen.deactivation).filter(
    (field) => !isWaiting(cells[field]),
  );
  const values = toUserValues(desired, observed, seen.deactivation);
  const differences = toDifferences(id, listFieldChanges(fields, values));
  const isShown = isListed(seen, 'companyUsers', { seq, at: observed.listedAt });
  const unread = seen.lists.companyUsers && isShown ? [] : listOfCompanyUsers(seen.deactivation);
  const comparison = toCompared(differences, unread);
  // The list may always leave out inactive users, and an account it never showed.
  const wasShown = observed.active && observed.listedAt !== undefined;
  const isLeftOut = seen.lists.companyUsers && wasShown && !isShown;
  return isLeftOut ? { ...comparison, leftOutBy: 'companyUsers' } : comparison;
}

/** Compares a deleted user: only an account that works again is a difference. */
function compareDeleted(row: UserRow, state: UserState, seen: SeenUser): Comparison {
  const comparison = compareFields(row, state, seen);
  const differences = comparison.differences.filter(({ kind }) => kind === 'user.activated');
  return { ...comparison, differences };
}

/** Drift kinds that only the list of company users can show. */
function listOfCompanyUsers(deactivation: Deactivation): DriftKind[] {
  const suspended: DriftKind[] = ['user.deactivated', 'user.activated'];
  return deactivation === 'scim' ? ['user.access'] : ['user.access', ...suspended];
}

function toAccount({ userName, email, active }: ObservedUser): JsonObject {
  return { userName: userName ?? null, email: email ?? null, active };
}
