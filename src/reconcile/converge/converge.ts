import type { ResourceKey } from '../../domain/values.ts';
import { BridgeError, keyText } from '../../domain/values.ts';
import type { Step } from '../../plan/step.ts';
import { hasFailed, listLinks, shorten } from '../../plan/step.ts';
import { GONE } from '../../store/due.ts';
import type { ReconcileDeps } from '../deps.ts';
import { GROUP_STEPS } from '../group/apply.ts';
import type { Again, Known, Outcome } from '../outcome.ts';
import type { Missed } from '../sections.ts';
import { makeStep } from '../step-call.ts';
import { USER_STEPS } from '../user/apply.ts';
import type { Waiters } from '../waiters.ts';
import type { Recorded } from './finish.ts';
import { recordStep } from './record.ts';
import type { PlannedStep } from './step.ts';
import { readStep, SendGuard, toName } from './step.ts';

/**
 * Brings one resource to the desired state, step by step. It reads all state itself, so a second run makes no call. The
 * caller holds the lock. @throws BridgeError `bug` when the steps go round in a circle
 */
export async function converge(
  deps: ReconcileDeps,
  key: ResourceKey,
  waiters: Waiters,
): Promise<Recorded> {
  const run = new Run(deps.quirks);
  let next = await readStep(deps, key);
  let again = false;
  while (next !== undefined) {
    const step = run.limit(next);
    run.assertNoCircle(step);
    const guard = new SendGuard(deps, step, again);
    const made = await take({ ...deps, upstream: guard.upstream }, step, run.missed);
    // A step that was stopped before its first call, because a newer write changes the plan, is no failure.
    again = guard.isOvertaken && made.kind === 'later';
    const outcome: Outcome | Again = again ? { kind: 'again' } : made;
    if (!again) await run.note(step, outcome);
    const isOwn = noteEnd(deps, step, outcome);
    const { failures } = run;
    const recorded = await recordStep(deps, waiters, { guard, outcome, isOwn, failures });
    if (recorded.next === undefined) return recorded;
    next = recorded.next;
  }
  return GONE;
}

/** Reports how a step ended; false if its failure may be an outage of the service. */
function noteEnd({ events, outage }: ReconcileDeps, step: PlannedStep, outcome: Outcome | Again) {
  const action = toName(step);
  if (action === undefined || outcome.kind === 'again') return true;
  const { type, id } = step.row;
  events.stepEnded({ type, id, action, outcome: outcome.kind });
  return outage.note(keyText(step.row), outcome, isLook(step.action));
}

/** Takes a step, in the trace of the change that waits for it; without an action it is done. */
async function take(
  deps: ReconcileDeps,
  step: PlannedStep,
  missed: Missed | undefined,
): Promise<Outcome | Again> {
  const { row, state, action } = step;
  if (action === undefined) return { kind: 'done', known: {} };
  const basis = { deps, step: action, missed };
  const apply = () =>
    state.type === 'user'
      ? makeStep(USER_STEPS, { ...basis, state })
      : makeStep(GROUP_STEPS, { ...basis, state });
  const { tracing } = deps;
  const parent = row.asked_kind === null ? null : row.asked_trace;
  // Work that no provider has asked for is shown by its calls alone.
  if (tracing === undefined || parent === null) return apply();
  const attributes = {
    'scim_bridge.resource_type': row.type,
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
/** Parts that were refused one by one after which the others are sent one by one as well. */
const REFUSED_MANY = 3;
/** Smallest call that can tell a refused form from a refused member. */
const PAIR = 2;

/** What a run remembers of its steps. */
class Run {
  /** Set once a call was answered "not there", so that looking and writing never alternate for ever. */
  missed: Missed | undefined;
  failures = 0;
  readonly #quirks: ReconcileDeps['quirks'];
  /** Parts that a call of one kind may have, since one with more was refused. */
  #most = { kind: 'look', size: Number.POSITIVE_INFINITY };
  #refused = 0;
  /** Members of a refused pair that were not taken one by one yet. */
  #pair = 0;
  readonly #taken = new Map<string, number>();

  constructor(quirks: ReconcileDeps['quirks']) {
    this.#quirks = quirks;
  }

  /** The step with no more parts than the service takes: a refused call is halved until the part at fault is found. */
  limit(step: PlannedStep): PlannedStep {
    const { action } = step;
    if (action === undefined || toCall(action) !== this.#most.kind) return step;
    return { ...step, action: shorten(action, this.#most.size) };
  }

  /** @throws BridgeError `bug` when a run comes to the same step again and again, and nothing is written meanwhile */
  assertNoCircle({ state, action }: PlannedStep): void {
    const step = JSON.stringify([state.version, action]);
    const times = (this.#taken.get(step) ?? 0) + 1;
    this.#taken.set(step, times);
    if (times <= REPEATS_MAX) return;
    throw new BridgeError('bug', `${keyText(state)} came to the same step ${times} times`);
  }

  async note({ action, state }: PlannedStep, outcome: Outcome | Again): Promise<void> {
    this.failures += Number(outcome.kind === 'unknown');
    this.#noteMissed(outcome, isLook(action));
    if (action !== undefined) await this.#noteSize(action, state, outcome);
  }

  /** A change in between begins anew. */
  #noteMissed(outcome: Outcome | Again, hasLooked: boolean): void {
    // Nothing else is planned before the look, and a look that finds nothing says so.
    if (outcome.kind === 'unknown' && outcome.lookNow) this.missed = 'found';
    else if (outcome.kind === 'done' && this.missed === 'found') {
      if (!hasLooked) this.missed = undefined;
      else if (outcome.known.missing) this.missed = 'gone';
    }
  }

  async #noteSize(step: Step, state: PlannedStep['state'], outcome: Outcome | Again) {
    const kind = toCall(step);
    const count = step.facts.length;
    if (outcome.kind === 'again' && outcome.most !== undefined) {
      this.#most = { kind, size: outcome.most };
      this.#pair = kind === 'members' && count === PAIR ? PAIR : 0;
    } else if (outcome.kind === 'done') {
      if (this.#pair > 0) await this.#notePair(outcome.known);
    } else if (outcome.kind !== 'later' && count === 1) {
      // The others go together again, unless there are many that are at fault.
      this.#refused += 1;
      this.#pair = 0;
      if (this.#refused < REFUSED_MANY) this.#most = { kind, size: Number.POSITIVE_INFINITY };
    } else if (outcome.kind === 'unknown' && hasFailed(step, state.cells)) {
      // Each failure costs a look, so the parts of a batch that failed again are small.
      this.#most = { kind, size: Math.ceil(count / 4) };
    }
  }

  /** Where both of a pair are taken alone that were refused together, the form was refused. */
  async #notePair({ done = [] }: Known): Promise<void> {
    const isOurs = listLinks(done).some((link) => !link.madeByOthers);
    this.#pair = isOurs ? this.#pair - 1 : 0;
    if (isOurs && this.#pair === 0) await this.#quirks.learn({ memberForm: 'single' });
  }
}

/** The kind of a step, where one member alone is one of a batch. */
function toCall({ kind, facts: [fact] }: Step): string {
  const isMember = typeof fact?.part === 'object' && fact.part.list === 'member';
  return isMember ? 'members' : kind;
}

const isLook = (step: Step | undefined) => step?.kind === 'look' || step?.kind === 'list-entities';
