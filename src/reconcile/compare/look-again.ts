import { type Difference, toDifferenceKey } from '../../domain/drift.ts';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { compareRow } from './compare-row.ts';
import type { Comparison, SeenSince } from './comparison.ts';
import { countDriftChanges, storeComparison } from './drift-changes.ts';
import { lookAt, storeLook, toLookNeeds } from './look.ts';
import type { SweepRun } from './run.ts';

/** User or group in which a list showed a new difference. */
export interface Suspect {
  readonly row: ResourceRow;
  readonly comparison: Comparison;
}

/**
 * Takes the second look: a difference that it shows as well is drift. A resource that was written since the lists were
 * read, or that could not be looked at, is left to the next sweep.
 */
export async function lookAgain(
  run: SweepRun,
  { row, comparison }: Suspect,
  seen: SeenSince,
): Promise<void> {
  const { deps, counts, reasons } = run;
  run.signal.throwIfAborted();
  await awaitQuiet(run, row.id);
  const kinds = listDifferences(comparison).map(({ kind }) => kind);
  const observation = await lookAt(run, row, toLookNeeds(kinds, seen.deactivation));
  if (observation.kind === 'could-not-look') {
    reasons.add(`what was seen to differ could not be looked at again (${observation.reason})`);
  }
  if (observation.kind !== 'seen') {
    counts.unknown += 1;
    return;
  }
  const changes = await deps.store.write(async (tx) => {
    const fresh = await storeLook(tx, row, observation);
    if (fresh === undefined) return undefined;
    const again = keepTwice(comparison, await compareRow(tx, fresh, seen));
    const finding = { detector: 'sweep', now: deps.clock.now() } as const;
    return storeComparison(tx, { id: row.id, comparison: again }, finding);
  });
  if (changes === undefined) counts.unknown += 1;
  else countDriftChanges(run, changes);
}

/** Waits for a while after a write of our own, because the service may show it late. */
export async function awaitQuiet({ deps, settleMs, signal }: SweepRun, id: string): Promise<void> {
  const { store, clock } = deps;
  const lastAt = await findNewestOwnCallFor(store.read, id);
  const restMs = (lastAt ?? 0) + settleMs - clock.now();
  if (restMs > 0) await clock.sleep(restMs, signal);
}

/** Keeps the differences that both reads showed. */
function keepTwice(first: Comparison, second: Comparison): Comparison {
  if (second.kind !== 'compared') return second;
  const keys = new Set(listDifferences(first).map(toDifferenceKey));
  const twice = second.differences.filter((one) => keys.has(toDifferenceKey(one)));
  return { ...second, differences: twice };
}

function listDifferences(comparison: Comparison): readonly Difference[] {
  return comparison.kind === 'compared' ? comparison.differences : [];
}
