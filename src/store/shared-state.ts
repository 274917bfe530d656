import { parseStored } from './engine/columns.ts';
import { lockUntilCommit } from './engine/dialect.ts';
import type { Db, Store } from './store.ts';
import { deleteWhere, findOne, putAll } from './tables.ts';

/** State that the store keeps under one name, for all processes and across restarts. */
export type Shared<Value> = ReturnType<typeof createShared<Value>>;

/** Makes the shared state of this name; its user alone knows the shape that is stored. */
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

/** Interval of reading a followed value again, because another process may have changed it, in milliseconds. */
const REFRESH_MS = 1_000;

/** Keeps shared state in memory, for what is asked all the time, and follows it once it is started; `onSet` is called with each value. @throws StoreError */
export async function followShared<Value>(
  { read, engine }: Pick<Store, 'read' | 'engine'>,
  shared: Shared<Value>,
  onSet: (value: Value | undefined, before: Value | undefined) => void = () => undefined,
) {
  let value: Value | undefined = await shared.find(read);
  let changes = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Takes what this process has stored. */
  function set(next: Value | undefined): void {
    const before = value;
    value = next;
    changes += 1;
    onSet(next, before);
  }

  /** Reads it again; what is known stays while the store does not answer. Never rejects. */
  async function refresh(): Promise<void> {
    const before = changes;
    const next = await shared.find(read).catch(() => value);
    // A change made by this process meanwhile is newer.
    if (changes === before) set(next);
  }

  return {
    /** As of the last reading; undefined: it is not known. */
    get value() {
      return value;
    },
    set,
    refresh,
    /** Reads it again from time to time, where other processes share the store. */
    start() {
      if (engine === 'postgres') timer = setInterval(refresh, REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
