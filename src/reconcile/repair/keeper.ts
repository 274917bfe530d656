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

/** How soon it is seen what became of repairs when none was under way, in milliseconds. */
const IDLE_MS = 2_000;
/** The same while some are, at least and at most: the larger a plan, the longer it takes to look at it. */
const BUSY_MS = [25, 1_000] as const;
/** How much longer than looking takes it is left alone. */
const BUSY_FACTOR = 4;

/** Keeper of drifts in one process; several processes can share a store. */
export interface DriftKeeper {
  start(): void;
  stop(): Promise<void>;
  /** Something is to be looked at, or was approved. */
  notify(): void;
  /** Decides about what is known, after a sweep. */
  decide(occasion: Occasion): Promise<PlanRow | undefined>;
  /** Of this and the next three `by` is the name of the operator. */
  approve(id: string, hash: string, by: string): Promise<PlanDecision>;
  discard(id: string, by: string): Promise<PlanDecision>;
  undo(id: string, by: string): Promise<UndoDecision>;
  repair(driftId: string, by: string): Promise<DriftDecision>;
  accept(driftId: string): Promise<DriftDecision>;
  ignore(driftId: string, ignoring: Ignoring): Promise<DriftDecision>;
}

/** Keeps drifts; `isReady` tells whether what is stored may be acted on. */
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

  /** When there is more to do (epoch milliseconds); undefined: nothing is known to come. */
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

/** A file has one process: what was taken in it was taken by one that is gone. */
async function free({ store, clock, driftEvents }: DriftDeps): Promise<void> {
  if (store.engine !== 'sqlite') return;
  try {
    await store.write((tx) => freeInspections(tx, clock.now()));
  } catch (error) {
    // They come free by themselves, some minutes later.
    driftEvents.failed({ type: 'drift', id: 'free', error });
  }
}

function toBusyRest(tookMs: number): number {
  const [min, max] = BUSY_MS;
  return Math.min(Math.max(tookMs * BUSY_FACTOR, min), max);
}
