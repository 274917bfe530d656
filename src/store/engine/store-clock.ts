import { sql } from 'kysely';
import { type Clock, readSteady } from '../../domain/clock.ts';
import type { Store } from '../store.ts';
import { isPostgres, readNumber, SERVER_NOW } from './dialect.ts';

/** Time for which a comparison of the clocks holds, in milliseconds: a host may stand still, and its clock goes unevenly. */
const COMPARED_MS = 5_000;

/**
 * Clock of the store's server where hosts share the store, so that a stored time means the same to all, however wrong a
 * host's clock is; else the host's own. @throws StoreError
 */
export async function openStoreClock(store: Store, host: Clock): Promise<Clock> {
  if (!isPostgres(store.read)) return host;
  let leadMs = await compare(store, host, undefined);
  let comparedAt = performance.now();

  function compareAgain(): void {
    comparedAt = performance.now();
    // A store that does not answer is reported by other parts: the last comparison stays.
    compare(store, host, leadMs).then(
      (ms) => (leadMs = ms),
      () => undefined,
    );
  }

  return {
    now() {
      // A clock with no steady one beside it is as good as one: it is compared with once.
      const isStale = host.steady !== undefined && performance.now() - comparedAt > COMPARED_MS;
      if (isStale) compareAgain();
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
