import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { Clock } from '../../domain/clock.ts';
import { readSteady } from '../../domain/clock.ts';
import type { Db, EngineStore, Store, StoreOptions } from '../store.ts';
import { createShared } from '../tables.ts';
import { isPostgres, readNumber, SERVER_NOW, select } from './dialect.ts';
import { openSqlite } from './sqlite.ts';
import type { StoreErrorCode } from './store-error.ts';
import { isAbsent, StoreError } from './store-error.ts';

const TRY_AGAIN_MS = 500;

/** Opens the store and proves that it answers; waits for it until the deadline. @throws StoreError, which says what to do */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, deadline } = options;
  const until = performance.now() + (deadline?.ms ?? 0);
  for (;;) {
    try {
      return watchWrites(await open(options));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isInTime = performance.now() < until && deadline?.signal.aborted === false;
      const isPassing = findPath(url) ? error.code === 'store-full' : isAbsent(error);
      if (!isInTime || !isPassing) throw toOpeningError(error, url);
      deadline.onWait(error);
      await sleep(TRY_AGAIN_MS, undefined, { signal: deadline.signal }).catch(() => {});
    }
  }
}

async function open(options: StoreOptions): Promise<EngineStore> {
  const path = findPath(options.url);
  // A private in-memory database has one connection; ours needs a reader beside the writer.
  if (path !== undefined && !path.startsWith(':memory:')) return openSqlite(path, options);
  if (/^postgres(ql)?:\/\//.test(options.url))
    return (await import('./postgres.ts')).openPostgres(options);
  const message = 'the address of the store is neither sqlite:<path> nor postgres://…';
  throw new StoreError('store-url', message);
}

const findPath = (url: string) => /^sqlite:(.+)$/.exec(url)?.[1];

/** Codes of a store that cannot be used; other errors are about one piece of work alone. */
export const OUTAGE_CODES: ReadonlySet<StoreErrorCode> = new Set([
  'store-full',
  'store-unavailable',
  'store-unsure',
  'store-busy',
  'store-replaced',
  'store-corrupt',
]);

const WRITE_CHECK = createShared<number>('write-check');

/** Counts writes, remembers why they fail, and lets those that run end before the store is closed. */
function watchWrites(store: EngineStore): Store {
  const records: Store['records'] = new AsyncLocalStorage();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  let listener: Parameters<Store['onWrite']>[0] | undefined;
  let trouble: { readonly code: StoreErrorCode; readonly beganAt: number } | undefined;

  const write: Store['write'] = async (work) => {
    if (isClosed) throw new StoreError('store-closed', 'a write came after the store was closed');
    const beganAt = performance.now();
    const record = records.getStore();
    const outcome = store.write(async (tx) => {
      const value = await work(tx);
      if (record?.isKept === false) await record.insert(tx);
      return value;
    });
    running.add(outcome);
    try {
      const value = await outcome;
      if (record !== undefined) record.isKept = true;
      trouble = undefined;
      listener?.('done', performance.now() - beganAt);
      return value;
    } catch (error) {
      if (error instanceof StoreError && OUTAGE_CODES.has(error.code))
        trouble = { code: error.code, beganAt: trouble?.beganAt ?? performance.now() };
      listener?.('failed', performance.now() - beganAt);
      throw error;
    } finally {
      running.delete(outcome);
    }
  };

  return {
    ...store,
    write,
    records,
    onWrite(listen) {
      listener = listen;
    },
    async findWriteTrouble(now) {
      if (trouble === undefined) return undefined;
      // A failure of this write is in `trouble`.
      await write((tx) => WRITE_CHECK.save(tx, now, now)).catch(() => {});
      const toSince = (beganAt: number) => Math.round(now + beganAt - performance.now());
      return trouble && { code: trouble.code, sinceMs: toSince(trouble.beganAt) };
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await store.close();
    },
  };
}

/** Errors whose words say already which store they are about. */
const NAMED: readonly string[] = ['store-url', 'store-in-use'];

/** Says of a store that cannot be opened which it is, and why. It shows no secret of the address. */
function toOpeningError(error: StoreError, url: string): StoreError {
  const { code, cause } = error;
  if (NAMED.includes(code)) return error;
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' };
  const place = findPath(url) ?? `on PostgreSQL at ${host}${pathname}`;
  const why = findWords(cause) ?? error.message;
  const message = `the store ${place} cannot be opened: ${why}. See ${code} in docs/runbook.md`;
  return new StoreError(code, message, { cause });
}

function findWords(cause: unknown): string | undefined {
  // Of several addresses of a host each has its error.
  if (cause instanceof AggregateError) return findWords(cause.errors[0]);
  const words = cause instanceof Error ? cause.message : '';
  return words === '' ? undefined : words.replaceAll(/\s+/g, ' ');
}

/** True for PostgreSQL with `fsync` off, where a crash loses commits. @throws StoreError */
export const isNotFlushed = async (db: Db) =>
  isPostgres(db) && (await select(db)`select 1 where current_setting('fsync') <> 'on'`).length > 0;

/** Time for which a comparison of the clocks holds, in milliseconds: a host may stand still, and its clock goes unevenly. */
const COMPARED_MS = 5_000;

/** Clock of the server where hosts share the store, so that a stored time means the same to all; else the host's own. @throws StoreError */
export async function openStoreClock(store: Store, host: Clock): Promise<Clock> {
  if (!isPostgres(store.read)) return host;
  let leadMs = await compare(store, host, undefined);
  let comparedAt = performance.now();
  return {
    now() {
      // A clock with no steady one beside it is as good as one: it is compared with once.
      if (host.steady !== undefined && performance.now() - comparedAt > COMPARED_MS) {
        comparedAt = performance.now();
        // A store that does not answer is reported by other parts: the last comparison stays.
        const keep = () => leadMs;
        void compare(store, host, leadMs).then((ms) => (leadMs = ms), keep);
      }
      return Math.round(readSteady(host) + leadMs);
    },
    steady: () => readSteady(host),
    sleep: (ms, signal) => host.sleep(ms, signal),
  };
}

/** Finds the lead of the server's time over the host's steady one; a known one stays unless it is contradicted. */
async function compare({ read }: Store, host: Clock, knownMs: number | undefined): Promise<number> {
  const askedAt = readSteady(host);
  const server = (await readNumber(read, sql`select ${SERVER_NOW}`)) || host.now();
  const [leastMs, mostMs] = [server - readSteady(host), server - askedAt];
  const isKnown = knownMs !== undefined && knownMs >= leastMs && knownMs <= mostMs;
  return isKnown ? knownMs : (leastMs + mostMs) / 2;
}
