import { findCreationAddress } from './address.ts';
import type { Cells } from './cell.ts';
import { holds } from './cell.ts';
import type { ChangeKind } from './change.ts';
import type { EntityField, SeenEntities } from './entity.ts';
import { GROUP_EXTENSION, toExtension, toWrittenName, USER_EXTENSION } from './extensions.ts';
import type { LinkChange } from './link.ts';
import { findDesiredName, fullName, normaliseName } from './name.ts';
import type { Staged } from './provider.ts';
import type { GroupId, JsonObject, JsonValue, UserId } from './values.ts';
import { foldCase, parseFields } from './values.ts';

interface FieldRow {
  /** The attributes by which a write names it (`toWrittenName`). */
  readonly names: readonly string[];
  /** The changes that have the service hold it: where it is on or has a value, where it is off, and others. */
  readonly changes: readonly [on: ChangeKind, off?: ChangeKind, other?: ChangeKind];
}

const ownField = (urn: string, attribute: string, change: ChangeKind): FieldRow => ({
  names: [toWrittenName(urn, attribute)],
  changes: [change],
});

const USER_FIELDS = {
  /** That there is an account. */
  account: { names: [], changes: ['user.create'] },
  active: { names: ['active'], changes: ['user.activate', 'user.deactivate', 'user.delete'] },
  name: { names: ['name'], changes: ['user.rename'] },
  appsPermissions: ownField(USER_EXTENSION, 'appsPermissions', 'user.access'),
  temporarilyInactive: ownField(USER_EXTENSION, 'temporarilyInactive', 'user.access'),
  /** userName and e-mail, tried once, never repaired. */
  address: { names: ['userName', 'emails'], changes: ['user.address'] },
} satisfies Readonly<Record<string, FieldRow>>;

const GROUP_FIELDS = {
  existence: { names: [], changes: ['group.create', 'group.delete'] },
  displayName: { names: ['displayName'], changes: ['group.rename'] },
  permissions: ownField(GROUP_EXTENSION, 'permissions', 'group.permissions'),
  addToCardsAndSpacesEnabled: ownField(
    GROUP_EXTENSION,
    'addToCardsAndSpacesEnabled',
    'group.permissions',
  ),
} satisfies Readonly<Record<string, FieldRow>>;

/** Owned field of a user. */
export type UserField = keyof typeof USER_FIELDS;
/** Owned field of a group: its own, or its roles in an entity of the rules. Members and admins wait row by row. */
export type GroupField = keyof typeof GROUP_FIELDS | EntityField;
/** Owned field of a user or group, but for the roles in entities. */
export type OwnField = Exclude<Field, EntityField>;
/** Owned field of a user or group. */
export type Field = UserField | GroupField;

/** The owned fields of each type. No write names the roles in an entity. */
export const FIELDS_OF = { user: USER_FIELDS, group: GROUP_FIELDS } as const;

/** All of these fields. */
export const FIELDS: Readonly<Record<OwnField, FieldRow>> = { ...USER_FIELDS, ...GROUP_FIELDS };

/** Columns of the row of a managed user or group, or of one whose removal is still under way, and what follows from them. */
interface ResourceState<Type extends 'user' | 'group'> extends UpstreamIds {
  readonly type: Type;
  readonly cells: Cells<Field>;
  readonly version: number;
  readonly deleted_at: number | null;
  /** Why the service is to get nothing of it; null: it is. */
  readonly staged: Staged | null;
  /** The outcome of a call is unknown: look before anything else. */
  readonly mustLook: boolean;
  /** Under which names a create may have left it in the service. */
  readonly sent_creates: readonly SentCreate[];
}

/** Names that a create left with: until its outcome is known, the account or group is looked for by these. */
export interface SentCreate {
  /** The userName of a user, the name of a group. */
  readonly name: string;
  readonly address?: string;
}

/** When a user or group was seen. Times are epoch milliseconds; absent: never. */
export interface Sightings {
  /** Last shown by a list: of company users, or of groups by REST, which shows a group by itself as well. */
  readonly listedAt?: number;
  /** Last shown by SCIM. */
  readonly shownAt?: number;
  /** Last found not to be there. */
  readonly goneAt?: number;
  /** Time of the observation, and which read or call it came from. */
  readonly at: number;
  readonly by: string;
}

const toFacts = ({ at: _a, by: _b, listedAt: _l, shownAt: _s, goneAt: _g, ...facts }: Sightings) =>
  facts;

/** True when the newer sighting shows every fact of the older one. */
export function confirms(newer: Sightings, older: Sightings): boolean {
  const shown = toFacts(newer);
  return JSON.stringify({ ...shown, ...toFacts(older) }) === JSON.stringify(shown);
}

/** True when the newer sighting would change nothing but the times of the older one. */
export const isTheSame = (newer: Sightings, older: Sightings) =>
  !isGone(older) && toTimeless(newer) === toTimeless(older);

const toTimeless = ({ goneAt: _, ...seen }: Sightings) =>
  JSON.stringify({ ...seen, at: 0, listedAt: seen.listedAt && 0, shownAt: seen.shownAt && 0 });

/** True for a user or group that the service was found not to have since it was last seen. */
export const isGone = (observed: Pick<Sightings, 'at' | 'goneAt'> | null | undefined) =>
  observed?.goneAt !== undefined && observed.goneAt >= observed.at;

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

/** Text that replaces the name or id of an erased user. */
export const ERASED = 'erased';

/** Removes personal data from the observation of an erased user. */
export function withoutPersonalData(observed: ObservedUser): ObservedUser {
  const { userName: _, email: __, ...others } = observed;
  return { ...others, fullName: '' };
}

/** All that is known of one managed user, or of one whose removal is still under way. */
export interface UserState extends ResourceState<'user'> {
  readonly id: UserId;
  readonly desired: DesiredUser;
  readonly observed: ObservedUser | null;
}

/** Desired user, as far as the service can hold it. */
export type DesiredUser = Readonly<ReturnType<typeof toDesiredUser>>;

/** Maps the attributes of a managed user to the desired user. One who is `out`, deleted or staged, is to be inactive. */
export function toDesiredUser(attributes: JsonObject, out: boolean) {
  const { userName } = attributes;
  const { appsPermissions, temporarilyInactive } = toExtension(attributes, USER_EXTENSION);
  return {
    userName: typeof userName === 'string' ? userName : '',
    /** Address that an account is created with; undefined: there is none at all. */
    address: findCreationAddress(attributes),
    /** undefined: no provider ever gave a name, so the name is not ours. */
    name: findDesiredName(attributes),
    active: !out && attributes.active !== false,
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
export function toSentUser(user: Pick<DesiredUser, 'userName' | 'address'>): SentCreate {
  const { userName: name, address } = user;
  return address === undefined ? { name } : { name, address };
}

/** Switch of the service that stands for `active` (settings: users.deactivation). */
export type Deactivation = 'scim' | 'temporarilyInactive';

/** True for a user who works, or is to work: where suspending deactivates, a suspension says no as well. */
export const isWorking = (
  user: Pick<DesiredUser | ObservedUser, 'active' | 'temporarilyInactive'>,
  deactivation: Deactivation,
) => user.active && !(deactivation === 'temporarilyInactive' && user.temporarilyInactive);

/** Desired suspension; undefined: not ours. Where suspending deactivates, "not suspended" never lets an inactive user in. */
export const toWantedSuspension = (desired: DesiredUser, deactivation: Deactivation) =>
  deactivation === 'scim' ? desired.temporarilyInactive : !isWorking(desired, deactivation);

/** All that is known of one managed user or group. */
export type State = UserState | GroupState;

/** Parts of a state that are compared. */
export type Compared = 'type' | 'desired' | 'observed' | 'cells';
/** What is compared of a user or group. */
export type ComparedState = Pick<UserState, Compared> | Pick<GroupState, Compared>;

/** The wanted and the observed value of each field that a plan changes by itself. An unset field is not ours. */
export function toValues(
  state: ComparedState,
  deactivation: Deactivation,
): { readonly [F in OwnField]?: readonly (JsonValue | undefined)[] } {
  if (state.observed === null) return {};
  if (state.type === 'group') {
    const { desired, observed } = state;
    const flag = 'addToCardsAndSpacesEnabled';
    return {
      displayName: [desired.displayName, observed.displayName],
      permissions: [desired.permissions, observed.permissions],
      [flag]: [desired[flag], observed[flag]],
    };
  }
  const { desired, observed } = state;
  const { name, appsPermissions, temporarilyInactive: isAway } = desired;
  const suspension = isAway === undefined ? undefined : toWantedSuspension(desired, deactivation);
  return {
    active: [isWorking(desired, deactivation), isWorking(observed, deactivation)],
    name: [name && fullName(name), observed.fullName],
    appsPermissions: [appsPermissions, observed.appsPermissions],
    temporarilyInactive: [suspension, observed.temporarilyInactive ?? false],
  };
}

/** Lists the owned fields of which the service does not hold the wanted value; undefined: nothing was observed. */
export function listDiffering(
  state: ComparedState,
  deactivation: Deactivation,
): OwnField[] | undefined {
  if (state.observed === null) return undefined;
  const values = toValues(state, deactivation);
  const differing = parseFields<OwnField>(values).filter((field) => {
    const [wanted, seen] = values[field] ?? [];
    return wanted !== undefined && !holds(state.cells[field], wanted, seen);
  });
  return hasAddress(state) ? differing : [...differing, 'address'];
}

/** True unless the service shows a user under another userName or address than the wanted one. */
function hasAddress(state: ComparedState): boolean {
  if (state.type === 'group') return true;
  const { desired, observed } = state;
  return (
    isSameName(desired.userName, observed?.userName) && isSameName(desired.address, observed?.email)
  );
}

const isSameName = (a: string | undefined, b: string | undefined) =>
  a === undefined || b === undefined || foldCase(a) === foldCase(b);

/** Ids by which the service knows a user, by the first alone, or a group; null: not known. "SCIM id = REST id" or "= uid" is a thing to be learned. */
export interface UpstreamIds {
  readonly upstream_id: number | null;
  readonly upstream_scim_id: string | null;
  readonly upstream_uid: string | null;
}

/** True when the service is known to have the user or group, or had it at the last look. */
export const isLinked = ({ upstream_id, upstream_scim_id, upstream_uid }: UpstreamIds) =>
  (upstream_id ?? upstream_scim_id ?? upstream_uid) !== null;

/** Last observation of a group, without its members. */
export interface ObservedGroup extends Sightings {
  readonly displayName: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
  /** When the service made the group, in its words: it tells groups apart. Empty: the service says it now so, now otherwise. */
  readonly created?: string;
}

/** The time of creation after the service has shown the user or group once more. */
export function withCreated(
  before: { readonly created?: string } | null | undefined,
  shown: string | undefined,
) {
  const created = before?.created ?? shown;
  if (created === undefined) return {};
  return { created: shown === undefined || shown === created ? created : '' };
}

/** True for another group than the one that was seen: it has neither its name nor its time of creation. */
export function isAnotherGroup(
  before: ObservedGroup | null | undefined,
  { displayName, created }: { readonly displayName: string; readonly created?: string | undefined },
): boolean {
  if (!created || !before?.created || created === before.created) return false;
  return normaliseName(displayName) !== normaliseName(before.displayName);
}

/** All that is known of one managed group, or of one whose removal is still under way. */
export interface GroupState extends ResourceState<'group'> {
  readonly id: GroupId;
  readonly desired: DesiredGroup;
  readonly observed: ObservedGroup | null;
  /** null: they were not listed yet, or a call of unknown outcome may have changed them since. */
  readonly entities: SeenEntities | null;
  /** Only groups that the bridge created are removed; others are released. */
  readonly origin: 'created' | 'adopted' | null;
  readonly links: readonly LinkChange[];
}

/** Desired group, as far as the service can hold it. */
export type DesiredGroup = Readonly<ReturnType<typeof toDesiredGroup>>;

/** Maps the attributes of a managed group to the desired group. */
export function toDesiredGroup(attributes: JsonObject) {
  const { displayName } = attributes;
  const extension = toExtension(attributes, GROUP_EXTENSION);
  const { permissions, addToCardsAndSpacesEnabled: isAdded } = extension;
  return {
    displayName: typeof displayName === 'string' ? displayName : '',
    permissions: typeof permissions === 'number' ? permissions : undefined,
    addToCardsAndSpacesEnabled: typeof isAdded === 'boolean' ? isAdded : undefined,
  };
}
