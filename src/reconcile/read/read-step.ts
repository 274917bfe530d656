import { BridgeError } from '../../domain/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import { type Reason, toReason } from '../verdict.ts';
import { findSection, type Step } from './progress.ts';
import { closeStep, recheckSections, refuseStep, runStep, type StepRun } from './run-step.ts';
import { isAnswering } from './service.ts';
import type { FirstReadDeps } from './step.ts';

/** Times that the list of roles may be incomplete, or not be understood, before the rest serves without it. */
const UNREAD_MAX = 3;
const UNREAD: ReadonlySet<string> = new Set(['unreadable', 'incomplete']);
/** Times that asking for our own account may fail while other reads work: the operation is not documented. */
const ACCOUNT_FAILURES_MAX = 3;

/** Largest failure count for asking who we are: all changes wait for it, so it is asked every 16 s at least. */
const SERVICE_BACKOFF_MAX = 5;

/** State that the attempts of one first read share. */
export interface AttemptRun extends StepRun {
  readonly attempts: ReturnType<typeof createAttempts>;
  /** Stops everything, because the service is not the one of the store. */
  readonly giveUp: (error: BridgeError) => void;
}

/**
 * Reads one list, or records why not. Returns the rest before the next attempt, in milliseconds. Never rejects, because
 * no caller waits for it: a failure is reported and tried again.
 */
export async function readStep(run: AttemptRun, step: Step): Promise<number> {
  const before = run.checkpoint.getStep(step);
  try {
    const result = await runStep(run, step);
    if (result.kind === 'incomplete') {
      const { reason: text } = result;
      const reason: Reason = { problem: { code: 'incomplete', words: text }, text };
      return await defer(run, step, { reason, hasMoved: false });
    }
    await closeStep(run, step);
    run.attempts.succeed();
    return 0;
  } catch (error) {
    if (run.signal.aborted) return 0;
    if (error instanceof BridgeError && error.code === 'other-service') run.giveUp(error);
    const { count, membersAfter } = run.checkpoint.getStep(step);
    const hasMoved = count > before.count || membersAfter !== before.membersAfter;
    return defer(run, step, { reason: toReason(error), hasMoved });
  }
}

/** Asks closed sections again. Never rejects. */
export async function recheck(run: AttemptRun): Promise<void> {
  try {
    await recheckSections(run);
  } catch (error) {
    if (!run.signal.aborted) run.attempts.fail('service', 1, toReason(error));
  }
}

/** Tries a list again that failed or was incomplete, or leaves it out. */
async function defer(
  run: AttemptRun,
  step: Step,
  { reason, hasMoved }: { reason: Reason; hasMoved: boolean },
): Promise<number> {
  const { attempts } = run;
  const failures = hasMoved ? 1 : attempts.countWith(step);
  // Missing roles do not block SCIM for ever: the rest serves, and status tells the gap.
  const isUnread =
    step === 'companyUsers' && UNREAD.has(reason.problem.code) && failures >= UNREAD_MAX;
  if (isUnread || (reason.verdict === 'forbidden' && findSection(step) !== undefined)) {
    try {
      await refuseStep(run, step, reason.problem);
      attempts.succeed();
      return 0;
    } catch (error) {
      return attempts.fail(step, attempts.countWith(step), toReason(error));
    }
  }
  const isOptional = step === 'service' && failures >= ACCOUNT_FAILURES_MAX;
  if (isOptional && (await isAnswering(run.deps))) {
    await closeStep(run, step);
    attempts.succeed();
    return 0;
  }
  return attempts.fail(step, failures, reason);
}

/** Attempt that failed. */
interface Failure {
  readonly step: Step;
  readonly problem: Problem;
  /** Number of failures of this step in a row, without a page in between. */
  readonly count: number;
  /** Time of the next attempt (epoch milliseconds). */
  readonly retryAt: number;
}

/** Creates the counter of failed attempts, which sets the time of the next one. */
export function createAttempts({ clock, events, random }: FirstReadDeps) {
  let last: Failure | undefined;
  return {
    /** Finds the last failure, undefined once the step succeeded. */
    last: () => last,
    succeed() {
      last = undefined;
    },
    /** Counts the failures of the step in a row, this one included. */
    countWith: (step: Step) => (last?.step === step ? last.count + 1 : 1),
    /** Notes a failure, and returns the milliseconds until the next attempt. */
    fail(step: Step, count: number, { problem, text, retryAfterMs }: Reason): number {
      const counted = step === 'service' ? Math.min(count, SERVICE_BACKOFF_MAX) : count;
      const retryInMs = backoffMs(counted, retryAfterMs, random());
      last = { step, problem, count, retryAt: clock.now() + retryInMs };
      events.firstReadFailed({ step, reason: text, retryInMs });
      return retryInMs;
    },
  };
}
