import pg from 'pg';
import type { PoolConnections, StoreOptions } from '../store.ts';
import { UNLIMITED } from './dialect.ts';
import type { Run } from './session.ts';
import { StoreError, toPostgresStoreError } from './store-error.ts';

/** Every wait has an end: for a connection, a lock, a statement, a transaction that went silent. */
const TIMEOUTS = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 10_000,
  // Frees the locks of a process that stands still, well before those who wait for them give up. It runs its
  // transaction again when it goes on.
  idle_in_transaction_session_timeout: 1_000,
};

/** Time after which a server that has not even ended a statement has vanished with its host, in milliseconds. */
const VANISHED_MS = 12_000;
/** Idle time after which the operating system asks whether the server's host is there, in milliseconds. */
const SILENT_MS = 3_000;

/** int8, and numeric (what the server makes of sum(int8)). pg gives both as text, SQLite as numbers. */
const NUMBER_OIDS: readonly number[] = [20, 1700];

interface PoolOptions {
  readonly connectionsMax: number;
  /** Watches the statements of a connection. */
  readonly watch: (run: Run) => Run;
  /** Called with each new connection, which stays open then. */
  readonly onSession?: (client: pg.ClientBase) => Promise<void>;
}

/**
 * Opens connections, with every error in the words of the store. One that was lost, or whose server takes no writes any
 * more, is not used again.
 */
export function openPool(
  { url, findUrl = () => url, onConnectionLost }: StoreOptions,
  { connectionsMax, watch, onSession }: PoolOptions,
) {
  // Why the server has ended a session: nothing of its transaction is stored.
  const endings = new WeakMap<object, StoreError>();
  const pool = new pg.Pool({
    Client: toClientClass(findUrl),
    max: connectionsMax,
    application_name: 'scim-bridge',
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENT_MS,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBER_OIDS.includes(oid) ? Number : pg.types.getTypeParser(oid, format),
    },
    ...TIMEOUTS,
    ...(onSession && { idleTimeoutMillis: 0 }),
    onConnect: async (client) => {
      await beginSession(client);
      await onSession?.(client);
    },
  });
  // Without these two listeners a lost connection would end the process. While a connection is in use, the
  // query that runs, or the next one, fails with the reason; only the loss of an idle one is news.
  pool.on('error', (error) => onConnectionLost?.(toPostgresStoreError(error)));
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      const ending = toPostgresStoreError(error);
      if (ending.code === 'store-contended') endings.set(client, ending);
    }),
  );

  /** Works with one connection. */
  async function use<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw toPostgresStoreError(error);
    });
    const { run, isLost } = createRun(client, () => endings.get(client));
    try {
      return await work(watch(run));
    } finally {
      client.release(isLost());
    }
  }

  return {
    use,
    /** Runs one statement on any connection. */
    run: <Row>(text: string, values: readonly unknown[]) => use((run) => run<Row>(text, values)),
    async end() {
      if (!pool.ending) await pool.end();
    },
    count: (): PoolConnections => ({
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

/** Creates what runs statements on a connection. @param findEnding why the server has ended the session */
function createRun(client: pg.PoolClient, findEnding: () => StoreError | undefined) {
  let lost: StoreError | undefined;
  let waitMs: number | undefined = VANISHED_MS;

  const run: Run = async (text, values) => {
    // The rollback after a lost commit says nothing new.
    if (lost !== undefined) throw lost;
    if (text === UNLIMITED) waitMs = undefined;
    try {
      const query = { text, values: [...values], ...(waitMs && { query_timeout: waitMs }) };
      const { rows, rowCount } = await client.query(query);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (cause) {
      const error = toPostgresStoreError(cause);
      if (error.code !== 'store-unavailable') throw error;
      lost = findEnding() ?? (text === 'commit' ? toUnsure(error) : error);
      throw lost;
    }
  };
  return { run, isLost: () => lost !== undefined };
}

function toUnsure({ message, cause }: StoreError): StoreError {
  return new StoreError('store-unsure', `${message}, during a commit`, { cause });
}

/**
 * First statement of every session. `synchronous_commit` is raised where the server would answer before a commit is on
 * its disk, and never lowered: an acknowledged write has to survive a crash.
 */
const BEGIN_SESSION = `
  select pg_is_in_recovery() as is_standby,
    set_config('synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on'
        else current_setting('synchronous_commit') end, false)`;

/**
 * Has the server look whether we are still there while a statement runs: the locks of a killed process, whose statement
 * waits for another lock, are free at once.
 */
const WATCH_CLIENT = `set client_connection_check_interval = '500ms'`;

/**
 * Begins a session. A standby may be behind, and "not found" would make a provider create a user twice: it is not even
 * read.
 * @throws StoreError `store-unavailable` for a standby; errors of pg
 */
async function beginSession(client: pg.ClientBase): Promise<void> {
  const query = { text: BEGIN_SESSION, query_timeout: VANISHED_MS };
  const { rows } = await client.query<{ is_standby: boolean }>(query);
  if (rows[0]?.is_standby !== false) {
    const message = 'PostgreSQL: the server is a standby, which takes no writes';
    throw new StoreError('store-unavailable', message);
  }
  // A server before PostgreSQL 14, or on some systems, cannot do it.
  await client.query(WATCH_CLIENT).catch(() => undefined);
}
