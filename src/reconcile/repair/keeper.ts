import { freeInspections } from '../../store/inspections.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import { decide, type Occasion } from './decide.ts';
import {
  acceptOne,
  type DriftDecision,
  decidePlan,
  type Ignoring,
  ignoreDrift,
  type PlanDecision,
  repairDrift,
} from './decisions.ts';
import type { DriftDeps } from './deps.ts';
import { followRepairs } from './follow.ts';
import { createInspections } from './inspect.ts';
import { type UndoDecision, undoPlan } from './undo.ts';

/** Interval of checking repairs while none is under way, in milliseconds. */
const IDLE_MS = 2_000;
/** Shortest and longest interval while some are: the larger a plan, the longer the check takes. */
const BUSY_MS = [25, 1_000] as const;
/** Rest after a turn, as a multiple of its duration. */
const BUSY_FACTOR = 4;

/** Keeper of drifts in one process; several processes can share a store. */
export interface DriftKeeper {
  start(): void;
  stop(): Promise<void>;
  /** Notes that there is something to look at, or that a plan was approved. */
  notify(): void;
  /** Decides about the known drifts, after a sweep. */
  decide(occasion: Occasion): Promise<PlanRow | undefined>;
  /** `by` is the name of the operator, here and in the next three. */
  approve(id: string, hash: string, by: string): Promise<PlanDecision>;
  discard(id: string, by: string): Promise<PlanDecision>;
  undo(id: string, by: string): Promise<UndoDecision>;
  repair(driftId: string, by: string): Promise<DriftDecision>;
  accept(driftId: string): Promise<DriftDecision>;
  ignore(driftId: string, ignoring: Ignoring): Promise<DriftDecision>;
}

/** Creates the keeper; `isReady` tells whether the stored state may be acted on. */
export function createDriftKeeper(deps: DriftDeps, isReady: () => Promise<boolean>): DriftKeeper {
  const stopping = new AbortController();
  const { signal } = stopping;
  const inspections = createInspections(deps, signal);
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isWaiting = false;

  async function takeTurn(): Promise<void> {
    isWaiting = false;
    clearTimeout(timer);
    if (signal.aborted) return;
    const beganAt = performance.now();
    let nextAt: number | undefined;
    try {
      nextAt = (await isReady()) ? await keep() : undefined;
    } catch (error) {
      if (!signal.aborted) deps.driftEvents.failed({ type: 'drift', id: 'keep', error });
    }
    const busyMs = toBusyRest(performance.now() - beganAt);
    const untilNextMs = nextAt === undefined ? IDLE_MS : nextAt - deps.clock.now();
    const restMs = Math.min(Math.max(untilNextMs, busyMs), IDLE_MS);
    if (!signal.aborted) timer = setTimeout(notify, restMs).unref();
  }

  /** Runs one turn. Returns the time of the next work (epoch milliseconds); undefined when none is known. */
  async function keep(): Promise<number | undefined> {
    const { nextAt, hasFound } = await inspections.run();
    if (hasFound) await decide(deps, { source: 'tail', isDryRun: false });
    const areRepairing = await followRepairs(deps);
    return areRepairing ? deps.clock.now() : nextAt;
  }

  function notify(): void {
    if (isWaiting || signal.aborted) return;
    isWaiting = true;
    turn = turn.then(takeTurn);
  }

  /** Follows a decision at once. */
  async function decided<T>(decision: Promise<T>): Promise<T> {
    const result = await decision;
    notify();
    return result;
  }

  return {
    start() {
      turn = free(deps).finally(notify);
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await turn;
    },
    notify,
    decide: (occasion) => decided(decide(deps, occasion)),
    approve: (id, hash, by) => decided(decidePlan(deps, id, { status: 'approved', hash, by })),
    discard: (id, by) =>
      decided(decidePlan(deps, id, { status: 'discarded', hash: undefined, by })),
    undo: (id, by) => decided(undoPlan(deps, id, by)),
    repair: (id, by) => decided(repairDrift(deps, id, by)),
    accept: (id) => decided(acceptOne(deps, id)),
    ignore: (id, ignoring) => decided(ignoreDrift(deps, id, ignoring)),
  };
}

/** Frees the inspections of a process that is gone: a database file has one process. */
async function free({ store, clock, driftEvents }: DriftDeps): Promise<void> {
  if (store.engine !== 'sqlite') return;
  try {
    await store.write((tx) => freeInspections(tx, clock.now()));
  } catch (error) {
    // The inspections come free by themselves, some minutes later.
    driftEvents.failed({ type: 'drift', id: 'free', error });
  }
}

function toBusyRest(tookMs: number): number {
  const [min, max] = BUSY_MS;
  return Math.min(Math.max(tookMs * BUSY_FACTOR, min), max);
}
