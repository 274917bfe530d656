import { ask, askOnly, type Cells, isWaiting, parseFields } from './cell.ts';
import type { Combination } from './combine.ts';
import { isEntityField, leaveEntities, listWantedEntities } from './entity.ts';
import { GROUP_EXTENSION, toExtension, toWrittenName, USER_EXTENSION } from './extensions.ts';
import {
  type GroupField,
  type GroupState,
  isInService,
  listGroupDifferences,
  type OwnGroupField,
  toDesiredGroup,
} from './group.ts';
import type { JsonObject } from './json.ts';
import { isGone, type ResourceState, type Sightings } from './resource-state.ts';
import {
  type Deactivation,
  type DesiredUser,
  isObservedActive,
  listUserDifferences,
  toDesiredUser,
  type UserField,
  type UserState,
} from './user.ts';

/** The names by which a write names each owned field. */
const USER_NAMES: Readonly<Record<UserField, readonly string[]>> = {
  account: [],
  active: ['active'],
  name: ['name'],
  appsPermissions: [toWrittenName(USER_EXTENSION, 'appsPermissions')],
  temporarilyInactive: [toWrittenName(USER_EXTENSION, 'temporarilyInactive')],
  address: ['userName', 'emails'],
};
const GROUP_NAMES: Readonly<Record<OwnGroupField, readonly string[]>> = {
  existence: [],
  displayName: ['displayName'],
  permissions: [toWrittenName(GROUP_EXTENSION, 'permissions')],
  addToCardsAndSpacesEnabled: [toWrittenName(GROUP_EXTENSION, 'addToCardsAndSpacesEnabled')],
};

/** Owned fields of a user that a write names. */
export function toUserFields(names: ReadonlySet<string>): UserField[] {
  return parseFields<UserField>(USER_NAMES).filter((field) =>
    USER_NAMES[field].some((name) => names.has(name)),
  );
}

/** Owned fields of a group that a write names. */
export function toGroupFields(names: ReadonlySet<string>): OwnGroupField[] {
  return parseFields<OwnGroupField>(GROUP_NAMES).filter((field) =>
    GROUP_NAMES[field].some((name) => names.has(name)),
  );
}

/**
 * Attributes of a write that clears a suspension which a provider asked for: not suspended, which the service gets. A
 * suspension that a rule or the service gave is none of the write's, and a write that clears nothing is returned as it is.
 */
export function withSuspensionEnded({
  before,
  cells,
  attributes,
}: Pick<Combination<UserField>, 'cells' | 'attributes'> & {
  readonly before: JsonObject;
}): JsonObject {
  const read = (held: JsonObject) => toExtension(held, USER_EXTENSION).temporarilyInactive;
  const isCleared = read(before) === true && typeof read(attributes) !== 'boolean';
  if (!isCleared || cells.temporarilyInactive?.source?.value === true) return attributes;
  const extension = { ...toExtension(attributes, USER_EXTENSION), temporarilyInactive: false };
  return { ...attributes, [USER_EXTENSION]: extension };
}

/** A provider's write, as it decides what is left to do. */
interface Write<State, Field extends string> {
  /** State before the write. */
  readonly state: State;
  /** Cells with the sources of the values after it. */
  readonly cells: Cells<Field>;
  /** The attributes after it. */
  readonly attributes: JsonObject;
  readonly fields: readonly Field[];
  readonly version: number;
  readonly deactivation: Deactivation;
}

/** True for a field that a write names and that has to wait: the service does not hold its value for sure. */
function waits<Field extends string>(
  { state, cells }: Pick<Write<SeenState<Field>, Field>, 'state' | 'cells'>,
  field: Field,
  differing: readonly string[] | undefined,
): boolean {
  // What an earlier write still waits for is claimed, so that undoing that one cannot take it away.
  const isUnsure = state.mustLook || isGone(state.observed) || isWaiting(cells[field]);
  return isUnsure || (differing?.includes(field) ?? true);
}

/** State of what the service may have shown. */
interface SeenState<Field extends string> extends Pick<ResourceState<Field>, 'mustLook'> {
  readonly observed: Sightings | undefined;
}

/**
 * Cells after a write. A field that the write names waits when the service does not hold its value for sure,
 * also when it had drifted; fields that it does not name stay as they are. A user without a known account waits for one
 * while active, and for a look for one when access is taken away.
 */
export function toCellsAfterWrite(write: Write<UserState, UserField>): Cells<UserField> {
  const { state, cells, attributes, fields, version, deactivation } = write;
  const { observed } = state;
  const desired = toDesiredUser(attributes, state.deleted);
  if (state.upstreamId === undefined) {
    const waiting: UserField[] = desired.active || mayHaveAccount(state) ? ['account'] : [];
    return askOnly(cells, waiting, version);
  }
  const differing = observed && listUserDifferences(desired, observed, cells, deactivation);
  const waiting = fields.filter((field) => waits(write, field, differing));
  return ask(
    cells,
    waiting.filter((field) => isOwned(field, desired)),
    version,
  );
}

/**
 * True when a user without a known account may have one all the same: others may have made it, or a create did that is on
 * its way or whose answer was lost.
 */
function mayHaveAccount({ desired, cells, mustLook, sentCreates }: UserState): boolean {
  const isCreated = sentCreates.length > 0 || mustLook;
  return isWaiting(cells.account) ? isCreated : desired.active;
}

/** False for a field that was never set: it is not ours. */
export function isOwned(
  field: UserField,
  desired: Pick<DesiredUser, 'name' | 'appsPermissions' | 'temporarilyInactive'>,
): boolean {
  const isOptional =
    field === 'name' || field === 'appsPermissions' || field === 'temporarilyInactive';
  return !isOptional || desired[field] !== undefined;
}

/** The cells after a DELETE: an account that the service knows is deactivated; a create on its way has to be found first. */
export function toCellsAfterUserDeletion(
  state: UserState,
  { version, deactivation }: Pick<Write<UserState, UserField>, 'version' | 'deactivation'>,
): Cells<UserField> {
  const { cells, upstreamId, observed, mustLook } = state;
  if (upstreamId === undefined) {
    return askOnly(cells, mayHaveAccount(state) ? ['account'] : [], version);
  }
  const isSeen = observed !== undefined && !mustLook && !isWaiting(cells.active);
  const isDone = isSeen && !isObservedActive(observed, deactivation);
  return askOnly(cells, isDone ? [] : ['active'], version);
}

/** Cells after a write of the group itself; members and admins wait row by row. */
export function toCellsAfterGroupWrite(
  write: Omit<Write<Omit<GroupState, 'links'>, GroupField>, 'deactivation'>,
): Cells<GroupField> {
  const { state, cells, attributes, fields, version } = write;
  if (!isInService(state.ids)) {
    return askOnly(cells, ['existence', ...listWantedEntities(cells)], version);
  }
  const desired = toDesiredGroup(attributes);
  const differing = state.observed && listGroupDifferences(desired, state.observed, cells);
  // An entity is named where the rules want other roles in it.
  const waiting = fields.filter(
    (field) =>
      isEntityField(field) ||
      (waits(write, field, differing) && (field === 'existence' || desired[field] !== undefined)),
  );
  return ask(cells, waiting, version);
}

/** Deletion of a group. */
interface GroupDeletion {
  /** True for a group that the bridge made. */
  readonly isOwn: boolean;
  readonly mayBeThere: boolean;
  readonly version: number;
}

/**
 * Cells of a deleted group. One that the bridge made is to go where the service may have it; another one leaves the
 * entities into which the rules put it.
 */
export function toCellsAfterGroupDeletion(
  cells: Cells<GroupField>,
  { isOwn, mayBeThere, version }: GroupDeletion,
): Cells<GroupField> {
  const existence = isOwn && mayBeThere ? (['existence'] as const) : [];
  const asked = askOnly<GroupField>(cells, existence, version);
  return isOwn ? asked : leaveEntities<GroupField>(asked, version);
}
