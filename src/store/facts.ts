import { lockUntilCommit } from './commit-lock.ts';
import { parseStored } from './engine/columns.ts';
import type { Db, Store } from './store.ts';
import { deleteWhere, findOne, putRow } from './tables.ts';

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
  const find = async (db: Db, lock = false): Promise<Value | undefined> => {
    const row = await findOne(db, 'facts', { name }, { lock });
    return row && parseStored<Value>(row.value);
  };
  const save = (tx: Db, value: Value, now: number): Promise<void> =>
    putRow(tx, 'facts', ['name'], { name, value: JSON.stringify(value), updated_at: now });

  return {
    find: (db) => find(db),
    lock: (tx) => find(tx, true),
    save,
    async change(tx, now, change) {
      await lockUntilCommit(tx, 'facts');
      const value = change(await find(tx));
      await save(tx, value, now);
      return value;
    },
    async delete(tx) {
      await deleteWhere(tx, 'facts', { name });
    },
  };
}

/** Interval of reading a followed fact again, because another process may have changed it, in milliseconds. */
const REFRESH_MS = 1_000;

/** A fact in memory, for what is asked all the time. */
export interface FollowedFact<Value> {
  /** As of the last reading; undefined: it is not known. */
  readonly value: Value | undefined;
  /** Takes what this process has stored. */
  set(value: Value | undefined): void;
  /** Reads it again; what is known stays while the store does not answer. Never rejects. */
  refresh(): Promise<void>;
  /** Reads it again from time to time, where other processes share the store. */
  start(): void;
  stop(): void;
}

/** Reads a fact and follows it once it is started; `onSet` is called with each value. @throws StoreError */
export async function followFact<Value>(
  { read, engine }: Pick<Store, 'read' | 'engine'>,
  fact: Fact<Value>,
  onSet: (value: Value | undefined, before: Value | undefined) => void = () => undefined,
): Promise<FollowedFact<Value>> {
  let value: Value | undefined = await fact.find(read);
  let changes = 0;
  let timer: NodeJS.Timeout | undefined;

  function set(next: Value | undefined): void {
    const before = value;
    value = next;
    changes += 1;
    onSet(next, before);
  }

  async function refresh(): Promise<void> {
    const before = changes;
    const next = await fact.find(read).catch(() => value);
    // A change made by this process meanwhile is newer.
    if (changes === before) set(next);
  }

  return {
    get value() {
      return value;
    },
    set,
    refresh,
    start() {
      if (engine === 'postgres') timer = setInterval(refresh, REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
