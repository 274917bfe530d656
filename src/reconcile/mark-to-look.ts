import { groupId, type ResourceKey, userId } from '../domain/ids.ts';
import { type GroupRow, lockGroup, updateGroup } from '../store/groups/groups.ts';
import type { Db } from '../store/store.ts';
import { lockUser, type UserRow, updateUser } from '../store/users/users.ts';
import { toStaleColumns } from './retry-columns.ts';

/** Managed users and groups, by their SCIM ids. */
export interface ToLookAt {
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/**
 * Makes users and groups due for a look, after another author may have changed them; desired state stays. Deleted
 * resources are left out. `now` is epoch milliseconds. Returns those that are due.
 */
export async function markToLook(
  tx: Db,
  { users, groups }: ToLookAt,
  now: number,
): Promise<ResourceKey[]> {
  const marked: ResourceKey[] = [];
  // The rows are locked in one order, so that two transactions with the same rows do not deadlock.
  for (const id of [...groups].sort().map(groupId)) {
    const row = await lockGroup(tx, id);
    if (row?.deleted_at !== null) continue;
    await updateGroup(tx, id, toLookColumns(row, now));
    marked.push({ type: 'group', id });
  }
  for (const id of [...users].sort().map(userId)) {
    const row = await lockUser(tx, id);
    if (row?.deleted_at !== null) continue;
    await updateUser(tx, id, toLookColumns(row, now));
    marked.push({ type: 'user', id });
  }
  return marked;
}

function toLookColumns(row: UserRow | GroupRow, now: number) {
  const { must_look } = toStaleColumns(now);
  return { ...toLookAgainColumns(row, now), must_look };
}

/** Columns that make a resource due for a look, without delaying earlier work. */
export function toLookAgainColumns(
  row: { readonly due_at: number | null; readonly due_class: 0 | 1 | 2 },
  now: number,
) {
  const due =
    row.due_at === null
      ? ({ due_at: now, due_class: 2 } as const)
      : { due_at: Math.min(row.due_at, now), due_class: row.due_class };
  return { ...due, must_look: 1 };
}
