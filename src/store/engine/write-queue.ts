import { setImmediate as endOfTurn } from 'node:timers/promises';
import { StoreError } from './store-error.ts';

/** The one transaction of a database with a single writer, as the queue needs it. */
export interface WriterTransaction {
  begin(): void;
  /** Returns only when the transaction is durable. */
  commit(): void;
  /** Undoes everything since begin(); harmless when the database has done so itself. */
  rollback(): void;
  /** False outside a transaction, also when the database gave one up by itself (disk full, I/O error). */
  isOpen(): boolean;
}

/** A write with the callbacks of its caller, which run after the commit. */
interface Job {
  write(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Group commit: writes run one after another, and those that wait at the same moment share one commit.
 * @param batchMax how many writes one transaction holds at most; between batches the event loop turns.
 */
export function createWriteQueue(transaction: WriterTransaction, batchMax: number) {
  const waiting: Job[] = [];
  let isClosed = false;
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // The events of this turn of the loop are handled first: their writes join the batch. A lone write
      // waits for nothing but them.
      await endOfTurn();
      const batch = waiting.splice(0, batchMax);
      waiting.unshift(...(await runBatch(transaction, batch)));
    }
    draining = undefined;
  }

  return {
    /**
     * Runs `write` inside the transaction of a batch. `write` undoes its own changes before it rejects, and
     * rejects when it finds the transaction gone. It may run again when that happened to a neighbour.
     * Settles only after the commit: a value that was returned is durable, and an error that was thrown
     * is not the echo of a neighbour whose change never became true.
     * @throws StoreError `store-closed`; whatever begin() and commit() throw; whatever `write` throws.
     */
    async run<T>(write: () => Promise<T>) {
      if (isClosed) throw new StoreError('store-closed', 'a write came after the store was closed');
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ write, resolve, reject });
      draining ??= drain();
      return promise;
    },
    /** Resolves when everything accepted so far is settled; what comes later is refused. */
    close: async () => {
      isClosed = true;
      await draining;
    },
  };
}

/** Runs a batch in one transaction and settles its jobs. @returns the jobs that must run (again). */
async function runBatch(transaction: WriterTransaction, batch: Job[]): Promise<Job[]> {
  const answers: (() => void)[] = [];
  try {
    transaction.begin();
    for (const { write, resolve, reject } of batch) {
      try {
        const value = await write();
        answers.push(() => resolve(value));
      } catch (error) {
        answers.push(() => reject(error));
      }
      if (!transaction.isOpen()) return withoutCulprit(batch, answers);
    }
    transaction.commit();
  } catch (error) {
    transaction.rollback();
    for (const { reject } of batch) reject(error);
    return [];
  }
  for (const answer of answers) answer();
  return [];
}

/**
 * The database ended the whole transaction during the last job that ran. That job fails with the reason; its neighbours
 * run again without it.
 */
function withoutCulprit(batch: Job[], answers: (() => void)[]): Job[] {
  answers.at(-1)?.();
  return batch.toSpliced(answers.length - 1, 1);
}
