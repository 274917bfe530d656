import { findCreationAddress } from '../../domain/address.ts';
import { listWaiting } from '../../domain/cell.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listTakenFromUser, onlyTaken, type TakenUserField } from '../../domain/protection.ts';
import { toDesiredUser } from '../../domain/user.ts';
import { toCellsAfterUserDeletion, toUserFields } from '../../domain/user-write.ts';
import { parseStored, toCellColumns, toTombstone } from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { leaveGroups, lockGroupsOf } from '../../store/links/of-users.ts';
import { toDeparture } from '../../store/resources/leavers.ts';
import { type UserRow, updateRow } from '../../store/resources/rows.ts';
import { toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { invalidValue, ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { assertAdoptable } from '../writes/adoption.ts';
import { assertAdoptsOnDelete, assertUserWithinLimits, lockOwn } from '../writes/wall.ts';
import type { UserWriteResult, WriteTarget } from '../writes/write-result.ts';
import { withAssigned } from './assigned.ts';
import { type AskedChange, assertAddress, assertFits, withStoredManagerRef } from './attributes.ts';
import { assertNamesFree, type UserNames } from './match-account.ts';
import { adoptableUsers, assertMayLose, storeUserChange, toUserUndo } from './store-change.ts';

/** A PUT or PATCH of one user. */
export interface UserChange extends WriteTarget {
  change(before: JsonObject): AskedChange;
  readonly repairs: Repairs;
}

/**
 * Stores a change of a user in one transaction.
 * @throws ScimError 404, 412, 403 (protected, or beyond the wall), 409 (another user has the name or address), 400
 */
export async function storeUser(
  tx: Db,
  deps: ProviderDeps,
  request: UserChange,
): Promise<UserWriteResult> {
  const row = await lockOwn(tx, deps, 'user', request);
  const before = parseStored<JsonObject>(row.attributes);
  const change = { row, before, asked: request.change(before) };
  const { attributes, names } = await findAllowed(tx, deps, { change, repairs: request.repairs });
  const result = await storeUserChange(tx, deps, {
    row,
    before,
    attributes,
    names,
  });
  // Only now is it known that the write changes something; a refusal takes all of it back.
  if (row.origin === null && result.row !== row) await adopt(tx, deps, row);
  return result;
}

interface CheckedChange {
  readonly row: UserRow;
  readonly before: JsonObject;
  readonly asked: AskedChange;
}

/** The change or, where its rest is refused, the access that it takes alone. @throws ScimError 400, 403, 409 */
async function findAllowed(
  tx: Db,
  deps: ProviderDeps,
  { change, repairs }: { readonly change: CheckedChange; readonly repairs: Repairs },
): Promise<Pick<AskedChange, 'attributes' | 'names'>> {
  try {
    return await toAllowed(tx, deps, change);
  } catch (error) {
    const { before, asked } = change;
    const taken = listTaken(change);
    if (!(error instanceof ScimError) || !repairs.leaveOut || taken.length === 0) throw error;
    repairs.leaveOut(error);
    const less = onlyTaken({ before, after: asked.attributes, urn: USER_EXTENSION }, taken);
    return toAllowed(tx, deps, { ...change, asked: { ...asked, ...less } });
  }
}

/** What the change takes; a number of licences beside entitlements may contradict them, and is refused then. */
function listTaken({ row, before, asked: { attributes, names } }: CheckedChange): TakenUserField[] {
  const taken = listTakenFromUser({
    before: toDesiredUser(before, false),
    after: toDesiredUser(attributes, false),
    observed: toObservedUser(row),
    isInService: row.upstream_id !== null,
    fields: toUserFields(names),
  });
  return taken.filter((field) => field !== 'appsPermissions' || !names.has('entitlements'));
}

async function toAllowed(
  tx: Db,
  deps: ProviderDeps,
  { row, before, asked: { placeOf, ...written } }: CheckedChange,
): Promise<Pick<AskedChange, 'attributes' | 'names'>> {
  const held = { attributes: before, isManaged: row.origin !== null };
  const assigned = withAssigned(held, written);
  const attributes = withStoredManagerRef(assigned.attributes, deps.baseUrl);
  if (typeof attributes.userName !== 'string' || attributes.userName.trim() === '') {
    throw invalidValue('A User needs a userName.');
  }
  assertFits(before, attributes);
  assertAddress(before, attributes, placeOf);
  await assertNamesFree(tx, deps, {
    row,
    ...{ before: toNames(before), after: toNames(attributes) },
  });
  await assertUserWithinLimits(tx, deps, { row, attributes });
  return { attributes, names: assigned.names };
}

function toNames(attributes: JsonObject): UserNames {
  return { userName: String(attributes.userName), address: findCreationAddress(attributes) };
}

async function adopt(tx: Db, deps: ScimDeps, row: UserRow): Promise<void> {
  await assertAdoptable(tx, deps, { kind: adoptableUsers, row });
  deps.telemetry.adopted({ type: 'user', id: row.id });
}

/**
 * Deletes a user: gone from every answer at once, then deactivated in the service, and removed from the
 * managed groups once that is done.
 * @throws ScimError 404, 412, 403 (protected, beyond the wall, or not to be adopted)
 */
export async function storeUserDeletion(
  tx: Db,
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<UserWriteResult> {
  // The groups that show the user get a new version.
  await lockGroupsOf(tx, userId(target.id), 'all');
  const row = await lockOwn(tx, deps, 'user', target);
  await assertUserWithinLimits(tx, deps, { row, attributes: undefined });
  if (row.origin === null) {
    await adopt(tx, deps, row);
    assertAdoptsOnDelete(deps.policy.adoptUsersOnDelete, 'USERS_ADOPT_ON_DELETE');
  }
  await assertMayLose(tx, deps.rules.protection, row);
  const now = deps.clock.now();
  const version = row.version + 1;
  const cells = toCellsAfterUserDeletion(toUserState(row), {
    version,
    inFlight: isInFlight(row),
    deactivation: deps.policy.deactivation,
  });
  const isDue = listWaiting(cells).length > 0;
  const tombstone = toTombstone(row, { isDue, now, provider: deps.provider });
  const leaves = isDue || row.active === 1;
  const change = {
    ...tombstone,
    ...toCellColumns(cells),
    ...(leaves && toDeparture(row, now)),
  };
  await updateRow(tx, row, change);
  const left = isDue ? [] : await leaveGroups(tx, row.id, now);
  return {
    type: 'user',
    id: row.id,
    row: { ...row, ...change },
    undo: isDue ? toUserUndo(row, { after: row.attributes, removes: false }) : undefined,
    takesAccess: true,
    notifies: left.length > 0,
  };
}
