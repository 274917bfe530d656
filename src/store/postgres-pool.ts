import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { toPostgresStoreError } from './postgres-errors.ts';
import { createPulse, type Pulse } from './postgres-pulse.ts';
import { askServer, beginSession, type ServerMark } from './postgres-session.ts';
import { StoreError } from './store-error.ts';

/** Every wait has an end: for a connection, a lock, a statement, a transaction that went silent. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
  // What a host that vanished has locked comes free then.
  idle_in_transaction_session_timeout: 10_000,
};

/** How long a server may take to say that it is there, in milliseconds. */
const PULSE_WAIT_MS = 2_000;
/** What no server calls itself: a session that has not begun. */
const NO_SERVER: ServerMark = 'none';

/** int8, and numeric (what the server makes of sum(int8)). pg gives both as text, SQLite as numbers. */
const numberTypeOids: ReadonlySet<number> = new Set([20, 1700]);

/** Which connections to keep. */
export interface PoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** Told when an idle connection was lost. */
  readonly onConnectionLost: (error: StoreError) => void;
}

/**
 * Connections as kysely takes them, with every error in the words of the store. One that was lost, or whose server
 * takes no writes any more, is not used again.
 */
export function openPool({ url, connectionsMax, onConnectionLost }: PoolOptions): PostgresPool {
  const servers = new WeakMap<object, ServerMark>();
  const pulse = createPulse(() => askServer(url, PULSE_WAIT_MS));
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    application_name: 'scim-bridge',
    keepAlive: true,
    types: { getTypeParser },
    ...timeouts,
    onConnect: async (client) => {
      const waiting = { server: NO_SERVER, cut: () => cut(client) };
      servers.set(client, await pulse.during(waiting, beginSession(client)));
    },
  });
  // Without these two listeners a lost connection would end the process. While a connection is in use, the
  // query that runs, or the next one, fails with the reason; only the loss of an idle one is news.
  pool.on('error', (error) => onConnectionLost(toPostgresStoreError(error)));
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    options: pool.options,
    connect: async () => {
      try {
        const client = await pool.connect();
        return toClient(client, { pulse, server: servers.get(client) ?? NO_SERVER });
      } catch (error) {
        throw toPostgresStoreError(error);
      }
    },
    end: () => pool.end(),
  };
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (numberTypeOids.has(oid)) return Number;
  return pg.types.getTypeParser(oid, format);
}

/** Ends a connection without a word to the server, which fails the query that waits. */
function cut(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.end().catch(() => {});
}

function toClient(
  client: pg.PoolClient,
  { pulse, server }: { pulse: Pulse; server: ServerMark },
): PostgresPoolClient {
  const waiting = { server, cut: () => cut(client) };
  let lost: StoreError | undefined;

  async function run(text: string, parameters: readonly unknown[]): Promise<unknown> {
    // The rollback after a lost commit says nothing new.
    if (lost !== undefined) throw lost;
    try {
      return await pulse.during(waiting, client.query(text, [...parameters]));
    } catch (cause) {
      const error = toPostgresStoreError(cause);
      if (error.code !== 'store-unavailable') throw error;
      lost = text === 'commit' ? toUnsure(error) : error;
      throw lost;
    }
  }

  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new StoreError('store-failed', 'cursors are not used here');
    return run(text, parameters);
  }
  return { query, release: (destroy) => client.release(destroy === true || lost !== undefined) };
}

function toUnsure({ message, cause }: StoreError): StoreError {
  return new StoreError('store-unsure', `${message}, during a commit`, { cause });
}
