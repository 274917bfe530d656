import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { createLocalBell, createSharedBell, passRings } from '../bell.ts';
import type { Store, StoreOptions } from '../store.ts';
import { openPool } from './postgres-pool.ts';
import { createSessions } from './session.ts';
import { LOCK_TIMEOUT, StoreError, toSqlState } from './store-error.ts';

/**
 * A store that several replicas share.
 * @throws StoreError `store-unavailable` when nothing answers, or a standby does.
 */
export async function openPostgres(options: StoreOptions): Promise<Store> {
  const { connectionsMax = 10 } = options;
  const sessions = createSessions('postgres');
  const pool = openPool(options, { connectionsMax, watch: sessions.watch });
  await pool.run('select 1', []).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const local = createLocalBell();
  // Connects when it is first used, and stays connected.
  const onSession = (session: ClientBase) => passRings(session, local);
  const own = openPool(options, { connectionsMax: 1, watch: sessions.watch, onSession });
  const aside = sessions.open(own.run);
  const bell = createSharedBell(local, aside);
  // The pool drops those who wait for a connection when it ends, so the end waits for them.
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const transact: Store['write'] = (work) =>
    pool.use((run) => {
      const undo = () => run('rollback', []);
      return sessions.transact(run, { begin: 'begin', commit: 'commit', undo }, work);
    });

  return {
    engine: 'postgres',
    read: sessions.open(pool.run),
    aside,
    bell,
    generation: () => undefined,
    onStatement: sessions.onStatement,
    connections: pool.count,
    async write(work) {
      if (isClosed) throw new StoreError('store-closed', 'a write came after the store was closed');
      const outcome = retryContended(() => transact(work));
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    // Old versions of rows go when the server vacuums, which is its own to do.
    scrub: async () => undefined,
    async close() {
      isClosed = true;
      await Promise.all([Promise.allSettled(running), bell.close()]);
      await Promise.all([pool.end(), own.end()]);
    },
  };
}

const RETRY_DELAY_MAX_MS = 500;

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
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, RETRY_DELAY_MAX_MS));
    }
  }
}

/**
 * Unique indexes over the ids of the service and over names: the second transaction that stores the same new resource
 * only has to look again, and then knows the owner.
 */
const SEEN_INDEXES: readonly unknown[] = [
  'resources_upstream',
  'resources_scim_id',
  'resources_uid',
  'resources_managed_name',
];

/** Number of times that a transaction which failed in this way is run, the first time included. */
function toAttemptsMax({ code, cause }: StoreError): number {
  // Each takes as long as the timeout.
  if (toSqlState(cause) === LOCK_TIMEOUT) return 2;
  if (code === 'store-contended') return 8;
  // The next time it sees what the other one stored, and perhaps meets one more.
  return SEEN_INDEXES.includes(Object(cause).constraint) ? 4 : 1;
}
