import { BridgeError } from '../domain/errors.ts';
import { findHarmOf, HARM_WINDOW_MS, toHarmWords } from '../domain/harm.ts';
import type { OwnChange } from '../domain/own-call.ts';
import { countProviderHarm, prioritiseHeldByLimit } from '../store/audit/provider-harm.ts';
import { findFact, saveFact } from '../store/facts.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

/** Name of the fact with the time from which harm counts, set by an operator. */
const FACT = 'provider-limit';
/** Words in the error of a held change, by which it is found again. */
const WORDS = 'limits.provider';

/** Finds the time from which harm by providers counts (epoch milliseconds). */
export async function findHarmStart(db: Db, now: number): Promise<number> {
  const released = await findFact<{ at: number }>(db, FACT);
  return Math.max(now - HARM_WINDOW_MS, released?.at ?? 0);
}

/**
 * Lets a call leave unless providers would have removed access from more users, or members from more groups, than
 * allowed in 24 hours; settings: limits.provider.
 * A repeated call counts once. A plan of repairs has limits of its own. @throws BridgeError `provider-limit`
 */
export async function assertWithinLimit(
  tx: Db,
  { policy: { providerHarmMax }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  { resourceId, changes }: { resourceId: string; changes: readonly MarkedChange[] },
): Promise<void> {
  if (providerHarmMax === undefined) return;
  const added = changes.flatMap((change) => (change.isRepair ? [] : { ...change, resourceId }));
  const harms = new Set(added.flatMap(({ kind }) => findHarmOf(kind) ?? []));
  if (harms.size === 0) return;
  const since = await findHarmStart(tx, clock.now());
  for (const harm of harms) {
    const count = await countProviderHarm(tx, { harm, since, max: providerHarmMax + 1 }, added);
    if (count <= providerHarmMax) continue;
    const words = `${toHarmWords(harm, count)} in 24 hours, ${WORDS} allows ${providerHarmMax}`;
    throw new BridgeError('provider-limit', words);
  }
}

interface MarkedChange extends OwnChange {
  readonly isRepair: boolean;
}

/** Begins to count anew at an operator's word, and makes the held changes due. */
export async function resetProviderLimit(tx: Db, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value: { at: now }, now });
  await prioritiseHeldByLimit(tx, WORDS, now);
}
