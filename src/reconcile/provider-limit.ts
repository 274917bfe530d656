import { BridgeError } from '../domain/errors.ts';
import { findHarmOf, HARM_WINDOW_MS, toHarmWords } from '../domain/harm.ts';
import type { WrittenChange } from '../store/audit/own-calls.ts';
import {
  countHeldByLimit,
  countProviderHarm,
  prioritiseHeldByLimit,
} from '../store/audit/provider-harm.ts';
import { findFact, saveFact } from '../store/facts.ts';
import { countPopulation } from '../store/plans/plans.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

/** Name of the fact with the time from which harm counts, set by an operator. */
const FACT = 'provider-limit';
/** Words in the error of a held change, by which it is found again. */
const WORDS = 'limits.provider';
/** Harm that is counted at most. */
const HARM_MAX = 1_000_000;

/** Finds the time from which harm by providers counts (epoch milliseconds). */
export async function findHarmStart(db: Db, now: number): Promise<number> {
  const released = await findFact<{ at: number }>(db, FACT);
  return Math.max(now - HARM_WINDOW_MS, released?.at ?? 0);
}

/**
 * Lets a call leave that this transaction has written into the ledger, unless providers would have removed access
 * from more users, or members from more groups, than allowed in 24 hours; settings: limits.provider.
 * A repeated call counts once. A plan of repairs has limits of its own. @throws BridgeError `provider-limit`
 */
export async function assertWithinLimit(
  tx: Db,
  { policy: { providerHarm }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  written: readonly WrittenChange[],
): Promise<void> {
  const { count: countMax, percent } = providerHarm;
  if (countMax === 0) return;
  const asked = written.filter(({ is_repair }) => is_repair === 0);
  const harms = new Set(asked.flatMap(({ kind }) => findHarmOf(kind) ?? []));
  if (harms.size === 0) return;
  const since = await findHarmStart(tx, clock.now());
  for (const harm of harms) {
    const few = await countProviderHarm(tx, { harm, since, max: countMax + 1 });
    if (few <= countMax) continue;
    // Only above the number is the share worth two counts of everything.
    const count = await countProviderHarm(tx, { harm, since, max: HARM_MAX });
    const population = count + (await countPopulation(tx, harm));
    if (count * 100 <= percent * population) continue;
    const words = `${toHarmWords(harm, count)} in 24 hours, ${WORDS} allows ${countMax} and ${percent} % of ${population}`;
    throw new BridgeError('provider-limit', words);
  }
}

/** Counts the users and groups whose changes the limit holds. @throws StoreError */
export function countHeld(db: Db, now: number): Promise<number> {
  return countHeldByLimit(db, WORDS, now);
}

/** Begins to count anew at an operator's word, and makes the held changes due. */
export async function resetProviderLimit(tx: Db, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value: { at: now }, now });
  await prioritiseHeldByLimit(tx, WORDS, now);
}
