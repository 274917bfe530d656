import { withLicences, withRole } from '../../domain/assignment.ts';
import { USER_EXTENSION, withExtension } from '../../domain/extensions.ts';
import {
  type ObservedUser,
  type UserState,
  withCreated,
  withoutPersonalData,
} from '../../domain/kinds.ts';
import { splitName } from '../../domain/name.ts';
import { takesSeat } from '../../domain/seats.ts';
import { limitMarks } from '../../domain/text.ts';
import { foldCase, type JsonObject, type UserId } from '../../domain/values.ts';
import type { Values } from '../../plan/step.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import { findRow, lockRow, type UserRow, updateRow } from '../../store/resources/rows.ts';
import {
  isRoleUnknown,
  toObservedUser as toStoredUser,
  toUserState,
} from '../../store/resources/state.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { classify } from '../outcome.ts';
import { readSections } from '../sections.ts';
import { withCalls } from '../step-call.ts';
import { type BoundedWait, lookWithin } from '../waiters.ts';

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

/** Observation after a change of the licence or the suspension: what the answer shows, or what was sent. */
export function toObservedAccess(
  state: UserState,
  { appsPermissions, temporarilyInactive }: Pick<Values, 'appsPermissions' | 'temporarilyInactive'>,
  { user, at }: { readonly user: CompanyUser | undefined; readonly at: number },
): ObservedUser {
  const nobody = { fullName: user?.fullName ?? '', active: true, at: 0, by: '' };
  const { takesLicence, ...before }: ObservedUser = state.observed ?? nobody;
  const isSameLicence = appsPermissions === undefined && takesLicence !== undefined;
  return {
    ...before,
    ...(isSameLicence && { takesLicence }),
    appsPermissions: user?.appsPermissions ?? appsPermissions ?? before.appsPermissions ?? 0,
    temporarilyInactive:
      user?.temporarilyInactive ?? temporarilyInactive ?? before.temporarilyInactive ?? false,
    at,
    by: companyUsers.updateUser.id,
  };
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
    ...(observed ? toUserColumns(toUnmanagedAttributes(observed)) : {}),
    origin: null,
    cells: '{}',
    version: row.version + 1,
    deleted_at: null,
  };
}

/** Reads a role that no list showed, before a provider takes the account: it may be an owner's. @throws `could-not-look` */
export async function readRole(deps: ReconcileDeps, id: UserId, wait: BoundedWait): Promise<void> {
  const row = await findRow(deps.store.read, { type: 'user', id });
  if (row === undefined || !isRoleUnknown(row)) return;
  const { upstreamId, observed } = toUserState(row);
  if (upstreamId === undefined) return;
  const within = { waitMs: wait.waitMs, about: 'the role of the account' };
  const owner = await lookWithin(deps.clock, within, (signal) =>
    lookUpOwner(
      withCalls(deps, { class: wait.class, key: `user:${id}`, signal }),
      upstreamId,
      observed,
    ),
  );
  await deps.store.write(async (tx) => {
    const locked = await lockRow(tx, { type: 'user', id });
    // A sweep may have been faster, or the account is another one now.
    if (locked?.upstream_id !== upstreamId || !isRoleUnknown(locked)) return;
    const known = toStoredUser(locked);
    if (known) await updateRow(tx, locked, toObservedColumns(locked, { ...known, owner }));
  });
}

/** Tells whether an account is an owner's; where the list is closed to us, nobody is known as one. @throws UpstreamError */
export async function lookUpOwner(
  deps: ReconcileDeps,
  upstreamId: number,
  names: SearchedNames | undefined,
): Promise<boolean> {
  if ((await readSections(deps)).companyUsers?.problem) return false;
  try {
    return (await findCompanyUser(deps, upstreamId, names))?.role === OWNER_ROLE;
  } catch (error) {
    const { verdict } = classify(error);
    if (verdict === 'forbidden' || verdict === 'refused') return false;
    throw error;
  }
}

/** Finds a company user by a search for its names; undefined: it is not there. @throws UpstreamError: the list has no end */
export async function findCompanyUser(
  { upstream, policy }: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  upstreamId: number,
  { email, userName = '' }: SearchedNames = {},
): Promise<CompanyUser | undefined> {
  const operation = companyUsers.getListOfUsers;
  const query = { for_members_section: true, query: email ?? userName };
  const pages = paginate(upstream, operation, { query }, { pageSize: policy.pageSize });
  for await (const { items } of pages) {
    const found = items.map(parseCompanyUser).find(({ id }) => id === upstreamId);
    if (found) return found;
  }
  const { result } = pages;
  if (result.complete) return undefined;
  throw new UpstreamError('unreadable', {
    operation: operation.id,
    detail: `the list is incomplete: ${result.reason}`,
    retry: 'later',
    outcome: 'answered',
  });
}

/** Names of an account, of which one is searched for. */
type SearchedNames = { readonly [Name in 'email' | 'userName']?: string | undefined };
