import { BridgeError } from '../../domain/errors.ts';
import { HARM_OF_CALLS, type HarmKind } from '../../domain/harm.ts';
import type { OwnChange } from '../../domain/own-call.ts';
import type { Db } from '../../store/database.ts';
import { findFact, saveFact } from '../../store/facts.ts';
import { countProviderHarm, isRepairedNow, wakeHeldByLimit } from '../../store/provider-harm.ts';
import type { ReconcileDeps } from '../deps.ts';
import { HARM_WINDOW_MS } from '../drift/make-plan.ts';

/** Since when harm counts again, because an operator has looked. */
const FACT = 'provider-limit';
/** What the error of a held change says, so that it is found again. */
const WORDS = 'limits.provider';

/** From when on what providers take away counts (epoch milliseconds). */
export async function findHarmStart(db: Db, now: number): Promise<number> {
  const released = await findFact<{ at: number }>(db, FACT);
  return Math.max(now - HARM_WINDOW_MS, released?.at ?? 0);
}

/**
 * Lets a call leave unless it would take away more than providers may in 24 hours; settings: limits.provider. What a
 * plan of repairs does has limits of its own. @throws BridgeError `provider-limit`
 */
export async function assertWithinLimit(
  tx: Db,
  { policy: { providerHarmMax }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  { resourceId, changes }: { resourceId: string; changes: readonly OwnChange[] },
): Promise<void> {
  const harms = toHarms(changes);
  if (providerHarmMax === undefined || harms.size === 0) return;
  if (await isRepairedNow(tx, resourceId)) return;
  const done = await countProviderHarm(tx, await findHarmStart(tx, clock.now()));
  for (const [harm, more] of harms) {
    const count = (done.get(harm) ?? 0) + more;
    if (count <= providerHarmMax) continue;
    const words = `${harm}: ${count} in 24 hours, ${WORDS} allows ${providerHarmMax}`;
    throw new BridgeError('provider-limit', words);
  }
}

function toHarms(changes: readonly OwnChange[]): Map<HarmKind, number> {
  const harms = new Map<HarmKind, number>();
  for (const { kind } of changes) {
    const harm = HARM_OF_CALLS[kind];
    if (harm !== undefined) harms.set(harm, (harms.get(harm) ?? 0) + 1);
  }
  return harms;
}

/** An operator has looked: what providers take away counts from now on, and what was held goes on. */
export async function releaseLimit(tx: Db, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value: { at: now }, now });
  await wakeHeldByLimit(tx, WORDS, now);
}
