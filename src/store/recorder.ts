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

/** How records of one kind are stored; `entry` tells requests apart. */
interface RecordKind<Line> {
  /** Stores what is known before the answer, unless this record is there already. */
  readonly insert: (tx: Db, entry: string) => Promise<void>;
  readonly end: (lines: readonly Line[], known: { entry: string; isKept: boolean }) => void;
}

/** Opens records of requests. */
export type OpenRecordOf = <Line>(kind: RecordKind<Line>) => OpenRecord<Line>;

/** Has every transaction of a request store the record of it, until one is committed: no change is without its record. */
export function createRecorder(store: Store): {
  readonly store: Store;
  readonly openRecord: OpenRecordOf;
} {
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
  return {
    store: { ...store, write },
    openRecord({ insert, end }) {
      const entry = randomUUID();
      const request = { isKept: false, insert: (tx: Db) => insert(tx, entry) };
      return {
        run: (work) => requests.run(request, work),
        end(lines) {
          const known = { entry, isKept: request.isKept };
          request.isKept = true;
          end(lines, known);
        },
      };
    },
  };
}
