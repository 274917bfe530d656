import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { toSqliteStoreError } from './store-error.ts';

interface Job {
  write(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Writes of one transaction at most: they share a commit well, and do not hold the event loop for long. */
const BATCH_MAX = 64;

/**
 * Group commit: writes run one after another, and those that wait at the same moment share one commit. `assertInPlace`
 * throws where the file is not the one that the path leads to.
 */
export function createWriteQueue(writer: DatabaseSync, assertInPlace: () => void) {
  const waiting: Job[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.length > 0) {
      // The events of this turn of the loop are handled first: their writes join the batch. A lone write
      // waits for nothing but them.
      await endOfTurn();
      waiting.unshift(...(await runBatch(waiting.splice(0, BATCH_MAX))));
    }
    isDraining = false;
  }

  /** Runs a batch in one transaction and settles its jobs. @returns the jobs that must run (again). */
  async function runBatch(batch: Job[]): Promise<Job[]> {
    const answers: (() => void)[] = [];
    try {
      assertInPlace();
      writer.exec('begin immediate');
      for (const { write, resolve, reject } of batch) {
        await write().then(
          (value) => answers.push(() => resolve(value)),
          (error: unknown) => answers.push(() => reject(error)),
        );
        // SQLite ended the whole transaction (disk full, I/O error): this job fails, and its neighbours run again without it.
        if (!writer.isTransaction) {
          answers.at(-1)?.();
          return batch.toSpliced(answers.length - 1, 1);
        }
      }
      writer.exec('commit');
    } catch (error) {
      if (writer.isTransaction) writer.exec('rollback');
      for (const { reject } of batch) reject(toSqliteStoreError(error));
      return [];
    }
    for (const answer of answers) answer();
    return [];
  }

  return {
    /**
     * Runs `write` in the transaction of a batch, perhaps twice, if a neighbour ended it. `write` undoes its own
     * changes before it rejects. Settles only after the commit, so that what it returns is durable. @throws StoreError;
     * what `write` throws
     */
    run<T>(write: () => Promise<T>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ write, resolve, reject });
      if (!isDraining) void drain();
      return promise;
    },
  };
}
