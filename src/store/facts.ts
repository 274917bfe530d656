import { lockUntilCommit } from './commit-lock.ts';
import { parseStored } from './engine/columns.ts';
import type { Db } from './store.ts';

/** A fact that the store keeps under one name, for all processes and across restarts. */
export interface Fact<Value> {
  /** Finds it; undefined: it is not known. */
  find(db: Db): Promise<Value | undefined>;
  /** Finds it, locked until the transaction ends, so that processes take turns. */
  lock(tx: Db): Promise<Value | undefined>;
  /** Stores it, over what was. `now` is epoch milliseconds. */
  save(tx: Db, value: Value, now: number): Promise<void>;
  /** Changes it, one process after the other, also where it is not stored yet. Returns it as it is then. */
  change(tx: Db, now: number, change: (before: Value | undefined) => Value): Promise<Value>;
  /** Forgets it. */
  delete(tx: Db): Promise<void>;
}

/** Makes the fact of this name; its user alone knows the shape that is stored. */
export function createFact<Value>(name: string): Fact<Value> {
  async function find(db: Db): Promise<Value | undefined> {
    return parse(await select(db).executeTakeFirst());
  }

  async function save(tx: Db, value: Value, now: number): Promise<void> {
    const text = JSON.stringify(value);
    const change = { value: text, updated_at: now };
    const insert = tx.insertInto('facts').values({ name, ...change });
    await insert.onConflict((conflict) => conflict.column('name').doUpdateSet(change)).execute();
  }

  const select = (db: Db) => db.selectFrom('facts').select('value').where('name', '=', name);
  const parse = (row: { readonly value: string } | undefined) =>
    row && parseStored<Value>(row.value);

  return {
    find,
    lock: async (tx) => parse(await select(tx).forUpdate().executeTakeFirst()),
    save,
    async change(tx, now, change) {
      await lockUntilCommit(tx, 'facts');
      const value = change(await find(tx));
      await save(tx, value, now);
      return value;
    },
    async delete(tx) {
      await tx.deleteFrom('facts').where('name', '=', name).execute();
    },
  };
}
