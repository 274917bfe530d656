import type { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Sql } from 'sql-template-tag';
import type { StoreError } from './engine/store-error.ts';

/** The two databases that the store runs on. */
export type Engine = 'sqlite' | 'postgres';

/** What a statement came to. */
export interface Result<Row> {
  readonly rows: Row[];
  /** Rows that it has changed, if it gives none. */
  readonly changes: number;
}

/** First parameter of query functions: the store outside transactions, or one transaction. */
export interface Db {
  readonly engine: Engine;
  /** Runs a statement. @throws StoreError */
  run<Row extends object>(statement: Sql): Promise<Result<Row>>;
}

/** A part of a list, in the order of its numbers. */
export type ListPart = { readonly afterSeq: number; readonly limit: number };

/** Store of the desired and the observed state. Everything it throws by itself is a StoreError. */
export interface Store {
  readonly engine: Engine;
  /** Reads outside transactions; sees every committed write, and nothing that is not committed. */
  readonly read: Db;
  /** Runs single statements that must not wait: on PostgreSQL on a connection of its own. On SQLite the same as `read`. */
  readonly aside: Db;
  /** Tells the processes on this store that there is news in it. */
  readonly bell: Bell;
  /**
   * Runs `work` in a transaction; resolves with its value only after the commit is durable, and undoes everything when it
   * rejects. `work` awaits nothing but queries on its `tx`: on SQLite other writes wait for it, and a nested `write` would
   * wait for itself. After a deadlock it runs again, so it changes nothing but the store. A statement that fails ends it.
   */
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Record of the request that runs: the first transaction that is committed stores it, so that no change is without one. */
  readonly records: AsyncLocalStorage<{ isKept: boolean; insert(tx: Db): Promise<void> }>;
  /** Tells of every write from now on; of one listener, the latest. */
  onWrite(listen: (result: 'done' | 'failed', durationMs: number) => void): void;
  /** Finds why the store takes no writes, and since when, although it may be read: a small write is tried where the last one failed. */
  findWriteTrouble(now: number): Promise<{ code: string; sinceMs: number } | undefined>;
  /** Tells of every statement from now on, with its first word such as `select`; of one listener, the latest. */
  onStatement(
    listen: (ran: { verb: string; durationMs: number; hasFailed: boolean }) => void,
  ): void;
  /** Calls `hear` after each commit with the numbers of the users whose representation may have changed. Absent on PostgreSQL, which others write to. */
  watchUsers?(hear: (seqs: ReadonlySet<number>) => void): void;
  /** Connections of the pool now, and who waits for one; undefined on SQLite, which has none. */
  connections(): Readonly<Record<'used' | 'idle' | 'waiting', number>> | undefined;
  /** Makes the engine drop overwritten and deleted data, as far as that is its own to do. */
  scrub(): Promise<void>;
  /** Waits for running writes. Later ones are refused with `store-closed`. */
  close(): Promise<void>;
}

/** The part of a store that an engine makes. */
export type EngineStore = Omit<Store, 'records' | 'onWrite' | 'findWriteTrouble'>;

/** Does `work` as `store.write` does, and undoes it: resolves with what the same write would come to. */
export async function rehearse<T>(
  store: Pick<Store, 'write'>,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const undone = new Error('a rehearsal is undone');
  const rehearsal = store.write(async (tx) => {
    resolve(await work(tx));
    throw undone;
  });
  await rehearsal.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return promise;
}

/** Options for opening a store; those behind `beside` are PostgreSQL's alone. */
export interface StoreOptions {
  /** `sqlite:<path>` (relative to the working directory; created with its folder) or `postgres://…`. */
  url: string;
  /** Wait for a server that is not there yet, or for room on a full disk. `onWait`: after each failed attempt. */
  deadline?: { ms: number; signal: AbortSignal; onWait: (error: StoreError) => void };
  /** Opens a SQLite file beside the process that has it, for a write that this one need not know of. */
  beside?: true;
  /** The address for a new connection, whose password may be another by then; `url` when absent. */
  findUrl?: () => string;
  /** Called when an idle connection was lost. The next query opens another one. */
  onConnectionLost?: (error: StoreError) => void;
}

/** One kind of news for the processes on one store. */
export type Topic =
  | 'due' // Something became due for the leader.
  | 'decided' // An operator decided something, or asked for a sweep.
  | 'errand' // A process asks the leader for a call, or has its answer.
  | 'recorded' // The leader has stored what became of a change.
  | 'leader' // Another process leads, or may.
  | 'former-ids'; // Ids of an earlier SCIM server were added.

/** Tells all processes on one store of news. A ring may be lost, so each listener looks by itself now and then. */
export type Bell = Pick<LocalBell, 'listen'> & { readonly ring: (topic: Topic) => void };

/** Bell of one process. */
export type LocalBell = ReturnType<typeof createLocalBell>;

/** Creates a bell that nobody else hears. */
export function createLocalBell() {
  const news = new EventEmitter().setMaxListeners(0);
  return {
    /** Tells every listener, in this process too. Never fails. */
    ring: (topic: string): void => queueMicrotask(() => news.emit(topic)),
    /** Tells all of everything, after a time in which rings may have been lost. */
    ringAll() {
      for (const topic of news.eventNames()) news.emit(topic);
    },
    /** Calls `hear` at each ring, until the returned function is called. */
    listen(topic: Topic, hear: () => void) {
      news.on(topic, hear);
      return () => void news.off(topic, hear);
    },
  };
}

/** The record of one request: it is stored with the first change that the request makes, and completed with the answer. */
export type OpenRecord<Line> = ReturnType<typeof openRecord<Line>>;

/** Opens a record, which is stored as its kind says; `entry` tells requests apart. */
export function openRecord<Line>(
  { records }: Pick<Store, 'records'>,
  kind: {
    /** Stores what is known before the answer, unless this record is there already. */
    insert(tx: Db, entry: string): Promise<void>;
    /** Stores the rest; `isKept`: there is a record already. */
    end(lines: readonly Line[], known: { entry: string; isKept: boolean }): void;
  },
) {
  const entry = randomUUID();
  const record = { isKept: false, insert: (tx: Db) => kind.insert(tx, entry) };
  return {
    /** Runs what makes the changes. */
    run: <T>(work: () => T): T => records.run(record, work),
    /** Completes the record, which may be several lines. */
    end(lines: readonly Line[]): void {
      const { isKept } = record;
      record.isKept = true;
      kind.end(lines, { entry, isKept });
    },
  };
}
