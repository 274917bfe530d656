import { lockUntilCommit } from './commit-lock.ts';
import { parseStored } from './engine/columns.ts';
import type { Db } from './store.ts';

/** Finds the value stored under this name. The caller names the shape that it stored. */
export async function findFact<T>(db: Db, name: string): Promise<T | undefined> {
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row && parseStored<T>(row.value);
}

/** Finds a fact as `findFact` does, locked until the transaction ends, so that processes take turns. */
export async function lockFact<T>(tx: Db, name: string): Promise<T | undefined> {
  const row = await tx
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  return row && parseStored<T>(row.value);
}

/**
 * Changes a fact, one process after the other, also where it is not stored yet. undefined: it is not to be changed.
 * Returns the fact as it is then.
 */
export async function changeFact<T>(
  tx: Db,
  name: string,
  { change, now }: { change: (before: T | undefined) => T | undefined; now: number },
): Promise<T | undefined> {
  await lockUntilCommit(tx, 'facts');
  const before = await findFact<T>(tx, name);
  const value = change(before);
  if (value === undefined) return before;
  await saveFact(tx, { name, value, now });
  return value;
}

/** Forgets what is known under this name. */
export async function deleteFact(tx: Db, name: string): Promise<void> {
  await tx.deleteFrom('facts').where('name', '=', name).execute();
}

/** Stores what is known under this name, over what was. `now` is epoch milliseconds. */
export async function saveFact(
  tx: Db,
  { name, value, now }: { name: string; value: unknown; now: number },
): Promise<void> {
  const text = JSON.stringify(value);
  await tx
    .insertInto('facts')
    .values({ name, value: text, updated_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text, updated_at: now }))
    .execute();
}
