import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely';
import { createLocalBell, createSharedBell, passRings } from '../bell.ts';
import type { Schema } from '../schema.ts';
import type { Store, StoreOptions } from '../store.ts';
import { type StatementListener, toVerb } from './dialect.ts';
import { toAttemptsMax } from './postgres-errors.ts';
import { openPool, type PoolOptions } from './postgres-pool.ts';
import { StoreError } from './store-error.ts';

const retryDelayMaxMs = 500;

/**
 * A store that several replicas share.
 * @throws StoreError `store-unavailable` when nothing answers, or a standby does.
 */
export async function openPostgres(options: StoreOptions): Promise<Store> {
  const { url, findUrl = () => url, connectionsMax = 10, onConnectionLost } = options;
  const listener: StatementListener = {};
  const open = (max: number, own?: Pick<PoolOptions, 'onSession'>) => {
    const pool = openPool({
      findUrl,
      connectionsMax: max,
      onConnectionLost: (e) => onConnectionLost?.(e),
      ...own,
    });
    return {
      pool,
      db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), log: toLog(listener) }),
    };
  };
  const { db, pool } = open(connectionsMax);

  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const running = createRunningWrites();
  const local = createLocalBell();
  // Connects when it is first used, and stays connected.
  const { db: aside } = open(1, { onSession: (session) => passRings(session, local) });
  const bell = createSharedBell(local, aside);
  return {
    engine: 'postgres',
    read: db,
    aside,
    bell,
    generation: () => undefined,
    onStatement: (tell) => {
      listener.tell = tell;
    },
    connections: pool.count,
    write: (work) => running.run(() => retryContended(() => db.transaction().execute(work))),
    // Old versions of rows go when the server vacuums, which is its own to do.
    scrub: async () => undefined,
    close: async () => {
      await Promise.all([running.finish(), bell.close()]);
      await Promise.all([db.destroy(), aside.destroy()]);
    },
  };
}

function toLog(listener: StatementListener): (event: LogEvent) => void {
  return ({ level, query, queryDurationMillis: durationMs }) =>
    listener.tell?.({ verb: toVerb(query.sql), durationMs, hasFailed: level === 'error' });
}

/** The pool drops those who wait for a connection when it ends, so the end waits for them. */
function createRunningWrites() {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    async run<T>(write: () => Promise<T>): Promise<T> {
      if (isClosed) throw new StoreError('store-closed', 'a write came after the store was closed');
      const outcome = write();
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    async finish(): Promise<void> {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
}

/**
 * Runs a transaction again that the server ended in favour of another (deadlock, serialisation failure), or that lost
 * the race to store a new resource. Delays double from 20 ms with full jitter, so that the same two do not meet again.
 */
async function retryContended<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!(error instanceof StoreError) || attempt >= toAttemptsMax(error)) throw error;
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, retryDelayMaxMs));
    }
  }
}
