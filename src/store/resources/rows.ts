import type { ObservedGroup } from '../../domain/group.ts';
import { type GivenKey, groupId, userId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import {
  deleteGroup,
  findGroupRow,
  type GroupChange,
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  toObservedGroup,
  updateGroup,
} from '../groups/groups.ts';
import type { Db } from '../store.ts';
import {
  deleteUser,
  findUserRow,
  lockUser,
  toObservedUser,
  type UserChange,
  type UserRow,
  updateUser,
} from '../users/users.ts';

/** Row of a user or group. */
export type ResourceRow = UserRow | GroupRow;

/** True for the row of a user. */
export function isUserRow(row: ResourceRow): row is UserRow {
  return 'upstream_id' in row;
}

/** Finds the row of a user or group, deleted or not. */
export async function findRow(db: Db, { type, id }: GivenKey): Promise<ResourceRow | undefined> {
  return type === 'user' ? findUserRow(db, id) : findGroupRow(db, id);
}

/** Finds it as `findRow` does, locked until the transaction ends. */
export async function lockRow(tx: Db, { type, id }: GivenKey): Promise<ResourceRow | undefined> {
  return type === 'user' ? lockUser(tx, userId(id)) : lockGroup(tx, groupId(id));
}

/** Locks a user or group whose row was read before, until the transaction ends. */
export async function lockAgain(tx: Db, row: ResourceRow): Promise<ResourceRow | undefined> {
  return isUserRow(row) ? lockUser(tx, row.id) : lockGroup(tx, row.id);
}

/** Changes a user or group, whose row the caller has read in the same transaction. */
export async function updateRow(
  tx: Db,
  row: ResourceRow,
  change: UserChange & GroupChange,
): Promise<void> {
  await (isUserRow(row) ? updateUser(tx, row.id, change) : updateGroup(tx, row.id, change));
}

/** Removes a user or group that was never created, or that is unmanaged and not in the service any more. */
export async function deleteRow(tx: Db, row: ResourceRow): Promise<void> {
  await (isUserRow(row) ? deleteUser(tx, row.id) : deleteGroup(tx, row.id));
}

/** True when the service is known to have what the row stands for, or had it at the last look. */
export function isLinked(row: ResourceRow): boolean {
  return isUserRow(row) ? row.upstream_id !== null : hasUpstreamIds(row);
}

/** Parses the last observation; undefined: there was none. */
export function toObservation(row: ResourceRow): ObservedUser | ObservedGroup | undefined {
  return isUserRow(row) ? toObservedUser(row) : toObservedGroup(row);
}
