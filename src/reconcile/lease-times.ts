/** How long lanes are held, in milliseconds. */
export interface LeaseTimes {
  /** From each claim and each renewal on. After that the lane of a process that is gone is free. */
  readonly lengthMs: number;
  /** What must be left when a call leaves, so that the call has ended before anybody else may take the lane. */
  readonly neededMs: number;
  /** How often a lane is renewed whose step waits. */
  readonly renewEveryMs: number;
  /** How long one attempt of a call may have an effect after it left. */
  readonly attemptMs: number;
}

/** For clocks that run unevenly and for the way to the store, as a part of the call's time. */
const MARGIN = 0.1;
/** How often a call is sent at most; each time the lane is asked for again. */
const ATTEMPTS = 3;
/** For steps that follow each other without a renewal, as a part of the call's time. */
const SLACK = 0.4;

/** The leases that fit calls of at most `callMs` milliseconds, over all their attempts. */
export function toLeaseTimes(callMs: number): LeaseTimes {
  return {
    lengthMs: Math.ceil(callMs * (1 + MARGIN + SLACK)),
    neededMs: Math.ceil(callMs * (1 + MARGIN)),
    // Twice a slack, so that one renewal may fail before a call has to wait for its own.
    renewEveryMs: Math.ceil((callMs * SLACK) / 3),
    attemptMs: Math.ceil((callMs / ATTEMPTS) * (1 + MARGIN)),
  };
}
