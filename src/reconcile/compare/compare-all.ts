import { setImmediate as nextTurn } from 'node:timers/promises';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import { listRows } from '../../store/resources/managed.ts';
import { lockAgain, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { compareRow } from './compare-row.ts';
import { type Comparison, type SeenSince, UNKNOWN } from './comparison.ts';
import {
  compareWithKnown,
  countDriftChanges,
  type DriftChanges,
  isSame,
  listKnown,
  storeDriftChanges,
} from './drift-changes.ts';
import { lookAgain, type Suspect } from './look-again.ts';
import type { SweepRun } from './run.ts';

/**
 * Rows of one turn of the event loop: a write that comes meanwhile takes several turns, so these are short. Fewer groups,
 * because each may have many members.
 */
const PARTS = { users: 50, groups: 5 } as const;

/**
 * Compares all users, or all groups, with the complete lists. A known drift is confirmed or ended by the lists alone; a
 * new difference is looked at again.
 * The rows are read in parts, so that only one part is in memory, and beside the transactions of others: most differ in nothing.
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
    await nextTurn();
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
  const { store, policy } = run.deps;
  // A call that began before the sweep may have ended in it.
  const comparing = { seen, workedSince: seen.since - policy.callMs };
  const rows = await listRows(store.read, table, { afterSeq, limit: PARTS[table], of: 'all' });
  const read = await compareRows(store.read, rows, comparing);
  const [changed, same] = [read.filter(changesDrifts), read.filter((row) => !changesDrifts(row))];
  // Only these keep the writes of others waiting.
  const stored = changed.length === 0 ? [] : await storeChanges(run, changed, comparing);
  const compared = [...same, ...stored];
  for (const { comparison } of compared) {
    if (comparison.kind === 'unknown') run.counts.unknown += 1;
    if (comparison.kind !== 'compared' || comparison.leftOutBy === undefined) continue;
    run.reasons.add(`the list ${comparison.leftOutBy} left out what another list shows`);
  }
  run.counts[table] += rows.length;
  return { suspects: compared.filter(({ isSuspect }) => isSuspect), lastSeq: rows.at(-1)?.seq };
}

interface Comparing {
  readonly seen: SeenSince;
  /** A resource that was worked on since then (epoch milliseconds) may differ because of that. */
  readonly workedSince: number;
}

/** Row, how it differs from the service, and what that changes of the known drifts; `fresh` are those seen twice. */
interface ComparedRow extends Suspect, DriftChanges {
  /** True for new differences that a second look has to confirm. */
  readonly isSuspect: boolean;
}

async function compareRows(
  db: Db,
  rows: readonly ResourceRow[],
  { seen, workedSince }: Comparing,
): Promise<ComparedRow[]> {
  const known = await listKnown(
    db,
    rows.map(({ id }) => id),
  );
  const drifts = Map.groupBy(known.drifts, ({ resource_id }) => resource_id);
  const held = Map.groupBy(known.held, ({ resource_id }) => resource_id);
  const compared: ComparedRow[] = [];
  for (const row of rows) {
    const told = await compareRow(db, row, seen);
    const isDropped = isLeftOut(told) && (await wasTouched(db, row, workedSince));
    const comparison = isDropped ? UNKNOWN : told;
    const ofIt = { drifts: drifts.get(row.id) ?? [], held: held.get(row.id) ?? [] };
    const { fresh, ...changes } = compareWithKnown(comparison, ofIt);
    const isSeenTwice = wasSeenBefore(row, seen);
    // A missing resource was looked for before the comparison.
    const isSuspect = comparison.kind === 'compared' && fresh.length > 0 && !isSeenTwice;
    compared.push({ row, comparison, ...changes, fresh: isSeenTwice ? fresh : [], isSuspect });
  }
  return compared;
}

function changesDrifts({ confirmed, gone, fresh }: ComparedRow): boolean {
  return confirmed.length + gone.length + fresh.length > 0;
}

/** True when known drifts were only seen again, as they were. */
function onlyConfirms(row: ComparedRow): boolean {
  return row.gone.length === 0 && row.fresh.length === 0 && row.confirmed.every(isSame);
}

function isLeftOut(comparison: Comparison): boolean {
  return comparison.kind === 'compared' && comparison.leftOutBy !== undefined;
}

/**
 * True when the resource was changed while the lists were read: then the list was dropped for it, and only seems to
 * leave it out.
 */
async function wasTouched(
  db: Db,
  { id, modified_at, due_at }: ResourceRow,
  since: number,
): Promise<boolean> {
  if (modified_at >= since || due_at !== null) return true;
  return ((await findNewestOwnCallFor(db, id)) ?? 0) >= since;
}

/** Stores what changes of the known drifts; rows where more than a time changes are compared again, as they are by now. */
async function storeChanges(
  run: SweepRun,
  rows: readonly ComparedRow[],
  comparing: Comparing,
): Promise<ComparedRow[]> {
  const { store, clock } = run.deps;
  const { compared, changes } = await store.write(async (tx) => {
    const fresh: ResourceRow[] = [];
    for (const row of rows) {
      const again = onlyConfirms(row) ? undefined : await lockAgain(tx, row.row);
      if (again !== undefined) fresh.push(again);
    }
    const compared = [...rows.filter(onlyConfirms), ...(await compareRows(tx, fresh, comparing))];
    const changes = {
      confirmed: compared.flatMap(({ confirmed }) => confirmed),
      gone: compared.flatMap(({ gone }) => gone),
      fresh: compared.flatMap(({ fresh }) => fresh),
    };
    await storeDriftChanges(tx, changes, { detector: 'sweep', now: clock.now() });
    return { compared, changes };
  });
  countDriftChanges(run, changes);
  return compared;
}

/** True when an earlier complete read showed this unmanaged resource already, so that this is the second look. */
function wasSeenBefore({ origin, created_at }: ResourceRow, { since }: SeenSince): boolean {
  return origin === null && created_at < since;
}
