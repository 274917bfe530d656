import { setTimeout as sleep } from 'node:timers/promises';
import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import type { Db, Store, StoreOptions } from './database.ts';
import { toPostgresStoreError } from './postgres-errors.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** Every wait has an end: for a connection, a lock, a statement, a transaction that went silent. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 30_000,
};

/** int8, and numeric (what the server makes of sum(int8)). pg gives both as text, SQLite as numbers. */
const numberTypeOids: ReadonlySet<number> = new Set([20, 1700]);

const writeAttemptsMax = 8;
const retryDelayMaxMs = 500;

/**
 * A store that several replicas share.
 * @throws StoreError `store-unavailable` when nothing answers.
 */
export async function openPostgres(options: StoreOptions): Promise<Store> {
  const { url, connectionsMax = 10, onConnectionLost, random = Math.random } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    application_name: 'scim-bridge',
    keepAlive: true,
    types: { getTypeParser },
    ...timeouts,
  });
  // Without these two listeners a lost connection would end the process. While a connection is in use, the
  // query that runs, or the next one, fails with the reason; only the loss of an idle one is news.
  pool.on('error', (error) => onConnectionLost?.(toPostgresStoreError(error)));
  pool.on('connect', (client) => client.on('error', () => {}));
  const db: Db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: translatingPool(pool) }),
  });

  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const running = createRunningWrites();
  return {
    engine: 'postgres',
    read: db,
    generation: () => undefined,
    write: (work) =>
      running.run(() => retryContended(() => db.transaction().execute(work), random)),
    close: async () => {
      await running.finish();
      await db.destroy();
    },
  };
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

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (numberTypeOids.has(oid)) return Number;
  return pg.types.getTypeParser(oid, format);
}

/**
 * Runs a transaction again that the server gave up in favour of another (deadlock, serialisation failure).
 * Delays double from 20 ms with full jitter, so that the same two do not meet again.
 */
async function retryContended<T>(transact: () => Promise<T>, random: () => number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      const again = error instanceof StoreError && error.code === 'store-contended';
      if (!again || attempt >= writeAttemptsMax) throw error;
      await sleep(random() * Math.min(10 * 2 ** attempt, retryDelayMaxMs));
    }
  }
}

/** The pool as kysely sees it, with every error in the words of the store. */
function translatingPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => {
      try {
        return translatingClient(await pool.connect());
      } catch (error) {
        throw toPostgresStoreError(error);
      }
    },
    end: () => pool.end(),
  };
}

function translatingClient(client: pg.PoolClient): PostgresPoolClient {
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new StoreError('store-failed', 'cursors are not used here');
    return client.query(text, [...parameters]).catch((error: unknown) => {
      throw toPostgresStoreError(error);
    });
  }
  return { query, release: (destroy) => client.release(destroy) };
}
