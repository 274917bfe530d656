import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import sql, { join } from 'sql-template-tag';
import type { Db, EngineStore, LocalBell, StoreOptions, Topic } from '../store.ts';
import { createLocalBell } from '../store.ts';
import { execute, UNLIMITED } from './dialect.ts';
import type { Run } from './session.ts';
import { createSessions } from './session.ts';
import { StoreError, toPostgresStoreError } from './store-error.ts';

/** A store that several replicas share. @throws StoreError `store-unavailable`, for a standby too */
export async function openPostgres(options: StoreOptions): Promise<EngineStore> {
  const { open, watch, transact, onStatement } = createSessions('postgres');
  const pool = openPool(options, { max: CONNECTIONS_MAX, watch });
  await pool.run('select 1', []).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const local = createLocalBell();
  // Connects when it is first used, such as by the first look at who leads, and stays connected.
  const onSession = (session: pg.ClientBase) => passRings(session, local);
  const own = openPool(options, { max: 1, watch, onSession });
  const aside = open(own.run);

  return {
    engine: 'postgres',
    read: open(pool.run),
    aside,
    bell: { ring: createRinger(aside), listen: local.listen },
    onStatement,
    connections: pool.count,
    write: (work) =>
      retryContended(() =>
        pool.use((run) => {
          const undo = () => run('rollback', []);
          return transact(run, { begin: 'begin', commit: 'commit', undo }, work);
        }),
      ),
    // Old versions of rows go when the server vacuums, which is its own to do.
    scrub: async () => undefined,
    close: async () => void (await Promise.all([pool.end(), own.end()])),
  };
}

/** Connections at most, without the one of `aside`. */
const CONNECTIONS_MAX = 10;

/** Attempts at a transaction that lost against another one: ended by the server, or second to store the same row, which it sees the next time. */
const ATTEMPTS_MAX: Partial<Record<string, number>> = { 'store-contended': 8, 'store-conflict': 4 };
const RETRY_DELAY_MAX_MS = 500;
/** Time from which on no attempt is begun, in milliseconds: waiting for a locked row takes `lock_timeout`. */
const RETRY_MS = 6_000;

async function retryContended<T>(transact: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      const attemptsMax = (error instanceof StoreError && ATTEMPTS_MAX[error.code]) || 1;
      if (attempt >= attemptsMax || performance.now() > until) throw error;
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, RETRY_DELAY_MAX_MS));
    }
  }
}

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

/** Opens connections with errors in the words of the store. A lost or read-only one is not used again. */
function openPool(
  { url, findUrl = () => url, onConnectionLost }: StoreOptions,
  {
    max,
    watch,
    onSession,
  }: { max: number; watch(run: Run): Run; onSession?(client: pg.ClientBase): Promise<void> },
) {
  // Why the server has ended a session: nothing of its transaction is stored.
  const endings = new WeakMap<object, StoreError>();
  const pool = new pg.Pool({
    // Each connection asks for the address when it is made: a password may have changed.
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: findUrl() });
      }
    },
    max,
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
    count: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
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
      return { rows, changes: rowCount ?? 0 };
    } catch (cause) {
      const error = toPostgresStoreError(cause);
      if (error.code !== 'store-unavailable') throw error;
      const { message } = error;
      const unsure = new StoreError('store-unsure', `${message}, during a commit`, { cause });
      lost = findEnding() ?? (text === 'commit' ? unsure : error);
      throw lost;
    }
  };
  return { run, isLost: () => lost !== undefined };
}

/** First statement of a session. `synchronous_commit` is never lowered: an acknowledged write survives any crash. */
const BEGIN_SESSION = `
  select pg_is_in_recovery() as is_standby,
    set_config('synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on'
        else current_setting('synchronous_commit') end, false)`;

/** Has the server notice a killed process while its statement runs, so that its locks are free at once. */
const WATCH_CLIENT = `set client_connection_check_interval = '500ms'`;

/** Begins a session. A standby may be behind, so it is not even read. @throws StoreError `store-unavailable`; errors of pg */
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

const CHANNEL = 'scim_bridge';

/** Passes on what is rung on PostgreSQL, as long as the session lasts. What was rung before is lost, so everybody looks. */
async function passRings(session: pg.ClientBase, local: LocalBell): Promise<void> {
  session.on('notification', ({ payload }) => payload && local.ring(payload));
  await session.query(`listen ${CHANNEL}`);
  local.ringAll();
}

/** Creates what rings the bell of all processes on a server. A ring that is lost with the connection is no loss: everybody looks now and then. */
function createRinger(aside: Db) {
  const waiting = new Set<Topic>();
  let isSending = false;
  return async (topic: Topic): Promise<void> => {
    waiting.add(topic);
    if (isSending) return;
    isSending = true;
    // Rings that come while one is on its way go together.
    while (waiting.size > 0) {
      const rings = [...waiting].map((one) => sql`pg_notify(${CHANNEL}, ${one})`);
      waiting.clear();
      await execute(aside)`select ${join(rings)}`.catch(() => undefined);
    }
    isSending = false;
  };
}
