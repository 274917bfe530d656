import { backoffMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import type { Reason } from '../verdict.ts';
import type { Step } from './progress.ts';
import type { FirstReadDeps } from './step.ts';

/** Largest failure count for asking who we are: all changes wait for it, so it is asked every 16 s at least. */
const SERVICE_BACKOFF_MAX = 5;

/** Attempt that failed. */
interface Failure {
  readonly step: Step;
  readonly problem: Problem;
  /** Number of failures of this step in a row, without a page in between. */
  readonly count: number;
  /** Time of the next attempt (epoch milliseconds). */
  readonly retryAt: number;
}

/** Counter of failed attempts, which sets the time of the next one. */
export interface Attempts {
  /** Finds the last failure, undefined once the step succeeded. */
  last(): Failure | undefined;
  succeed(): void;
  /** Counts the failures of the step in a row, this one included. */
  countWith(step: Step): number;
  /** Notes a failure, and returns the milliseconds until the next attempt. */
  fail(step: Step, count: number, reason: Reason): number;
}

/** Creates the counter. */
export function createAttempts({ clock, events, random }: FirstReadDeps): Attempts {
  let last: Failure | undefined;
  return {
    last: () => last,
    succeed() {
      last = undefined;
    },
    countWith: (step) => (last?.step === step ? last.count + 1 : 1),
    fail(step, count, { problem, text, retryAfterMs }) {
      const counted = step === 'service' ? Math.min(count, SERVICE_BACKOFF_MAX) : count;
      const retryInMs = backoffMs(counted, retryAfterMs, random());
      last = { step, problem, count, retryAt: clock.now() + retryInMs };
      events.firstReadFailed({ step, reason: text, retryInMs });
      return retryInMs;
    },
  };
}
