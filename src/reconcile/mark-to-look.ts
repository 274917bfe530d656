import { keyText, type ResourceKey } from '../domain/ids.ts';
import { lockRow, type ResourceRow, updateRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { toStaleColumns } from './retry-columns.ts';

/**
 * Makes users and groups due for a look, after another author may have changed them; desired state stays. Deleted
 * resources are left out. `now` is epoch milliseconds. Returns those that are due.
 */
export async function markToLook(
  tx: Db,
  keys: readonly ResourceKey[],
  now: number,
): Promise<ResourceKey[]> {
  const marked: ResourceKey[] = [];
  // The rows are locked in one order, groups first, so that two transactions with the same rows do not deadlock.
  const byText = new Map(keys.map((key) => [keyText(key), key]));
  for (const [, key] of [...byText].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const row = await lockRow(tx, key);
    if (row?.deleted_at !== null) continue;
    await updateRow(tx, row, toLookColumns(row, now));
    marked.push(key);
  }
  return marked;
}

function toLookColumns(row: ResourceRow, now: number) {
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
