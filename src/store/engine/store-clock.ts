import { sql } from 'kysely';
import { type Clock, readSteady } from '../../domain/clock.ts';
import type { Store } from '../store.ts';
import { isPostgres } from './dialect.ts';

/** Time for which a comparison of the clocks holds, in milliseconds: a host's clock may go unevenly. */
const COMPARED_MS = 30_000;
/** Change of the host's clock, in milliseconds, from which the clocks are compared again. */
const SET_MS = 1_000;

/** Last comparison of the server's clock with the host's. */
interface Comparison {
  /** Lead of the server's time over the host's steady one. */
  readonly offMs: number;
  readonly steadyAt: number;
  readonly hostAt: number;
}

/**
 * Clock of the store's server, where several hosts share the store: a time that one of them stored is the same for all,
 * however wrong its own clock is, and whatever it is set to meanwhile. Where one process has the store, the host's own
 * clock.
 * @throws StoreError
 */
export async function openStoreClock(store: Store, host: Clock): Promise<Clock> {
  if (!isPostgres(store.read)) return host;
  let compared = await compare(store, host, undefined);
  let comparedAt = performance.now();
  let isComparing = false;

  async function compareAgain(): Promise<void> {
    isComparing = true;
    try {
      compared = await compare(store, host, compared);
    } catch {
      // The store does not answer, which other parts report: the last comparison stays.
      compared = { ...compared, steadyAt: readSteady(host), hostAt: host.now() };
    }
    comparedAt = performance.now();
    isComparing = false;
  }

  /** True when the host's clock was set, the host stood still, or the comparison is too old. */
  function isStale(): boolean {
    // A clock with no steady one beside it is as good as one: it is compared with once.
    if (host.steady === undefined) return false;
    const passedMs = readSteady(host) - compared.steadyAt;
    const setMs = Math.abs(host.now() - compared.hostAt - passedMs);
    return performance.now() - comparedAt > COMPARED_MS || setMs > SET_MS;
  }

  return {
    now() {
      if (!isComparing && isStale()) void compareAgain();
      return Math.round(readSteady(host) + compared.offMs);
    },
    steady: () => readSteady(host),
    sleep: (ms, signal) => host.sleep(ms, signal),
  };
}

/**
 * Compares the clocks. The last comparison stays where the answer, which took its time to come, does not contradict it.
 */
async function compare(
  { read }: Store,
  host: Clock,
  known: Comparison | undefined,
): Promise<Comparison> {
  const askedAt = readSteady(host);
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(read);
  const steadyAt = readSteady(host);
  const server = rows[0]?.now ?? host.now();
  const [leastMs, mostMs] = [server - steadyAt, server - askedAt];
  const isKnown = known !== undefined && known.offMs >= leastMs && known.offMs <= mostMs;
  return { offMs: isKnown ? known.offMs : (leastMs + mostMs) / 2, steadyAt, hostAt: host.now() };
}
