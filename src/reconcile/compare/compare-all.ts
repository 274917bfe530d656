import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import { listRows } from '../../store/resources/managed.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { compareRow } from './compare-row.ts';
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

/** Rows of one transaction: fewer groups, because each may have many members. */
const PARTS = { users: 500, groups: 20 } as const;

/**
 * Compares all users, or all groups, with the complete lists. A known drift is confirmed or ended by the lists alone; a
 * new difference is looked at again.
 * The rows are read in parts, so that only one part is in memory.
 */
export async function compareAll(
  run: SweepRun,
  table: 'users' | 'groups',
  seen: SeenSince,
): Promise<void> {
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: Part = await comparePart(run, table, { afterSeq, seen });
    for (const suspect of part.suspects) await lookAgain(run, suspect, seen);
    afterSeq = part.lastSeq;
    run.signal.throwIfAborted();
  }
}

interface Part {
  readonly suspects: readonly Suspect[];
  /** Last row of the part; undefined when there was none. */
  readonly lastSeq: number | undefined;
}

async function comparePart(
  run: SweepRun,
  table: 'users' | 'groups',
  { afterSeq, seen }: { afterSeq: number; seen: SeenSince },
): Promise<Part> {
  const compared = await run.deps.store.write(async (tx) => {
    const part = { afterSeq, limit: PARTS[table], of: 'all' } as const;
    const rows = await listRows(tx, table, part);
    // A call that began before the sweep may have ended in it.
    const workedSince = seen.since - run.deps.policy.callMs;
    const comparedRows = await compareRows(tx, rows, { seen, workedSince });
    const results = await storeChanges(tx, comparedRows, { seen, now: run.deps.clock.now() });
    return { ...results, comparedRows, lastSeq: rows.at(-1)?.seq };
  });
  countDriftChanges(run, compared.changes);
  run.counts[table] += compared.comparedRows.length;
  for (const { comparison } of compared.comparedRows) {
    if (comparison.kind === 'unknown') run.counts.unknown += 1;
    if (comparison.kind !== 'compared' || comparison.leftOutBy === undefined) continue;
    run.reasons.add(`the list ${comparison.leftOutBy} left out what another list shows`);
  }
  return compared;
}

async function compareRows(
  tx: Db,
  rows: readonly ResourceRow[],
  { seen, workedSince }: { seen: SeenSince; workedSince: number },
): Promise<Suspect[]> {
  const comparedRows: Suspect[] = [];
  for (const row of rows) {
    const comparison = await compareRow(tx, row, seen);
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

async function storeChanges(
  tx: Db,
  comparedRows: readonly Suspect[],
  { seen, now }: { seen: SeenSince; now: number },
): Promise<{ changes: DriftChanges; suspects: Suspect[] }> {
  const ids = comparedRows.map(({ row }) => row.id);
  const known = await listKnown(tx, ids);
  const drifts = Map.groupBy(known.drifts, ({ resource_id }) => resource_id);
  const held = Map.groupBy(known.held, ({ resource_id }) => resource_id);
  const parts = comparedRows.map((suspect) => {
    const { id } = suspect.row;
    const ofIt = { drifts: drifts.get(id) ?? [], held: held.get(id) ?? [] };
    const isSeenTwice = wasSeenBefore(suspect.row, seen);
    return { suspect, isSeenTwice, ...compareWithKnown(suspect.comparison, ofIt) };
  });
  const changes = {
    confirmed: parts.flatMap(({ confirmed }) => confirmed),
    gone: parts.flatMap(({ gone }) => gone),
    fresh: parts.flatMap(({ isSeenTwice, fresh }) => (isSeenTwice ? fresh : [])),
  };
  await storeDriftChanges(tx, changes, { detector: 'sweep', now });
  const toLookAt = parts.filter(({ isSeenTwice, fresh }) => fresh.length > 0 && !isSeenTwice);
  const suspects = toLookAt.map(({ suspect }) => suspect);
  // A missing resource was looked for before the comparison.
  return { changes, suspects: suspects.filter(({ comparison }) => comparison.kind === 'compared') };
}

/** True when an earlier complete read showed this unmanaged resource already, so that this is the second look. */
function wasSeenBefore({ origin, created_at }: ResourceRow, { since }: SeenSince): boolean {
  return origin === null && created_at < since;
}
