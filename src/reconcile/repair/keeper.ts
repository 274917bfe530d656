import type { GivenKey, ResourceKey } from '../../domain/ids.ts';
import { createJob } from '../job.ts';
import { type DecisionSource, decide, decideMany, type ManyRequest } from './decide.ts';
import type { DecisionDeps, DriftDeps } from './deps.ts';
import { createReview, endPlans, followPlans } from './follow.ts';
import { inspectDue, lookNow } from './inspect.ts';
import { decidePlan, type HandOver, planHandover, undoPlan } from './plans.ts';
import { RECOVERY } from './recovery-plan.ts';
import { stopManaging } from './stop-managing.ts';

/** Interval of checking repairs while none is under way, in milliseconds. */
const IDLE_MS = 2_000;
/** Rest while some are, as a multiple of the last turn: the larger a plan, the longer the check takes. */
const BUSY_FACTOR = 4;
const BUSY_MIN_MS = 25;

/** Keeper of drifts, at the leader. */
export type DriftKeeper = ReturnType<typeof createDriftKeeper>;

/** Decisions of operators, in any process; the leader follows them. */
export type DriftDecisions = ReturnType<typeof createDriftDecisions>;

/** Creates the decisions of one process; `by` is the name of the operator. */
export function createDriftDecisions(deps: DecisionDeps) {
  /** Has a decision followed at once, and sent what rules derive from it. */
  async function decided<T>(decision: Promise<T>): Promise<T> {
    const result = await decision;
    deps.store.bell.ring('decided');
    deps.store.bell.ring('due');
    return result;
  }

  return {
    decidePlan: (id: string, decision: Parameters<typeof decidePlan>[2]) =>
      decided(decidePlan(deps, id, decision)),
    undo: (id: string, by: string) => decided(undoPlan(deps, id, by)),
    many: (request: ManyRequest) => decided(decideMany(deps, request)),
    stopManaging: (key: GivenKey) => decided(stopManaging(deps, key)),
    /** Plans a handover, which waits for an operator. */
    handOver: (handovers: readonly HandOver[], reason: string) =>
      planHandover(deps, handovers, reason),
  };
}

/** While something is held, nothing is looked at. */
const NOTHING = { nextAt: undefined, hasFound: false };

/** Creates the keeper; `isReady`: the first read is finished. */
export function createDriftKeeper(deps: DriftDeps, isReady: () => boolean) {
  const { clock, store } = deps;
  const review = createReview(deps);
  const stopping = new AbortController();
  const job = { type: 'drift', id: 'keep', restMs: IDLE_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    const beganAt = performance.now();
    const nextAt = isReady() ? await keep(signal) : undefined;
    const busyMs = Math.max(BUSY_FACTOR * (performance.now() - beganAt), BUSY_MIN_MS);
    const untilNextMs = nextAt === undefined ? IDLE_MS : nextAt - clock.now();
    return Math.min(Math.max(untilNextMs, busyMs), IDLE_MS);
  });

  /** Runs one turn. Returns the time of the next work (epoch milliseconds); undefined when none is known. */
  async function keep(signal: AbortSignal): Promise<number | undefined> {
    // While a restored backup or what was accepted while observing waits, only decisions about that are followed.
    const recovery = await RECOVERY.find(store.read);
    if (recovery !== undefined && recovery.phase !== 'waiting') return undefined;
    const scope = recovery === undefined ? 'all' : 'holding';
    const { nextAt, hasFound } = scope === 'all' ? await inspectDue(deps, signal) : NOTHING;
    if (hasFound) await decide(deps, 'audit');
    const plans = await followPlans(deps, scope);
    await review();
    await endPlans(deps, plans);
    return plans.length > 0 ? clock.now() : nextAt;
  }

  /** Has followed at once what was found or decided. */
  async function decided<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    loop.tell();
    return result;
  }

  return {
    start: () => loop.start(),
    stop() {
      stopping.abort();
      return loop.stop();
    },
    look: ({ key }: { readonly key: ResourceKey }) => decided(lookNow(deps, key, stopping.signal)),
    decide: (source: DecisionSource) => decided(decide(deps, source)),
  };
}
