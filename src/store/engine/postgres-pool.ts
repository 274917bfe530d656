import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { PoolConnections } from '../store.ts';
import { toPostgresStoreError, wasAnswered } from './postgres-errors.ts';
import { StoreError } from './store-error.ts';

/** Every wait has an end: for a connection, a lock, a statement, a transaction that went silent. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
  // Frees the locks of a process that stands still, well before those who wait for them give up. It runs its
  // transaction again when it goes on.
  idle_in_transaction_session_timeout: 1_000,
};

/** Time within which a server has to answer that it is there, in milliseconds. */
const PULSE_WAIT_MS = 2_000;
/** Marks that no server has: of a session that has not begun, and of what answers where no server does. */
const NOT_BEGUN: ServerMark = 'not begun';
const NO_SERVER: ServerMark = 'none';

/** int8, and numeric (what the server makes of sum(int8)). pg gives both as text, SQLite as numbers. */
const numberTypeOids: ReadonlySet<number> = new Set([20, 1700]);

interface PoolOptions {
  /** Finds the address for a new connection. */
  readonly findUrl: () => string;
  readonly connectionsMax: number;
  /** Called when an idle connection was lost. */
  readonly onConnectionLost: (error: StoreError) => void;
}

/**
 * Connections as kysely takes them, with every error in the words of the store. One that was lost, or whose server
 * takes no writes any more, is not used again.
 */
export function openPool({
  findUrl,
  connectionsMax,
  onConnectionLost,
}: PoolOptions): PostgresPool & { count(): PoolConnections } {
  const servers = new WeakMap<object, ServerMark>();
  const endings = new WeakMap<object, StoreError>();
  const pulse = createPulse(() => askServer(findUrl()));
  const pool = new pg.Pool({
    Client: toClientClass(findUrl),
    max: connectionsMax,
    application_name: 'scim-bridge',
    keepAlive: true,
    types: { getTypeParser },
    ...timeouts,
    onConnect: async (client) => {
      const waiting = { server: NOT_BEGUN, cut: () => cut(client) };
      servers.set(client, await pulse(waiting, beginSession(client)));
    },
  });
  // Without these two listeners a lost connection would end the process. While a connection is in use, the
  // query that runs, or the next one, fails with the reason; only the loss of an idle one is news.
  pool.on('error', (error) => onConnectionLost(toPostgresStoreError(error)));
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      const ending = toPostgresStoreError(error);
      if (ending.code === 'store-contended') endings.set(client, ending);
    }),
  );
  return {
    options: pool.options,
    connect: async () => {
      try {
        const client = await pool.connect();
        const server = servers.get(client) ?? NOT_BEGUN;
        return toClient(client, { pulse, server, findEnding: () => endings.get(client) });
      } catch (error) {
        throw toPostgresStoreError(error);
      }
    },
    end: () => pool.end(),
    count: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}

/** Connections that each ask for the address when they are made: a password may have changed. */
function toClientClass(findUrl: () => string): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: findUrl() });
    }
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

interface ClientParts {
  readonly pulse: Pulse;
  readonly server: ServerMark;
  /** Finds the reason for which the server has ended the session: nothing of its transaction is stored. */
  readonly findEnding: () => StoreError | undefined;
}

function toClient(
  client: pg.PoolClient,
  { pulse, server, findEnding }: ClientParts,
): PostgresPoolClient {
  const waiting = { server, cut: () => cut(client) };
  let lost: StoreError | undefined;

  async function run(text: string, parameters: readonly unknown[]): Promise<unknown> {
    // The rollback after a lost commit says nothing new.
    if (lost !== undefined) throw lost;
    try {
      return await pulse(waiting, client.query(text, [...parameters]));
    } catch (cause) {
      const error = toPostgresStoreError(cause);
      if (error.code !== 'store-unavailable') throw error;
      lost = findEnding() ?? (text === 'commit' ? toUnsure(error) : error);
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

/** Age at which a query makes the pool ask whether its server is still there, and interval of looking; in milliseconds. */
const SILENT_MS = 3_000;
const LOOK_MS = 500;

interface WaitingQuery {
  readonly server: ServerMark;
  /** Ends the connection, which fails the query. */
  readonly cut: () => void;
}

/** Waits for a query, whose connection is cut when its server is there no more. */
type Pulse = <T>(query: WaitingQuery, answer: Promise<T>) => Promise<T>;

/**
 * Cuts queries whose server vanished: its host closes no connection, so they would wait for a quarter of an hour.
 * Queries that take long go on, as long as the same server answers through another connection.
 * @param ask which server answers now; undefined: one does, and has no room for another connection. Rejects when none does
 */
function createPulse(ask: () => Promise<ServerMark | undefined>): Pulse {
  const waiting = new Map<WaitingQuery, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  async function feel(): Promise<void> {
    const before = performance.now() - SILENT_MS;
    const silent = [...waiting].filter(([, since]) => since <= before);
    if (silent.length === 0 || isAsking) return;
    isAsking = true;
    const server = await ask().catch(() => NO_SERVER);
    isAsking = false;
    if (server === undefined) return;
    for (const [query] of silent) if (waiting.has(query) && query.server !== server) query.cut();
  }

  return async (query, answer) => {
    waiting.set(query, performance.now());
    timer ??= setInterval(() => void feel(), LOOK_MS).unref();
    try {
      return await answer;
    } finally {
      waiting.delete(query);
      if (waiting.size === 0) timer = void clearInterval(timer);
    }
  };
}

/**
 * Start time of a server, which tells it from every other one: from the one at the same address after a fail-over, and
 * from itself after a restart.
 */
type ServerMark = string;

/**
 * First statement of every session. `synchronous_commit` is raised where the server would answer before a commit is on
 * its disk, and never lowered: an acknowledged write has to survive a crash.
 */
const BEGIN_SESSION = `
  select pg_is_in_recovery() as is_standby, pg_postmaster_start_time()::text as server,
    set_config('synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on'
        else current_setting('synchronous_commit') end, false)`;

/**
 * Has the server look whether we are still there while a statement runs: the locks of a killed process, whose statement
 * waits for another lock, are free at once.
 */
const WATCH_CLIENT = `set client_connection_check_interval = '500ms'`;

/**
 * Begins a session and returns the mark of its server. A standby may be behind, and "not found" would make a provider
 * create a user twice: it is not even read.
 * @throws StoreError `store-unavailable` for a standby; errors of pg
 */
async function beginSession(client: pg.ClientBase): Promise<ServerMark> {
  const { rows } = await client.query<{ is_standby: boolean; server: string }>(BEGIN_SESSION);
  const [session] = rows;
  if (session === undefined || session.is_standby) {
    const message = 'PostgreSQL: the server is a standby, which takes no writes';
    throw new StoreError('store-unavailable', message);
  }
  // A server before PostgreSQL 14, or on some systems, cannot do it.
  await client.query(WATCH_CLIENT).catch(() => undefined);
  return session.server;
}

/** Asks through a connection of its own which server answers now, as `createPulse` needs it. @throws errors of pg */
async function askServer(connectionString: string): Promise<ServerMark | undefined> {
  const client = new pg.Client({
    connectionString,
    application_name: 'scim-bridge',
    connectionTimeoutMillis: PULSE_WAIT_MS,
    query_timeout: PULSE_WAIT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server: string }>(
      'select pg_postmaster_start_time()::text as server',
    );
    return rows[0]?.server ?? '';
  } catch (error) {
    if (wasAnswered(toPostgresStoreError(error))) return undefined;
    throw error;
  } finally {
    // Not awaited: a server that does not answer does not say goodbye either.
    client.end().catch(() => {});
  }
}
