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
import { type ResourceRow, toObservation } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { isBusy, isUnchanged } from '../compare/comparison.ts';
import type { LookNeeds } from '../compare/look.ts';
import {
  type Compared,
  type Found,
  storeComparison,
  toNeeds,
  withCompared,
} from './compare-one.ts';
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
export interface Inspected {
  /** Time of the next inspection (epoch milliseconds); undefined when none waits. */
  readonly nextAt: number | undefined;
  /** True when a new drift was found that is to be decided about. */
  readonly hasFound: boolean;
}

/**
 * Creates the inspections: looks one by one at users and groups that another author or an operator may have changed, and
 * compares them.
 */
export function createInspections(
  deps: DriftDeps,
  signal: AbortSignal,
): { run(): Promise<Inspected> } {
  const { store, clock } = deps;

  async function inspect(inspection: InspectionRow): Promise<boolean> {
    const key = { type: inspection.resource_type, id: inspection.resource_id };
    const isNew = await withCompared(store.read, key, (found) =>
      inspectOne({ deps, signal }, inspection, found),
    );
    if (isNew === undefined) await store.write((tx) => endInspection(tx, inspection));
    return isNew ?? false;
  }

  return {
    async run() {
      let hasFound = false;
      const due = await listDueInspections(store.read, { now: clock.now(), limit: TURN_MAX });
      for (const inspection of due) {
        signal.throwIfAborted();
        const isNew = await inspect(inspection);
        // What an operator changed is shown, and not undone at once.
        hasFound ||= isNew && inspection.source !== 'operator';
      }
      return { nextAt: await findNextInspectionAt(store.read), hasFound };
    },
  };
}

interface Inspecting {
  readonly deps: DriftDeps;
  readonly signal: AbortSignal;
}

/** Inspects one resource. True when a new drift was found. */
async function inspectOne<Row extends ResourceRow>(
  inspecting: Inspecting,
  inspection: InspectionRow,
  { kind, row }: Found<Row>,
): Promise<boolean> {
  const { deps } = inspecting;
  // The worker that has it looks first, and its look is usually enough.
  if (isBusy(row)) {
    await deferBusy(deps, inspection);
    return false;
  }
  const held = await take(deps, inspection, row);
  if (held === undefined) return false;
  const ordinary = (toSeenAt(row) ?? 0) < held.since;
  const needs = { ...toNeeds(row, { admins: held.admins === 1 }, deps), ordinary };
  return Object.values(needs).includes(true)
    ? look(inspecting, held, { kind, row, needs })
    : concludeSeen(inspecting, held, { kind, row });
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

/** Time of the last observation; a REST list alone shows few of the compared fields. */
function toSeenAt(row: ResourceRow): number | undefined {
  const observed = toObservation(row);
  return observed?.shownAt ?? observed?.at;
}

async function concludeSeen<Row extends ResourceRow>(
  { deps }: Inspecting,
  inspection: InspectionRow,
  { kind, row }: Found<Row>,
): Promise<boolean> {
  const found = await deps.store.write((tx) =>
    conclude(tx, deps, {
      inspection,
      kind,
      row,
      since: inspection.since,
      seenAt: toSeenAt(row) ?? 0,
    }),
  );
  return report(deps, found);
}

async function look<Row extends ResourceRow>(
  { deps, signal }: Inspecting,
  inspection: InspectionRow,
  { kind, row, needs }: Found<Row> & { needs: LookNeeds },
): Promise<boolean> {
  const observation = await kind.look({ deps, signal }, row, needs);
  if (observation.kind === 'could-not-look') {
    await defer(deps, inspection);
    return false;
  }
  const found = await deps.store.write(async (tx) => {
    const locked = await kind.lock(tx, row);
    if (locked === undefined || !isUnchanged(locked, row)) return undefined;
    if (observation.kind === 'seen') await observation.store(tx, locked);
    // A resource that is gone counts as unseen from now on.
    const since = observation.kind === 'gone' ? Number.POSITIVE_INFINITY : inspection.since;
    return conclude(tx, deps, { inspection, kind, row, since, seenAt: deps.clock.now() });
  });
  if (found === undefined) await defer(deps, inspection);
  return report(deps, found ?? []);
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

interface Conclusion<Row extends ResourceRow> extends Omit<Compared<Row>, 'detector'> {
  readonly inspection: InspectionRow;
}

/** Compares the resource, and ends the inspection unless there is a newer reason to look. Returns the new drifts. */
async function conclude<Row extends ResourceRow>(
  tx: Db,
  deps: DriftDeps,
  { inspection, kind, row, since, seenAt }: Conclusion<Row>,
): Promise<DriftRow[]> {
  if (!(await isInspectionHeld(tx, inspection))) return [];
  const fresh = await kind.lock(tx, row);
  if (fresh === undefined) return [];
  const compared = await storeComparison(tx, deps, {
    ...{ kind, row: fresh, since, seenAt, detector: inspection.source },
  });
  // A worker has taken it: the inspection waits until that is done.
  if (compared === undefined) {
    await postponeInspection(tx, inspection, deps.clock.now());
    return [];
  }
  await endInspection(tx, inspection);
  return compared;
}

function report({ driftEvents }: DriftDeps, found: readonly DriftRow[]): boolean {
  for (const { kind, id } of found) driftEvents.found({ kind, id });
  return found.length > 0;
}
