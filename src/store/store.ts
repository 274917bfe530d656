import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Bell } from './bell.ts';
import { isUnsure, StoreError } from './engine/store-error.ts';
import type { Schema } from './schema.ts';

/** The two databases that the store runs on. */
export type Engine = 'sqlite' | 'postgres';

/** First parameter of query functions: the store outside transactions, or one transaction. */
export type Db = Kysely<Schema>;

/** A part of a list, in the order of its numbers. */
export interface ListPart {
  readonly afterSeq: number;
  readonly limit: number;
}

/** Statement that the store has run. */
export interface RanStatement {
  /** First word, such as `select`. */
  readonly verb: string;
  readonly durationMs: number;
  readonly hasFailed: boolean;
}

/** Connections of a pool, and who waits for one. */
export interface PoolConnections {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

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
   * Runs `work` in a transaction; resolves with its value only after the commit is durable. When `work`
   * rejects, everything it changed is undone and its own error comes back.
   *
   * `work` awaits nothing but queries on its `tx`, and the next turn of the event loop where it is long: on SQLite other writes wait for it, and a nested
   * `write` would wait for itself. It may run again from the start (after a deadlock, or when a neighbour
   * met a full disk), so it changes nothing but the store. A statement that fails ends it, because
   * PostgreSQL refuses to go on: prefer `insert … on conflict` to a catch.
   */
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Tells of every statement from now on; of one listener, the latest. */
  onStatement(listen: (statement: RanStatement) => void): void;
  /** Connections of the pool now; undefined on SQLite, which has none. */
  connections(): PoolConnections | undefined;
  /** Makes the engine drop overwritten and deleted data, as far as that is its own to do. */
  scrub(): Promise<void>;
  /** Waits for running writes. Later ones are refused with `store-closed`. */
  close(): Promise<void>;
}

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

/** Time to find out what became of a write, in milliseconds: as long as a restart of the store takes. */
const FIND_OUT_MS = 3_000;
const ASK_EVERY_MS = 200;

/** Asks the store again while it fails. @throws StoreError the last failure, when the time to find out is over */
export async function askUntilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + FIND_OUT_MS; ; await sleep(ASK_EVERY_MS)) {
    try {
      return await ask();
    } catch (error) {
      const isOver = performance.now() > until || !(error instanceof StoreError);
      if (isOver || error.code === 'store-closed') throw error;
    }
  }
}

/**
 * Writes as `store.write` does. Where the connection is lost during the commit, `isKept` looks whether it was kept;
 * undefined: that does not show. @throws StoreError `store-unsure` if it cannot be found out in time
 */
export async function writeSurely<T>(
  store: Pick<Store, 'write'>,
  work: (tx: Db) => Promise<T>,
  isKept: (tx: Db, written: T) => Promise<boolean | undefined>,
): Promise<T> {
  let last: { readonly written: T } | undefined;
  try {
    return await store.write(async (tx) => {
      last = { written: await work(tx) };
      return last.written;
    });
  } catch (error) {
    if (!isUnsure(error) || last === undefined) throw error;
    const { written } = last;
    const ask = () => store.write((tx) => isKept(tx, written));
    const answer = await askUntilAnswered(ask).catch(() => undefined);
    if (answer === true) return written;
    if (answer === undefined) throw error;
    throw new StoreError('store-unavailable', 'the commit was lost', { cause: error });
  }
}

/** Options for opening a store. */
export interface StoreOptions {
  /** `sqlite:<path>` (relative to the working directory; created with its folder) or `postgres://…`. */
  url: string;
  /** Setting or option with that address, for messages; `DATABASE_URL` when absent. */
  named?: string;
  /** PostgreSQL only: the address for a new connection, whose password may be another by then; `url` when absent. */
  findUrl?: () => string;
  /** PostgreSQL only: connections at most, without the one of `aside`; 10 when absent. */
  connectionsMax?: number;
  /** PostgreSQL only: called when an idle connection was lost. The next query opens another one. */
  onConnectionLost?: (error: StoreError) => void;
  /** SQLite only: opens the file beside the process that has it, for a write that this one need not know of. */
  beside?: true;
  /** Wait for a server that is not there yet, or for room on a full disk; none when absent. `onWait`: after each failed attempt. */
  deadline?: { ms: number; signal: AbortSignal; onWait: (error: StoreError) => void };
}
