import { backoffMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import type { Reason } from '../verdict.ts';
import type { Step } from './progress.ts';
import type { FirstReadDeps } from './step.ts';

/** All changes wait until the service is known, so it is asked every 16 s at least. */
const SERVICE_BACKOFF_MAX = 5;

/** An attempt that failed. */
interface Failure {
  readonly step: Step;
  readonly problem: Problem;
  /** Failures of this step in a row, without a page in between. */
  readonly count: number;
  /** When the next attempt is (epoch milliseconds). */
  readonly retryAt: number;
}

/** Counts failed attempts and says when to try again. */
export interface Attempts {
  /** The last failure, undefined once the step succeeded. */
  last(): Failure | undefined;
  succeed(): void;
  /** How many times in a row the step has failed, this time included. */
  countWith(step: Step): number;
  /** Returns the milliseconds until the next attempt. */
  fail(step: Step, count: number, reason: Reason): number;
}

/** No attempt has failed yet. */
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
