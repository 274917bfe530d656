import { BridgeError } from '../../domain/errors.ts';
import { keyText, type ResourceKey } from '../../domain/ids.ts';
import type { Missed } from '../../domain/resource-state.ts';
import { findRow } from '../../store/resources/rows.ts';
import type { ReconcileDeps } from '../deps.ts';
import { applyGroupAction } from '../group/apply.ts';
import type { Outcome } from '../outcome.ts';
import { GONE, type Progress } from '../progress.ts';
import { applyUserAction } from '../user/apply.ts';
import type { Waiters } from '../waiters.ts';
import { recordStep } from './record.ts';
import { SendGuard } from './send-guard.ts';
import { LOOK, type PlannedStep, readStep, toName } from './step.ts';

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
export async function converge(
  deps: ReconcileDeps,
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
  let step = await readStep(deps, key);
  let again = false;
  let missed: Missed | undefined;
  let failures = 0;
  while (step !== undefined) {
    assertNoCircle(step.state.version, step.action);
    const guard = new SendGuard(deps, { key, step, again });
    const name = toName(step);
    const outcome = await take({ ...deps, upstream: guard.upstream }, step, missed);
    // The step was stopped before its first call, because a newer write changes the plan: that is no failure.
    again = guard.isOvertaken && outcome.kind === 'later';
    if (again) {
      await guard.withdraw();
      step = await readStep(deps, key);
      continue;
    }
    const isLook = name === LOOK;
    missed = toMissed(missed, { outcome, isLook });
    failures += Number(outcome.kind === 'unknown');
    const isOwn = name === undefined || deps.outage.note({ key: keyText(key), isLook, outcome });
    const recorded = await recordStep(deps, { key, waiters, guard, outcome, isOwn, failures });
    if (name) deps.events.stepEnded({ ...key, action: name, outcome: outcome.kind });
    if (recorded.notified.length > 0) onNotified();
    if (recorded.next === undefined) return recorded;
    step = recorded.next;
  }
  return GONE;
}

/** Takes a step, in the trace of the change that waits for it; without an action it is done. */
async function take(
  deps: ReconcileDeps,
  step: PlannedStep,
  missed: Missed | undefined,
): Promise<Outcome> {
  const { type, row, state, action } = step;
  if (action === undefined) return { kind: 'done', known: {} };
  const known = missed === undefined ? {} : { missed };
  const apply = () =>
    type === 'user'
      ? applyUserAction(deps, { ...state, ...known }, action)
      : applyGroupAction(deps, { ...state, ...known }, action);
  const { tracing } = deps;
  const asked = tracing && (await findRow(deps.store.read, row));
  const parent = asked?.asked_kind ? (asked.asked_trace ?? undefined) : undefined;
  // Work that no provider has asked for is shown by its calls alone.
  if (tracing === undefined || parent === undefined) return apply();
  const attributes = {
    'scim_bridge.resource_type': type,
    'scim_bridge.action': toName(step) ?? '',
  };
  const span = tracing.begin({ name: 'converge', kind: 'internal', parent, attributes });
  try {
    return await span.run(apply);
  } finally {
    span.end();
  }
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
