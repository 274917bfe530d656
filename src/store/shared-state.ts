import { parseStored } from './engine/columns.ts';
import { lockUntilCommit } from './engine/dialect.ts';
import type { Db } from './store.ts';
import { deleteWhere, findOne, putAll } from './tables.ts';

/** Makes the state that the store keeps under this name, for all processes and across restarts; its user alone knows the shape that is stored. */
export function createShared<Value>(name: string) {
  async function read(db: Db, lock: boolean): Promise<Value | undefined> {
    const row = await findOne(db, 'state', { name }, { lock });
    return row && parseStored<Value>(row.value);
  }

  /** Stores it, over what was. `now` is epoch milliseconds. */
  const save = (tx: Db, value: Value, now: number) =>
    putAll(tx, 'state', ['name'], [{ name, value: JSON.stringify(value), updated_at: now }]);

  return {
    /** Finds it; undefined: it is not known. */
    find: (db: Db) => read(db, false),
    /** Finds it, locked until the transaction ends, so that processes take turns. */
    lock: (tx: Db) => read(tx, true),
    save,
    /** Changes it, one process after the other, also where it is not stored yet. Returns it as it is then. */
    async change(tx: Db, now: number, change: (before: Value | undefined) => Value) {
      await lockUntilCommit(tx, 'shared-state');
      const value = change(await read(tx, false));
      await save(tx, value, now);
      return value;
    },
    /** Forgets it; false: it was not known. Of several processes one forgets it. */
    delete: async (tx: Db) => (await deleteWhere(tx, 'state', { name })).length > 0,
  };
}
