import type { DriftRow } from '../../store/drifts.ts';
import {
  endInspection,
  findNextInspectionAt,
  type InspectionRow,
  listDueInspections,
  postponeInspection,
} from '../../store/inspections.ts';
import { findRow, type ResourceRow } from '../../store/resources/rows.ts';
import { toObservation } from '../../store/resources/state.ts';
import { inspect } from '../compare/compare-one.ts';
import { isBusy } from '../compare/comparison.ts';
import { toNeeds } from '../compare/look.ts';
import { findQuietAt } from '../compare/run.ts';
import type { DriftDeps } from './deps.ts';

/** Inspections of one turn. */
const TURN_MAX = 50;
/** Shortest and longest wait after a failed look, in milliseconds. */
const RETRY_MS = [5_000, 10 * 60_000] as const;
/** The same after a look that was skipped because a worker has the resource. */
const BUSY_MS = [25, 60_000] as const;

/** Result of one turn. */
interface Inspected {
  /** Time of the next inspection (epoch milliseconds); undefined when none waits. */
  readonly nextAt: number | undefined;
  /** True when a new drift was found that is to be decided about. */
  readonly hasFound: boolean;
}

/**
 * Creates the inspections: each turn looks one by one at users and groups that another author or an operator may have
 * changed, and compares them.
 */
export function createInspections(deps: DriftDeps): (signal: AbortSignal) => Promise<Inspected> {
  const { store, clock } = deps;
  return async (signal) => {
    let hasFound = false;
    const due = await listDueInspections(store.read, { now: clock.now(), limit: TURN_MAX });
    for (const inspection of due) {
      signal.throwIfAborted();
      const isNew = await take(deps, inspection, signal);
      // What an operator changed is shown, and not undone at once.
      hasFound ||= isNew && inspection.look_source !== 'operator';
    }
    return { nextAt: await findNextInspectionAt(store.read), hasFound };
  };
}

/** Inspects one resource, or puts that off. True when a new drift was found. */
async function take(
  deps: DriftDeps,
  inspection: InspectionRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, driftEvents } = deps;
  const found = await tryInspection(deps, inspection, signal);
  if (typeof found === 'number') {
    await store.write((tx) => postponeInspection(tx, inspection, found));
    return false;
  }
  await store.write((tx) => endInspection(tx, inspection));
  for (const { kind, id } of found) driftEvents.found({ kind, id });
  return found.length > 0;
}

/** Inspects one resource. Returns the new drifts; a number: it is to be tried again then (epoch milliseconds). */
async function tryInspection(
  deps: DriftDeps,
  inspection: InspectionRow,
  signal: AbortSignal,
): Promise<readonly DriftRow[] | number> {
  const { store, clock, repair } = deps;
  const { look_source: detector, look_since: since } = inspection;
  const row = await findRow(store.read, inspection);
  if (row === undefined) return [];
  // The worker that has it looks first, and its look is usually enough.
  if (isBusy(row)) return clock.now() + toWaitMs(inspection, BUSY_MS);
  // What a write met missing may be what the service shows late.
  const quietAt =
    detector === 'discovery' ? await findQuietAt(store.read, row.id, repair.settleMs) : 0;
  if (quietAt > clock.now()) return quietAt;
  const ordinary = toSeenAt(row) < since;
  const needs = { ...toNeeds(row, { admins: inspection.look_admins === 1 }, deps), ordinary };
  const looked = await inspect({ deps, signal }, row, { needs, detector, since });
  if (looked.kind !== 'could-not-look' && looked.found !== undefined) return looked.found;
  return clock.now() + toWaitMs(inspection, RETRY_MS);
}

/** Time of the last observation, 0 without one; a REST list alone shows few of the compared fields. */
function toSeenAt(row: ResourceRow): number {
  const observed = toObservation(row);
  return observed?.shownAt ?? observed?.at ?? 0;
}

/** Time for which an inspection is put off: as long again as it has waited, so that others are taken meanwhile. */
function toWaitMs(
  { look_at, look_since }: InspectionRow,
  [min, max]: readonly [number, number],
): number {
  return Math.min(Math.max(look_at - look_since, min), max);
}
