import { toDifferenceKey } from '../../domain/drift.ts';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { ComparedKind } from './compared-kind.ts';
import { type Comparison, isUnchanged, type SeenSince } from './comparison.ts';
import {
  compareWithKnown,
  countDriftChanges,
  listKnown,
  storeDriftChanges,
} from './drift-changes.ts';
import { toLookNeeds } from './look.ts';
import type { SweepRun } from './run.ts';

/** User or group in which a list showed a new difference. */
export interface Suspect<Row extends ResourceRow> {
  readonly row: Row;
  readonly comparison: Comparison;
}

/**
 * Takes the second look: a difference that it shows as well is drift. A resource that was written since the lists were
 * read, or that could not be looked at, is left to the next sweep.
 */
export async function lookAgain<Row extends ResourceRow>(
  run: SweepRun,
  kind: ComparedKind<Row>,
  { suspect, seen }: { suspect: Suspect<Row>; seen: SeenSince },
): Promise<void> {
  const { deps, counts, reasons } = run;
  const { row, comparison } = suspect;
  run.signal.throwIfAborted();
  await awaitQuiet(run, row.id);
  const differences = comparison.kind === 'compared' ? comparison.differences : [];
  const kinds = differences.map(({ kind }) => kind);
  const needs = toLookNeeds(kinds, seen.deactivation);
  const observation = await kind.look(run, row, needs);
  if (observation.kind === 'could-not-look') {
    reasons.add(`what was seen to differ could not be looked at again (${observation.reason})`);
  }
  if (observation.kind !== 'seen') {
    counts.unknown += 1;
    return;
  }
  const changes = await run.deps.store.write(async (tx) => {
    const locked = await kind.lock(tx, row);
    if (locked === undefined || !isUnchanged(locked, row)) return undefined;
    await observation.store(tx, locked);
    const fresh = await kind.lock(tx, row);
    if (fresh === undefined) return undefined;
    const again = keepTwice(comparison, await kind.compare(tx, fresh, seen));
    const compared = compareWithKnown(again, await listKnown(tx, [row.id]));
    await storeDriftChanges(tx, compared, { detector: 'sweep', now: deps.clock.now() });
    return compared;
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
  const differences = first.kind === 'compared' ? first.differences : [];
  const keys = new Set(differences.map(toDifferenceKey));
  const twice = second.differences.filter((one) => keys.has(toDifferenceKey(one)));
  return { ...second, differences: twice };
}
