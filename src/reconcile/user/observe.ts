import type { ObservedUser } from '../../domain/kinds.ts';
import { withCreated, withoutPersonalData } from '../../domain/kinds.ts';
import { takesSeat } from '../../domain/seats.ts';
import { foldCase } from '../../domain/values.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import {
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { seenOr } from '../outcome.ts';
import { readSections } from '../sections.ts';
import { search } from '../step-call.ts';

/** Merges a SCIM answer about a user into the observation from the REST lists. */
export function toObservedUser(
  user: ScimUser,
  before: ObservedUser | undefined,
  { at, by }: { at: number; by: string },
): ObservedUser {
  const email = user.emails[0];
  return {
    ...before,
    ...withCreated(before, user.created),
    ...(user.userName === undefined ? {} : { userName: user.userName }),
    ...(email === undefined ? {} : { email }),
    fullName: user.fullName,
    active: user.active,
    shownAt: at,
    at,
    by,
  };
}

/** Merges an entry of the list of company users. userName, address, name and `active` come from SCIM where it shows them. */
export function observeCompanyUser(
  user: CompanyUser,
  before: ObservedUser | undefined,
  at: number,
): ObservedUser {
  const { virtual, appsPermissions, temporarilyInactive, takesLicence, role } = user;
  const by = companyUsers.getListOfUsers.id;
  const isActive = role !== DEACTIVATED_ROLE;
  const unknownToScim = { fullName: user.fullName ?? '', active: isActive, at: 0, by };
  const known: ObservedUser = before === undefined || before.by === by ? unknownToScim : before;
  const { userName = user.username, email = user.email } = known;
  // An account that does not work takes nothing, whatever the list says.
  const isWorking = isActive && temporarilyInactive !== true;
  return {
    ...known,
    ...(userName === undefined ? {} : { userName }),
    ...(email === undefined ? {} : { email }),
    ...(role === undefined ? {} : { role, owner: role === OWNER_ROLE }),
    ...(virtual === undefined ? {} : { virtual }),
    ...(appsPermissions === undefined ? {} : { appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarilyInactive }),
    ...(takesLicence === undefined || !isWorking ? {} : { takesLicence }),
    listedAt: at,
    at,
  };
}

/** Merges a SCIM answer as this call shows it now. */
export function observeUser(
  { clock }: Pick<ReconcileDeps, 'clock'>,
  user: ScimUser,
  before: ObservedUser | undefined,
  { id: by }: { readonly id: string },
): ObservedUser {
  return toObservedUser(user, before, { at: clock.now(), by });
}

/** Columns of an observation of this user; without personal values where these were erased. */
export function toObservedColumns(row: Pick<UserRow, 'erased_at'>, seen: ObservedUser | undefined) {
  const observed = seen && row.erased_at !== null ? withoutPersonalData(seen) : seen;
  return {
    observed: observed ?? null,
    observed_user_name_folded: foldOrNull(observed?.userName),
    observed_email_folded: foldOrNull(observed?.email),
    owner: Number(observed?.owner === true),
    takes_seat: Number(takesSeat(observed)),
  };
}

function foldOrNull(text: string | undefined): string | null {
  return text === undefined ? null : foldCase(text);
}

/** Tells whether an account is an owner's; where the list is closed to us, nobody is known as one. @throws UpstreamError */
export async function lookUpOwner(
  deps: ReconcileDeps,
  upstreamId: number,
  names: SearchedNames | undefined,
): Promise<boolean> {
  if ((await readSections(deps)).companyUsers?.problem) return false;
  const found = findCompanyUser(deps, upstreamId, names);
  return (await seenOr(found, undefined, 'forbidden', 'refused'))?.role === OWNER_ROLE;
}

/** Finds a company user by a search for its names; undefined: it is not there. @throws UpstreamError: the list has no end */
export async function findCompanyUser(
  deps: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  upstreamId: number,
  { email, userName = '' }: SearchedNames = {},
): Promise<CompanyUser | undefined> {
  const args = { query: { for_members_section: true, query: email ?? userName } };
  const [found] = await search(deps, {
    operation: companyUsers.getListOfUsers,
    args,
    parse: parseCompanyUser,
    isMeant: ({ id }) => id === upstreamId,
    isOne: true,
  });
  return found;
}

/** Names of an account, of which one is searched for. */
type SearchedNames = { readonly [Name in 'email' | 'userName']?: string | undefined };
