import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { DriftRow } from '../../store/drifts.ts';
import {
  endInspection,
  findNextInspectionAt,
  type InspectionRow,
  isInspectionHeld,
  listDueInspections,
  postponeInspection,
} from '../../store/inspections.ts';
import { findRow, lockAgain, type ResourceRow, toObservation } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { compareOne, storeLooked } from '../compare/compare-one.ts';
import { isBusy } from '../compare/comparison.ts';
import { type Looking, type LookNeeds, lookAt, toNeeds } from '../compare/look.ts';
import type { DriftDeps } from './deps.ts';

/** Inspections of one turn. */
const TURN_MAX = 50;
/** First and longest wait after a failed look, in milliseconds. */
const RETRY_MS = 5_000;
const RETRY_MAX_MS = 10 * 60_000;
/** Waits after a look that was skipped because a worker has the resource, in milliseconds. */
const BUSY_MS = 25;
const BUSY_MAX_MS = 60_000;

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
export function createInspections(deps: DriftDeps, signal: AbortSignal): () => Promise<Inspected> {
  const { store, clock } = deps;
  return async () => {
    let hasFound = false;
    const due = await listDueInspections(store.read, { now: clock.now(), limit: TURN_MAX });
    for (const inspection of due) {
      signal.throwIfAborted();
      const isNew = await inspect({ deps, signal }, inspection);
      // What an operator changed is shown, and not undone at once.
      hasFound ||= isNew && inspection.source !== 'operator';
    }
    return { nextAt: await findNextInspectionAt(store.read), hasFound };
  };
}

/** Inspects one resource. True when a new drift was found. */
async function inspect(
  inspecting: Looking & { readonly deps: DriftDeps },
  inspection: InspectionRow,
): Promise<boolean> {
  const { deps } = inspecting;
  const { resource_type: type, resource_id: id } = inspection;
  const row = await findRow(deps.store.read, { type, id });
  if (row === undefined) {
    await deps.store.write((tx) => endInspection(tx, inspection));
    return false;
  }
  // The worker that has it looks first, and its look is usually enough.
  if (isBusy(row)) {
    await deferBusy(deps, inspection);
    return false;
  }
  const held = await take(deps, inspection, row);
  if (held === undefined) return false;
  const ordinary = toSeenAt(row) < held.since;
  const needs = { ...toNeeds(row, { admins: held.admins === 1 }, deps), ordinary };
  const found = Object.values(needs).includes(true)
    ? await look(inspecting, held, { row, needs })
    : await concludeSeen(deps, held, row);
  for (const { kind, id } of found) deps.driftEvents.found({ kind, id });
  return found.length > 0;
}

/** Begins the inspection, unless our own last write is too recent. */
async function take(
  { store, clock, repair }: DriftDeps,
  inspection: InspectionRow,
  { id }: ResourceRow,
): Promise<InspectionRow | undefined> {
  const now = clock.now();
  const isNamed = inspection.source !== 'discovery';
  const lastAt = isNamed ? undefined : await findNewestOwnCallFor(store.read, id);
  const quietAt = (lastAt ?? 0) + repair.settleMs;
  const isEarly = lastAt !== undefined && quietAt > now;
  if (!isEarly) return { ...inspection, attempts: inspection.attempts + 1 };
  await store.write((tx) => postponeInspection(tx, inspection, quietAt));
  return undefined;
}

/** Time of the last observation, 0 without one; a REST list alone shows few of the compared fields. */
function toSeenAt(row: ResourceRow): number {
  const observed = toObservation(row);
  return observed?.shownAt ?? observed?.at ?? 0;
}

/** Compares what was seen since the inspection was ordered. */
async function concludeSeen(
  deps: DriftDeps,
  inspection: InspectionRow,
  row: ResourceRow,
): Promise<readonly DriftRow[]> {
  const { since, source: detector } = inspection;
  return conclude(deps, inspection, async (tx) => {
    const fresh = await lockAgain(tx, row);
    if (fresh === undefined) return [];
    return compareOne(tx, deps, { row: fresh, since, seenAt: toSeenAt(row), detector });
  });
}

async function look(
  { deps, signal }: Looking & { readonly deps: DriftDeps },
  inspection: InspectionRow,
  { row, needs }: { readonly row: ResourceRow; readonly needs: LookNeeds },
): Promise<readonly DriftRow[]> {
  const observation = await lookAt({ deps, signal }, row, needs);
  if (observation.kind === 'could-not-look') {
    await defer(deps, inspection);
    return [];
  }
  const { since, source: detector } = inspection;
  const looked = { row, since, detector, observation };
  return conclude(deps, inspection, (tx) => storeLooked(tx, deps, looked));
}

/** Defers an inspection whose look failed. */
async function defer({ store, clock }: DriftDeps, inspection: InspectionRow): Promise<void> {
  const waitMs = Math.min(RETRY_MS * 2 ** (inspection.attempts - 1), RETRY_MAX_MS);
  const dueAt = clock.now() + waitMs;
  await store.write((tx) => postponeInspection(tx, inspection, dueAt));
}

/**
 * Defers an inspection while a worker has the resource, for as long again as it has waited, so that others are taken
 * meanwhile.
 */
async function deferBusy({ store, clock }: DriftDeps, inspection: InspectionRow): Promise<void> {
  const { due_at, since } = inspection;
  const dueAt = clock.now() + Math.min(Math.max(due_at - since, BUSY_MS), BUSY_MAX_MS);
  await store.write((tx) => postponeInspection(tx, inspection, dueAt));
}

/**
 * Compares, and ends the inspection unless there is a newer reason to look. Where a worker has the resource, it waits
 * until that is done. Returns the new drifts.
 */
async function conclude(
  deps: DriftDeps,
  inspection: InspectionRow,
  compare: (tx: Db) => Promise<readonly DriftRow[] | undefined>,
): Promise<readonly DriftRow[]> {
  const found = await deps.store.write(async (tx) => {
    if (!(await isInspectionHeld(tx, inspection))) return [];
    const found = await compare(tx);
    if (found !== undefined) await endInspection(tx, inspection);
    return found;
  });
  if (found === undefined) await defer(deps, inspection);
  return found ?? [];
}
