import { withLicences, withRole } from '../../domain/assignment.ts';
import { USER_EXTENSION, USER_SCHEMA_URI } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import { splitName } from '../../domain/name.ts';
import { takesSeat } from '../../domain/seats.ts';
import { limitMarks } from '../../domain/text.ts';
import { type ObservedUser, type UserState, withoutPersonalData } from '../../domain/user.ts';
import type { Values } from '../../plan/step.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toObservedUser as toStoredUser } from '../../store/resources/state.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Merges a SCIM answer about a user into the observation from the REST lists. */
export function toObservedUser(
  user: ScimUser,
  before: ObservedUser | undefined,
  { at, by }: { at: number; by: string },
): ObservedUser {
  const email = user.emails[0];
  const created = before?.created ?? user.created;
  const isSteady = user.created === undefined || user.created === created;
  return {
    ...before,
    ...(created !== undefined && { created: isSteady ? created : '' }),
    ...(user.userName === undefined ? {} : { userName: user.userName }),
    ...(email === undefined ? {} : { email }),
    fullName: user.fullName,
    active: user.active,
    shownAt: at,
    at,
    by,
  };
}

/** The same, as this call shows it now. */
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

/** Columns of an observation: the document and its indexed values. */
type ObservedColumns = Pick<
  UserRow,
  'observed' | 'observed_user_name_folded' | 'observed_email_folded' | 'owner' | 'takes_seat'
>;

/** Columns of an observation of this user; without personal values where these were erased. */
export function toObservedColumns(
  row: Pick<UserRow, 'erased_at'>,
  seen: ObservedUser | undefined,
): ObservedColumns {
  const observed = seen && row.erased_at !== null ? withoutPersonalData(seen) : seen;
  return {
    observed: observed === undefined ? null : JSON.stringify(observed),
    observed_user_name_folded: foldOrNull(observed?.userName),
    observed_email_folded: foldOrNull(observed?.email),
    owner: observed?.owner ? 1 : 0,
    takes_seat: takesSeat(observed) ? 1 : 0,
  };
}

/**
 * Attributes of an unmanaged account, as the service holds it; its full name is split. Identity providers import such
 * accounts and insist on every one of these attributes, and may send each of them back.
 */
export function toUnmanagedAttributes(observed: ObservedUser): JsonObject {
  const [userName, email] = [limit(observed.userName), limit(observed.email)];
  const address = email ?? userName;
  const fullName = limitMarks(observed.fullName);
  const { givenName, familyName } = splitName(fullName);
  const extension = toReadOnlyExtension(observed);
  const attributes = {
    schemas: [USER_SCHEMA_URI, ...Object.keys(extension)],
    userName: userName ?? email ?? '',
    name: {
      givenName: givenName || '-',
      familyName: familyName || '-',
      formatted: fullName,
    },
    ...(fullName === '' ? {} : { displayName: fullName }),
    ...(address === undefined
      ? {}
      : { emails: [{ value: address.trim(), type: 'work', primary: true }] }),
    active: observed.active,
    ...extension,
  };
  return withRole(withLicences(attributes, observed.appsPermissions), observed.role);
}

function limit(text: string | undefined): string | undefined {
  return text === undefined ? undefined : limitMarks(text);
}

/** Attributes of a user that only the service sets, where a list tells them. */
function toReadOnlyExtension({ role, virtual }: ObservedUser): JsonObject {
  const said: JsonObject = {
    ...(role === undefined ? {} : { role }),
    ...(virtual === undefined ? {} : { virtual }),
  };
  return Object.keys(said).length === 0 ? {} : { [USER_EXTENSION]: said };
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
