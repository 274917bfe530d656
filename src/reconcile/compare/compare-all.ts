import { createTurns, type Turns } from '../../domain/turns.ts';
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

/** Rows read at once: fewer groups, because each may have many members. */
const PARTS = { users: 100, groups: 5 } as const;
/** Length of a turn in milliseconds: a write that comes meanwhile takes several turns, so these are short. */
const TURN_MS = 2;

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
  const turns = createTurns(TURN_MS);
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: Part = await comparePart(run, table, { afterSeq, seen, turns });
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
  { afterSeq, seen, turns }: { afterSeq: number; seen: SeenSince; turns: Turns },
): Promise<Part> {
  const { store, policy } = run.deps;
  // A call that began before the sweep may have ended in it.
  const comparing = { seen, workedSince: seen.since - policy.callMs, turns };
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
  return { suspects: compared.filter(isSuspect), lastSeq: rows.at(-1)?.seq };
}

interface Comparing {
  readonly seen: SeenSince;
  /** A resource that was worked on since then (epoch milliseconds) may differ because of that. */
  readonly workedSince: number;
  readonly turns: Turns;
}

/** Row, how it differs from the service, and what that changes of the known drifts. */
interface ComparedRow extends Suspect, DriftChanges {
  /** True for new differences that are drift already. */
  readonly isSeenTwice: boolean;
}

async function compareRows(
  db: Db,
  rows: readonly ResourceRow[],
  { seen, workedSince, turns }: Comparing,
): Promise<ComparedRow[]> {
  const known = await listKnown(
    db,
    rows.map(({ id }) => id),
  );
  const drifts = Map.groupBy(known.drifts, ({ resource_id }) => resource_id);
  const held = Map.groupBy(known.held, ({ resource_id }) => resource_id);
  const compared: ComparedRow[] = [];
  for (const row of rows) {
    const pause = turns();
    if (pause) await pause;
    const told = await compareRow(db, row, seen);
    const isDropped = isLeftOut(told) && (await wasTouched(db, row, workedSince));
    const comparison = isDropped ? UNKNOWN : told;
    const ofIt = { drifts: drifts.get(row.id) ?? [], held: held.get(row.id) ?? [] };
    const isSeenTwice = wasSeenBefore(row, seen);
    compared.push({ row, comparison, isSeenTwice, ...compareWithKnown(comparison, ofIt) });
  }
  return compared;
}

function changesDrifts({ confirmed, gone, fresh, isSeenTwice }: ComparedRow): boolean {
  return confirmed.length > 0 || gone.length > 0 || (isSeenTwice && fresh.length > 0);
}

/** True when known drifts were only seen again, as they were. */
function onlyConfirms(row: ComparedRow): boolean {
  return row.gone.length === 0 && row.fresh.length === 0 && row.confirmed.every(isSame);
}

/** True for new differences that a second look has to confirm. A missing resource was looked for before. */
function isSuspect({ comparison, isSeenTwice, fresh }: ComparedRow): boolean {
  return comparison.kind === 'compared' && fresh.length > 0 && !isSeenTwice;
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
      fresh: compared.flatMap(({ isSeenTwice, fresh }) => (isSeenTwice ? fresh : [])),
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
