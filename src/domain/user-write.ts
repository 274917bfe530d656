import { ask, askOnly, type Cells, isWaiting, mustWait } from './cell.ts';
import type { Combination } from './combine.ts';
import { assertNever } from './errors.ts';
import { toExtension, toWrittenName, USER_EXTENSION } from './extensions.ts';
import type { JsonObject } from './json.ts';
import { isGone } from './resource-state.ts';
import {
  type Deactivation,
  type DesiredUser,
  isObservedActive,
  listUserDifferences,
  toDesiredUser,
  USER_FIELDS,
  type UserField,
  type UserState,
} from './user.ts';

/** Owned fields that a write names. */
export function toUserFields(names: ReadonlySet<string>): UserField[] {
  return USER_FIELDS.filter((field) => NAMES[field].some((name) => names.has(name)));
}

/** The names by which a write names each owned field. */
const NAMES: Readonly<Record<UserField, readonly string[]>> = {
  account: [],
  active: ['active'],
  name: ['name'],
  appsPermissions: [toWrittenName(USER_EXTENSION, 'appsPermissions')],
  temporarilyInactive: [toWrittenName(USER_EXTENSION, 'temporarilyInactive')],
  address: ['userName', 'emails'],
};

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

/** A provider's write of a user, as it decides what is left to do. */
export interface UserWrite {
  /** State before the write. */
  readonly state: UserState;
  /** Cells with the sources of the values after it. */
  readonly cells: Cells<UserField>;
  /** The attributes after it. */
  readonly attributes: JsonObject;
  readonly fields: readonly UserField[];
  readonly version: number;
  /** A step for this user may be on its way now, so what is observed may be about to change. */
  readonly inFlight: boolean;
  readonly deactivation: Deactivation;
}

/**
 * Cells after a write. A field that the write names waits when the service does not hold its value for sure,
 * also when it had drifted; fields that it does not name stay as they are. A user without a known account waits for one
 * while active, and for a look for one when access is taken away.
 */
export function toCellsAfterWrite(write: UserWrite): Cells<UserField> {
  const { state, cells, attributes, fields, version, inFlight, deactivation } = write;
  const desired = toDesiredUser(attributes, state.deleted);
  if (state.upstreamId === undefined) {
    const waiting: UserField[] = desired.active || mayHaveAccount(write) ? ['account'] : [];
    return askOnly(cells, waiting, version);
  }
  const isUnsure = inFlight || state.mustLook || isGone(state.observed);
  const differing = new Set(
    state.observed === undefined
      ? fields
      : listUserDifferences(desired, state.observed, cells, deactivation),
  );
  const waiting = fields.filter((field) =>
    mustWait(cells[field], { differs: differing.has(field), isUnsure }),
  );
  const owned = waiting.filter((field) => isOwned(field, desired));
  return ask(cells, owned, version);
}

/**
 * True when a user without a known account may have one all the same: others may have made it, or a create did that is on
 * its way or whose answer was lost.
 */
function mayHaveAccount({ state, inFlight }: Pick<UserWrite, 'state' | 'inFlight'>): boolean {
  const { desired, cells, mustLook, sentCreates } = state;
  const isCreated = sentCreates.length > 0 || inFlight || mustLook;
  return isWaiting(cells.account) ? isCreated : desired.active;
}

/** False for a field that was never set: it is not ours. */
export function isOwned(
  field: UserField,
  desired: Pick<DesiredUser, 'name' | 'appsPermissions' | 'temporarilyInactive'>,
): boolean {
  switch (field) {
    case 'name':
    case 'appsPermissions':
    case 'temporarilyInactive':
      return desired[field] !== undefined;
    case 'account':
    case 'active':
    case 'address':
      return true;
    default:
      return assertNever(field);
  }
}

/** The cells after a DELETE: an account that the service knows is deactivated; a create on its way has to be found first. */
export function toCellsAfterUserDeletion(
  state: UserState,
  { version, inFlight, deactivation }: Pick<UserWrite, 'version' | 'inFlight' | 'deactivation'>,
): Cells<UserField> {
  const { cells, upstreamId, observed, mustLook } = state;
  if (upstreamId === undefined) {
    return askOnly(cells, mayHaveAccount({ state, inFlight }) ? ['account'] : [], version);
  }
  const isSeen = observed !== undefined && !mustLook && !inFlight && !isWaiting(cells.active);
  const isDone = isSeen && !isObservedActive(observed, deactivation);
  return askOnly(cells, isDone ? [] : ['active'], version);
}
