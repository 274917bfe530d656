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
  isBusy,
  isHiddenByScim,
  type Judged,
  type Judgement,
  judged,
  leftOut,
  NOTHING,
  type SeenSince,
  UNKNOWN,
  UNSEEN,
} from './judgement.ts';

/** Compares one person with what the service was seen to hold since the sweep began. */
export function judgeUser(row: UserRow, seen: SeenSince): Judgement {
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
  if (row.origin === null) return judgeUnmanaged(observed, { seen, toDifference });
  const isSeen = observed !== undefined && observed.at >= seen.since;
  if (upstreamId === undefined || state.pending.account !== undefined) return NOTHING;
  if (state.deleted) return isSeen ? judgeReturn(state, observed, { seen, toDifference }) : NOTHING;
  if (!isSeen) {
    if (!desired.active) return NOTHING;
    return { kind: 'missing', difference: toDifference('user.missing', { active: true }, null) };
  }
  if (isHiddenByScim(observed, seen.since)) return leftOut('users');
  return judgeFields(state, observed, { seen, toDifference });
}

/** Nobody asked for the account, so it is a difference while it is there, and none once it is gone. */
function judgeUnmanaged(
  observed: ObservedUser | undefined,
  { seen: { lists, since }, toDifference }: Comparing,
): Judgement {
  if (observed === undefined) return NOTHING;
  if (observed.at >= since) {
    return judged([toDifference('user.unmanaged', null, toAccount(observed))]);
  }
  // What only the list of company users ever showed is not missed while that cannot be read.
  return lists.companyUsers || observed.shownAt !== undefined ? UNSEEN : NOTHING;
}

interface Comparing {
  readonly seen: SeenSince;
  readonly toDifference: (kind: DriftKind, wanted: JsonValue, held: JsonValue) => Difference;
}

function judgeFields(
  state: UserState,
  observed: ObservedUser,
  { seen, toDifference }: Comparing,
): Judged {
  const { desired, echoes, pending } = state;
  const fields = listUserDifferences(desired, observed, echoes, seen.deactivation).filter(
    (field) => pending[field] === undefined,
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
  const judgement = judged(
    differences.filter(({ kind }) => !unread.includes(kind)),
    unread,
  );
  return isLeftOut(observed, seen) ? { ...judgement, leftOutBy: 'companyUsers' } : judgement;
}

/** The list may leave inactive people out always, and whom it never showed it may never show. */
function isLeftOut({ active, listedAt }: ObservedUser, { lists, since }: SeenSince): boolean {
  return lists.companyUsers && active && listedAt !== undefined && listedAt < since;
}

/** Of somebody deleted nothing matters but whether the account works again. */
function judgeReturn(state: UserState, observed: ObservedUser, comparing: Comparing): Judgement {
  const judgement = judgeFields(state, observed, comparing);
  const differences = judgement.differences.filter(({ kind }) => kind === 'user.activated');
  return { ...judgement, differences };
}

/** Which kinds rest on the list of company users. */
function listOfCompanyUsers(deactivation: Deactivation): DriftKind[] {
  const suspended: DriftKind[] = ['user.deactivated', 'user.activated'];
  return deactivation === 'scim' ? ['user.access'] : ['user.access', ...suspended];
}

/** What differs of licences and suspensions, as far as both sides say. */
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
