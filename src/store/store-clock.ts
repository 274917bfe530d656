import { sql } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import type { Store } from './database.ts';
import { isPostgres } from './dialect.ts';

/** How long a comparison of the clocks holds, in milliseconds: a host's clock may be set meanwhile. */
const COMPARED_MS = 30_000;

/**
 * Time as the store's server has it, where several hosts share the store: what one of them wrote down as
 * due is due for all, however wrong its own clock is. Where one process has the store, the host's own.
 * @throws StoreError
 */
export async function openStoreClock(store: Store, host: Clock): Promise<Clock> {
  if (!isPostgres(store.read)) return host;
  let comparedAt = performance.now();
  let offMs = await compare(store, host);

  async function compareAgain(): Promise<void> {
    comparedAt = performance.now();
    try {
      offMs = await compare(store, host);
    } catch {
      // The store does not answer, which others tell: what was known of its clock stays.
    }
  }

  return {
    now() {
      if (performance.now() - comparedAt > COMPARED_MS) void compareAgain();
      return host.now() + offMs;
    },
    sleep: (ms, signal) => host.sleep(ms, signal),
  };
}

/** How far the server's clock is ahead of the host's, in whole milliseconds. */
async function compare({ read }: Store, host: Clock): Promise<number> {
  const askedAt = host.now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(read);
  const halfWay = (askedAt + host.now()) / 2;
  return Math.round((rows[0]?.now ?? halfWay) - halfWay);
}
