import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { DriftRow } from '../../store/drifts.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ComparedKind } from './compared-kind.ts';
import { type Comparison, type SeenSince, UNKNOWN } from './comparison.ts';
import {
  compareWithKnown,
  countDriftChanges,
  type DriftChanges,
  listKnown,
  storeDriftChanges,
} from './drift-changes.ts';
import { lookAgain, type Suspect } from './look-again.ts';
import type { SweepRun } from './run.ts';

/**
 * Compares all users, or all groups, with the complete lists. A known drift is confirmed or ended by the lists alone; a
 * new difference is looked at again.
 * The rows are read in parts, so that only one part is in memory.
 */
export async function compareAll<Row extends ResourceRow>(
  run: SweepRun,
  kind: ComparedKind<Row>,
  seen: SeenSince,
): Promise<void> {
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: Part<Row> = await comparePart(run, kind, { afterSeq, seen });
    for (const suspect of part.suspects) await lookAgain(run, kind, { suspect, seen });
    afterSeq = part.lastSeq;
    run.signal.throwIfAborted();
  }
}

interface Part<Row extends ResourceRow> {
  readonly suspects: readonly Suspect<Row>[];
  /** Last row of the part; undefined when there was none. */
  readonly lastSeq: number | undefined;
}

async function comparePart<Row extends ResourceRow>(
  run: SweepRun,
  kind: ComparedKind<Row>,
  { afterSeq, seen }: { afterSeq: number; seen: SeenSince },
): Promise<Part<Row>> {
  const { list, part: limit, type } = kind;
  const compared = await run.deps.store.write(async (tx) => {
    const rows = await list(tx, { afterSeq, limit });
    // A call that began before the sweep may have ended in it.
    const workedSince = seen.since - run.deps.policy.callMs;
    const comparedRows = await compareRows(tx, kind, { rows, seen, workedSince });
    const results = await storeChanges(tx, comparedRows, { seen, now: run.deps.clock.now() });
    return { ...results, comparedRows, lastSeq: rows.at(-1)?.seq };
  });
  countDriftChanges(run, compared.changes);
  run.counts[`${type}s`] += compared.comparedRows.length;
  for (const { comparison } of compared.comparedRows) {
    if (comparison.kind === 'unknown') run.counts.unknown += 1;
    if (comparison.kind !== 'compared' || comparison.leftOutBy === undefined) continue;
    run.reasons.add(`the list ${comparison.leftOutBy} left out what another list shows`);
  }
  return compared;
}

async function compareRows<Row extends ResourceRow>(
  tx: Db,
  kind: ComparedKind<Row>,
  { rows, seen, workedSince }: { rows: readonly Row[]; seen: SeenSince; workedSince: number },
): Promise<Suspect<Row>[]> {
  const comparedRows: Suspect<Row>[] = [];
  for (const row of rows) {
    const comparison = await kind.compare(tx, row, seen);
    const isDropped = isLeftOut(comparison) && (await wasTouched(tx, row, workedSince));
    comparedRows.push({ row, comparison: isDropped ? UNKNOWN : comparison });
  }
  return comparedRows;
}

function isLeftOut(comparison: Comparison): boolean {
  return comparison.kind === 'compared' && comparison.leftOutBy !== undefined;
}

/**
 * True when the resource was changed while the lists were read: then the list was dropped for it, and only seems to
 * leave it out.
 */
async function wasTouched(
  tx: Db,
  { id, modified_at, due_at }: ResourceRow,
  since: number,
): Promise<boolean> {
  if (modified_at >= since || due_at !== null) return true;
  return ((await findNewestOwnCallFor(tx, id)) ?? 0) >= since;
}

async function storeChanges<Row extends ResourceRow>(
  tx: Db,
  comparedRows: readonly Suspect<Row>[],
  { seen, now }: { seen: SeenSince; now: number },
): Promise<{ changes: DriftChanges; suspects: Suspect<Row>[] }> {
  const ids = comparedRows.map(({ row }) => row.id);
  const known = await listKnown(tx, ids);
  const drifts = Map.groupBy(known.drifts, ({ resource_id }) => resource_id);
  const held = Map.groupBy(known.held, ({ resource_id }) => resource_id);
  const changes = createDriftChanges();
  const suspects: Suspect<Row>[] = [];
  for (const suspect of comparedRows) {
    const { id } = suspect.row;
    const ofIt = { drifts: drifts.get(id) ?? [], held: held.get(id) ?? [] };
    const compared = compareWithKnown(suspect.comparison, ofIt);
    changes.confirmed.push(...compared.confirmed);
    changes.gone.push(...compared.gone);
    if (compared.fresh.length === 0) continue;
    if (wasSeenBefore(suspect.row, seen)) changes.fresh.push(...compared.fresh);
    else if (isToBeLookedAt(suspect.comparison)) suspects.push(suspect);
  }
  await storeDriftChanges(tx, changes, { detector: 'sweep', now });
  return { changes, suspects };
}

function createDriftChanges() {
  const confirmed: DriftChanges['confirmed'][number][] = [];
  const gone: DriftRow[] = [];
  const fresh: DriftChanges['fresh'][number][] = [];
  return { confirmed, gone, fresh };
}

/** True when an earlier complete read showed this unmanaged resource already, so that this is the second look. */
function wasSeenBefore({ origin, created_at }: ResourceRow, { since }: SeenSince): boolean {
  return origin === null && created_at < since;
}

/** A missing resource was looked for before the comparison. */
function isToBeLookedAt({ kind }: Comparison): boolean {
  return kind === 'compared';
}
