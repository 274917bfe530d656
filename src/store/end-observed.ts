import type { GroupId, UserId } from '../domain/ids.ts';
import { deleteGroup } from './groups.ts';
import { listLinkedUsers, touchGroupsOf, touchUsers } from './shown-links.ts';
import type { Db } from './store.ts';
import { deleteUser } from './users.ts';

/**
 * Forgets an unmanaged person whom the service has no more, and their places in groups: whoever comes with the same
 * account again is somebody new. `now` is epoch milliseconds.
 */
export async function endObservedUser(tx: Db, id: UserId, now: number): Promise<void> {
  await touchGroupsOf(tx, id, now);
  await deleteUser(tx, id);
}

/** Forgets an unmanaged group that the service has no more; whoever was in it is shown without it. */
export async function endObservedGroup(tx: Db, id: GroupId, now: number): Promise<void> {
  const linked = await listLinkedUsers(tx, id);
  await deleteGroup(tx, id);
  await touchUsers(tx, linked, now);
}
