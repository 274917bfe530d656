import { userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import { isObservedActive, type UserField, type UserState } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import type { ScimDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { assertPreconditions, type Preconditions } from '../http/etag.ts';
import { assertAdoptsOnDelete, toTombstone } from '../writes/tombstone.ts';
import type { UserWriteResult } from '../writes/write-result.ts';
import { assertAdoptable } from './change-user.ts';
import { assertMayLose } from './store-change.ts';

/** A DELETE of one user. */
export interface UserDeletion {
  readonly id: string;
  readonly preconditions: Preconditions;
}

/**
 * Deletes a user: gone from every answer at once, then deactivated in the service, and removed from the
 * managed groups once that is done.
 * @throws ScimError 404, 412, 403 (protected, or not to be adopted)
 */
export async function storeUserDeletion(
  tx: Db,
  deps: ScimDeps,
  { id, preconditions }: UserDeletion,
): Promise<UserWriteResult> {
  const row = await lockUser(tx, userId(id));
  if (row === undefined || row.deleted_at !== null) throw notFound('User');
  assertPreconditions(preconditions, row.version);
  if (row.origin === null) {
    await assertAdoptable(tx, deps, row);
    assertAdoptsOnDelete(deps.policy.adoptUsersOnDelete, 'USERS_ADOPT_ON_DELETE');
  }
  await assertMayLose(tx, deps.rules.protection, row);
  const now = deps.clock.now();
  const version = row.version + 1;
  const state = toUserState(row);
  const pending = toPendingAfterDeletion(state, {
    version,
    inFlight: isInFlight(row),
    deactivation: deps.policy.deactivation,
  });
  const isDue = Object.keys(pending).length > 0;
  const change = toTombstone(row, { pending, isDue, now });
  await updateUser(tx, row.id, change);
  const left = isDue ? [] : await leaveGroups(tx, row.id, now);
  return {
    type: 'user',
    id: row.id,
    row: { ...row, ...change },
    undo: isDue ? toUndo(row) : undefined,
    notifies: left.length > 0,
  };
}

/** A user that the service knows is deactivated; the result of a create on its way has to be found first. */
function toPendingAfterDeletion(
  state: UserState,
  {
    version,
    inFlight,
    deactivation,
  }: { version: number; inFlight: boolean; deactivation: ScimDeps['policy']['deactivation'] },
): Pending<UserField> {
  if (state.upstreamId === undefined) {
    const mayExist = state.pending.account !== undefined && (inFlight || state.mustLook);
    return mayExist ? { account: version } : {};
  }
  const isSettled =
    state.observed !== undefined &&
    !state.mustLook &&
    !inFlight &&
    state.pending.active === undefined &&
    !isObservedActive(state.observed, deactivation);
  return isSettled ? {} : { active: version };
}

function toUndo(row: UserRow): UserWriteResult['undo'] {
  return {
    type: 'user',
    before: {
      attributes: parseStored<JsonObject>(row.attributes),
      pending: parseStored<Pending<UserField>>(row.pending),
      given: row.given,
      origin: row.origin,
      deleted: false,
    },
    after: row.attributes,
  };
}
