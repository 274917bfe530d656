import { listWaiting } from '../../domain/cell.ts';
import { userId } from '../../domain/ids.ts';
import { toCellsAfterUserDeletion } from '../../domain/user-write.ts';
import { toTombstone, toUserCellColumns } from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { lockGroupsOf } from '../../store/links/shown.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { toDeparture } from '../../store/users/leavers.ts';
import { toUserState, updateUser } from '../../store/users/users.ts';
import type { ProviderDeps } from '../deps.ts';
import { assertAdoptsOnDelete, assertUserWithinLimits } from '../writes/wall.ts';
import type { UserWriteResult, WriteTarget } from '../writes/write-result.ts';
import { assertAdoptable, lockOwnUser } from './change-user.ts';
import { assertMayLose, toUserUndo } from './store-change.ts';

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
  const row = await lockOwnUser(tx, deps, target);
  await assertUserWithinLimits(tx, deps, { row, attributes: undefined });
  if (row.origin === null) {
    await assertAdoptable(tx, deps, row);
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
    ...toUserCellColumns(cells),
    ...(leaves && toDeparture(row, now)),
  };
  await updateUser(tx, row.id, change);
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
