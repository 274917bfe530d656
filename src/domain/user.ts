import { findCreationAddress } from './address.ts';
import { type Cells, type FieldValues, holds } from './cell.ts';
import { ERASED } from './erasure.ts';
import { toExtension, USER_EXTENSION } from './extensions.ts';
import { findDesiredName, fullName, normaliseName, type PersonName } from './name.ts';
import type { ResourceState, SentCreate, Sightings } from './resource-state.ts';
import { foldCase, type JsonObject, parseFields, type UserId } from './values.ts';

/** Owned fields of a user. `account`: that there is one. `address`: userName and e-mail, tried once, never repaired. */
export type UserField =
  | 'account'
  | 'active'
  | 'name'
  | 'appsPermissions'
  | 'temporarilyInactive'
  | 'address';

/** Last observation of a user. */
export interface ObservedUser extends Sightings {
  readonly userName?: string;
  readonly email?: string;
  readonly fullName: string;
  readonly active: boolean;
  /** Time at which the account was made, as SCIM writes it; '': SCIM tells another time now and then. */
  readonly created?: string;
  readonly owner?: boolean;
  /** The service's number: 1 owner, 2 user, 3 deactivated. */
  readonly role?: number;
  readonly virtual?: boolean;
  readonly appsPermissions?: number;
  readonly temporarilyInactive?: boolean;
  /** The list of company users says that it takes a licence while it works; absent: it does not say. */
  readonly takesLicence?: boolean;
}

/** Removes personal data from the observation of an erased user. */
export function withoutPersonalData({
  userName: _u,
  email: _e,
  ...observed
}: ObservedUser): ObservedUser {
  return { ...observed, fullName: '' };
}

/** Desired user, as far as the service can hold it. */
export interface DesiredUser {
  readonly userName: string;
  /** Address that an account is created with; undefined: there is none at all. */
  readonly address: string | undefined;
  /** undefined: no provider ever gave a name, so the name is not ours. */
  readonly name: PersonName | undefined;
  readonly active: boolean;
  readonly appsPermissions: number | undefined;
  readonly temporarilyInactive: boolean | undefined;
}

/** All that is known of one managed user, or of one whose removal is still under way. */
export interface UserState extends ResourceState<UserField> {
  readonly id: UserId;
  readonly upstreamId: number | undefined;
  readonly desired: DesiredUser;
  readonly observed: ObservedUser | undefined;
}

/** Maps the attributes of a managed user to the desired user. A deleted one is to be inactive. */
export function toDesiredUser(attributes: JsonObject, deleted: boolean): DesiredUser {
  const { userName } = attributes;
  const { appsPermissions, temporarilyInactive } = toExtension(attributes, USER_EXTENSION);
  return {
    userName: typeof userName === 'string' ? userName : '',
    address: findCreationAddress(attributes),
    name: findDesiredName(attributes),
    active: !deleted && attributes.active !== false,
    appsPermissions: typeof appsPermissions === 'number' ? appsPermissions : undefined,
    temporarilyInactive: typeof temporarilyInactive === 'boolean' ? temporarilyInactive : undefined,
  };
}

/** An account as an answer of the service shows it. */
export interface ShownAccount {
  readonly userName?: string | undefined;
  readonly emails: readonly (string | undefined)[];
  readonly created?: string | undefined;
}

/** Compares an account with the linked one, as ids are given again: by its names, then by its time of creation. Erased names say nothing. */
export function compareAccount(
  { desired, observed }: Pick<UserState, 'desired' | 'observed'>,
  { userName, emails, created }: ShownAccount,
): 'same' | 'another' | 'unclear' {
  const ours = foldAll([observed?.userName, observed?.email, desired.userName, desired.address]);
  const theirs = foldAll([userName, ...emails]);
  const isNamed = ours.size > 0 && theirs.size > 0;
  if (isNamed && !ours.isDisjointFrom(theirs)) return 'same';
  if (!created || !observed?.created) return isNamed ? 'unclear' : 'same';
  return created === observed.created ? 'same' : 'another';
}

const foldAll = (names: readonly (string | undefined)[]) =>
  new Set(names.flatMap((name) => (name && name !== ERASED ? [foldCase(name)] : [])));

/** Names that an account is, or would be, created with. */
export function toSentUser({
  userName,
  address,
}: Pick<DesiredUser, 'userName' | 'address'>): SentCreate {
  return { name: userName, ...(address === undefined ? {} : { address }) };
}

/** Switch of the service that stands for `active` (settings: users.deactivation). */
export type Deactivation = 'scim' | 'temporarilyInactive';

/** True when the service lets the user work, through the switch that deactivation uses. */
export const isObservedActive = (observed: ObservedUser, deactivation: Deactivation) =>
  observed.active && !(deactivation === 'temporarilyInactive' && observed.temporarilyInactive);

/** True when the user is to work: where suspending deactivates, a wanted suspension says no as well. */
export const isWantedActive = (desired: DesiredUser, deactivation: Deactivation) =>
  desired.active && !(deactivation === 'temporarilyInactive' && desired.temporarilyInactive);

/** Desired suspension; undefined: not ours. Where suspending deactivates, "not suspended" never lets an inactive user in. */
export function toWantedSuspension(
  desired: DesiredUser,
  deactivation: Deactivation,
): boolean | undefined {
  if (deactivation === 'scim') return desired.temporarilyInactive;
  return !isWantedActive(desired, deactivation);
}

/** The owned fields in which the service holds something else than what is desired; an unset one is not ours. */
export function listUserDifferences(
  desired: DesiredUser,
  observed: ObservedUser,
  cells: Cells<UserField>,
  deactivation: Deactivation,
): UserField[] {
  const { userName, address, name, appsPermissions, temporarilyInactive } = desired;
  const { email, fullName: shown, temporarilyInactive: isSuspended = false } = observed;
  const differs: Readonly<Record<UserField, boolean>> = {
    account: false,
    active: isWantedActive(desired, deactivation) !== isObservedActive(observed, deactivation),
    // As one string; the value that came back for exactly this name counts as this name.
    name: name !== undefined && !holds(cells.name, fullName(name), normaliseName(shown)),
    appsPermissions: appsPermissions !== undefined && appsPermissions !== observed.appsPermissions,
    temporarilyInactive:
      temporarilyInactive !== undefined &&
      toWantedSuspension(desired, deactivation) !== isSuspended,
    address: !isSameName(userName, observed.userName) || !isSameName(address, email),
  };
  return parseFields<UserField>(differs).filter((field) => differs[field]);
}

const isSameName = (a: string | undefined, b: string | undefined) =>
  a === undefined || b === undefined || foldCase(a) === foldCase(b);

/** Values of each owned field as an operator is shown them; undefined: no plan changes the field by itself. */
export function toUserValues(
  desired: DesiredUser,
  observed: ObservedUser,
  deactivation: Deactivation,
): FieldValues<UserField> {
  return {
    account: undefined,
    active: [isWantedActive(desired, deactivation), isObservedActive(observed, deactivation)],
    name: [desired.name && fullName(desired.name), observed.fullName],
    appsPermissions: [desired.appsPermissions, observed.appsPermissions],
    temporarilyInactive: [
      desired.temporarilyInactive ?? false,
      observed.temporarilyInactive ?? false,
    ],
    address: undefined,
  };
}
