import { keyText, type ResourceKey } from '../domain/values.ts';
import { lockRow, type ResourceRow, updateRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';

/** Makes live users and groups due for a look (`now`: epoch milliseconds), and returns them; desired state stays. */
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
    await updateRow(tx, row, toLookAgainColumns(row, now));
    marked.push(key);
  }
  return marked;
}

/** Columns that make a resource due for a look, without delaying earlier work. A look that is under way does not count. */
export function toLookAgainColumns(
  row: Pick<ResourceRow, 'due_at' | 'due_class' | 'must_look'>,
  now: number,
) {
  const isDue = row.due_at !== null;
  return {
    must_look: row.must_look + 1,
    due_at: Math.min(row.due_at ?? now, now),
    due_class: isDue ? row.due_class : (2 as const),
  };
}
