import type { SentChange } from '../domain/change.ts';
import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { Missed } from '../domain/resource-state.ts';
import { findTrace } from '../store/changes.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome } from './outcome.ts';
import { recordStep } from './record.ts';
import { GONE, type Progress } from './recorded.ts';
import type { KindTypes, ResourceKind } from './resource-kind.ts';
import { type GuardedStep, openSendGuard, type PlannedStep } from './send-guard.ts';
import type { Waiters } from './waiters.ts';

/** End of a run. */
export interface Run extends Progress {
  /** Time of the next attempt at a failed step (epoch milliseconds). */
  readonly retryAt?: number;
}

/**
 * Brings one resource to the desired state, step by step, until nothing is left to do or a step has to wait. It reads
 * all state itself, so it does not matter what started it or how often; a second run makes no call. The caller holds
 * the lock of the resource.
 * @throws BridgeError `bug` when the steps go round in a circle
 */
export async function converge<T extends KindTypes>(
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  {
    key,
    waiters,
    onNotified,
  }: {
    readonly key: ResourceKey;
    readonly waiters: Waiters;
    readonly onNotified: () => void;
  },
): Promise<Run> {
  const assertNoCircle = createStepGuard(key);
  const replan = () => readStep(deps, kind, key);
  let step = await replan();
  let again = false;
  let missed: Missed | undefined;
  let failures = 0;
  while (step !== undefined) {
    const { state, action } = step;
    assertNoCircle(state.version, action);
    const create = action && kind.toSentCreate(action);
    const planned: GuardedStep<T['state'], T['action']> = {
      key,
      step,
      create,
      replan,
      again,
    };
    const { upstream, seen, withdraw, saveOutcomes } = openSendGuard(deps, planned);
    const name = toName(kind, action);
    const taken = { key, state, action, name, missed };
    const outcome = await take({ ...deps, upstream }, kind, taken);
    // The step was stopped before its first call, because a newer write changes the plan: that is no failure.
    again = seen.isOvertaken && outcome.kind === 'later';
    if (again) {
      await withdraw();
      step = await replan();
      continue;
    }
    const isLook = name === LOOK;
    missed = toMissed(missed, { outcome, isLook });
    failures += Number(outcome.kind === 'unknown');
    const isOwn = !action || deps.outage.note({ key: keyText(key), isLook, outcome });
    const ended = { outcome, isOwn, failures };
    const also = saveOutcomes;
    const { planned: last } = seen;
    const recorded = await recordStep(deps, kind, { key, waiters, planned: last, ended, also });
    if (name) deps.events.converged({ ...key, action: name, outcome: outcome.kind });
    if (recorded.notified.length > 0) onNotified();
    if (recorded.finished) return recorded;
    step = { state: recorded.state, action: kind.plan(recorded.state).actions[0] };
  }
  return GONE;
}

interface TakenStep<State, Action> extends PlannedStep<State, Action> {
  readonly key: ResourceKey;
  /** Name of the action. */
  readonly name: string | undefined;
  /** Knowledge of the run about a "not there". */
  readonly missed: Missed | undefined;
}

/** Takes a step, in the trace of the change that waits for it; without an action it is done. */
async function take<T extends KindTypes>(
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  { key, state, action, name = '', missed }: TakenStep<T['state'], T['action']>,
): Promise<Outcome<T['known']>> {
  if (action === undefined) return { kind: 'done', known: {} };
  const known = missed === undefined ? state : { ...state, missed };
  const { tracing } = deps;
  const parent = tracing && (await findTrace(deps.store.read, key));
  // Work that no provider has asked for is shown by its calls alone.
  if (tracing === undefined || parent === undefined) return kind.apply(deps, known, action);
  const attributes = { 'scim_bridge.resource_type': key.type, 'scim_bridge.action': name };
  const span = tracing.begin({ name: 'converge', kind: 'internal', parent, attributes });
  try {
    return await span.run(() => kind.apply(deps, known, action));
  } finally {
    span.end();
  }
}

/** Name of an action that looks. */
const LOOK = 'look';

/** Name of an action in the log and in traces: the kinds of its changes. */
function toName<Action>(
  { toChanges }: { toChanges(action: Action): readonly SentChange[] },
  action: Action | undefined,
): string | undefined {
  if (action === undefined) return undefined;
  const kinds = new Set(toChanges(action).map(({ kind }) => kind));
  return kinds.size === 0 ? LOOK : [...kinds].join(', ');
}

async function readStep<T extends KindTypes>(
  { store }: ReconcileDeps,
  kind: ResourceKind<T>,
  { id }: ResourceKey,
): Promise<PlannedStep<T['state'], T['action']> | undefined> {
  const state = await kind.load(store.read, id);
  return state && { state, action: kind.plan(state).actions[0] };
}

/** Times that one run may repeat the same step while nothing is written. */
const REPEATS_MAX = 10;
/** Steps that are remembered; a circle is shorter. */
const REMEMBERED_MAX = 1_000;

/**
 * Creates what tells a long run from a circle: a run may take any number of steps, but not the same one again and again. It
 * is told each step. @throws BridgeError `bug` when this step was taken too often since the last write
 */
function createStepGuard(key: ResourceKey): (version: number, action: unknown) => void {
  const taken = new Map<string, number>();
  let seen: number | undefined;
  return (version, action) => {
    if (version !== seen || taken.size >= REMEMBERED_MAX) taken.clear();
    seen = version;
    const step = JSON.stringify(action) ?? '';
    const times = (taken.get(step) ?? 0) + 1;
    taken.set(step, times);
    if (times <= REPEATS_MAX) return;
    throw new BridgeError('bug', `${keyText(key)} came to the same step ${times} times`);
  };
}

/** Outcome of a step, as far as it tells of a "not there". */
interface SeenOutcome {
  readonly outcome: Outcome<{ readonly missing?: true }>;
  /** True when the step was a look. */
  readonly isLook: boolean;
}

/**
 * Keeps what a run knows of a "not there" for its next step, so that looking and writing never alternate for ever. A
 * change in between begins anew. `before` is what was known before this step.
 */
function toMissed(
  before: Missed | undefined,
  { outcome, isLook }: SeenOutcome,
): Missed | undefined {
  // Nothing else is planned before the look, and a look that finds nothing says so.
  if (outcome.kind === 'unknown' && outcome.lookNow) return 'found';
  if (outcome.kind !== 'done' || before !== 'found') return before;
  if (!isLook) return undefined;
  return outcome.known.missing ? 'gone' : 'found';
}
