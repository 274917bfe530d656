import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Db, Store } from './store.ts';

/** The record of one request: it is stored with the first change that the request makes, and completed with the answer. */
export interface OpenRecord<Line> {
  /** Runs what makes the changes. */
  run<T>(work: () => T): T;
  /** Completes the record, which may be several lines. */
  end(lines: readonly Line[]): void;
}

/** Opens a record, which is stored as its kind says; `entry` tells requests apart. */
export type OpenRecordOf = <Line>(kind: {
  /** Stores what is known before the answer, unless this record is there already. */
  insert(tx: Db, entry: string): Promise<void>;
  /** Stores the rest; `isKept`: there is a record already. */
  end(lines: readonly Line[], known: { entry: string; isKept: boolean }): void;
}) => OpenRecord<Line>;

/** Has every transaction of a request store the record of it, until one is committed: no change is without its record. */
export function createRecorder(store: Store) {
  const requests = new AsyncLocalStorage<{ isKept: boolean; insert(tx: Db): Promise<void> }>();
  const write: Store['write'] = async (work) => {
    const request = requests.getStore();
    if (request === undefined || request.isKept) return store.write(work);
    const value = await store.write(async (tx) => {
      const done = await work(tx);
      await request.insert(tx);
      return done;
    });
    request.isKept = true;
    return value;
  };
  const openRecord: OpenRecordOf = ({ insert, end }) => {
    const entry = randomUUID();
    const request = { isKept: false, insert: (tx: Db) => insert(tx, entry) };
    return {
      run: (work) => requests.run(request, work),
      end(lines) {
        const { isKept } = request;
        request.isKept = true;
        end(lines, { entry, isKept });
      },
    };
  };
  return { store: { ...store, write }, openRecord };
}
