import { withLicences, withRole } from '../../domain/assignment.ts';
import { USER_EXTENSION, withExtension } from '../../domain/extensions.ts';
import { type ObservedUser, withCreated, withoutPersonalData } from '../../domain/kinds.ts';
import { splitName } from '../../domain/name.ts';
import { takesSeat } from '../../domain/seats.ts';
import { limitMarks } from '../../domain/text.ts';
import { foldCase, type JsonObject } from '../../domain/values.ts';
import { toColumns } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toObservedUser as toStoredUser } from '../../store/resources/state.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import {
  type CompanyUser,
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
    observed: observed === undefined ? null : JSON.stringify(observed),
    observed_user_name_folded: foldOrNull(observed?.userName),
    observed_email_folded: foldOrNull(observed?.email),
    owner: Number(observed?.owner === true),
    takes_seat: Number(takesSeat(observed)),
  };
}

/** Attributes of an unmanaged account; its full name is split. Identity providers insist on every one of these. */
export function toUnmanagedAttributes(observed: ObservedUser): JsonObject {
  const { userName, email, role, virtual, active } = observed;
  const address = email ?? userName;
  const fullName = limitMarks(observed.fullName);
  const { givenName, familyName } = splitName(fullName);
  const work = { value: limitMarks(address ?? '').trim(), type: 'work', primary: true };
  const attributes = {
    userName: limitMarks(userName ?? email ?? ''),
    name: { givenName: givenName || '-', familyName: familyName || '-', formatted: fullName },
    ...(fullName === '' ? {} : { displayName: fullName }),
    ...(address === undefined ? {} : { emails: [work] }),
    active,
    // Only the service sets these, where a list tells them.
    ...withExtension({}, USER_EXTENSION, { role, virtual }),
  };
  return withRole(withLicences(attributes, observed.appsPermissions), role);
}

function foldOrNull(text: string | undefined): string | null {
  return text === undefined ? null : foldCase(text);
}

/** Row of a user that is unmanaged again, and shown as the service holds it. */
export function toUnmanagedUser(row: UserRow): UserRow {
  const observed = toStoredUser(row);
  return {
    ...row,
    ...(observed ? toColumns('user', toUnmanagedAttributes(observed)) : {}),
    origin: null,
    cells: '{}',
    version: row.version + 1,
    deleted_at: null,
  };
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
