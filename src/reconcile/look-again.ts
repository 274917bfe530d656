import { groupId, userId } from '../domain/ids.ts';
import { type GroupRow, lockGroup, updateGroup } from '../store/groups/groups.ts';
import type { Db } from '../store/store.ts';
import { lockUser, type UserRow, updateUser } from '../store/users/users.ts';
import { toLookAgainColumns } from './fate.ts';
import { toDoubtedColumns } from './retry-columns.ts';

/** Managed people and groups, by their SCIM ids. */
export interface ToLookAt {
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/**
 * Has people and groups looked at that somebody else may have changed; what is wanted stays as it was. What a
 * deleted one has become in the service is nobody's wish any more. `now` is epoch milliseconds.
 */
export async function markToLook(tx: Db, { users, groups }: ToLookAt, now: number): Promise<void> {
  // In one order, so that two transactions that name the same wait for each other and no more.
  for (const id of [...users].sort()) {
    const row = await lockUser(tx, userId(id));
    if (row?.deleted_at === null) await updateUser(tx, row.id, toLookColumns(row, now));
  }
  for (const id of [...groups].sort()) {
    const row = await lockGroup(tx, groupId(id));
    if (row?.deleted_at === null) await updateGroup(tx, row.id, toLookColumns(row, now));
  }
}

function toLookColumns(row: UserRow | GroupRow, now: number) {
  const { must_look } = toDoubtedColumns(row, now);
  return { ...toLookAgainColumns(row, now), must_look };
}
