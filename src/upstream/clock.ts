/** Source of time, passed in so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Milliseconds from some beginning, which pass evenly whatever `now` is set to; absent: `now` does so itself. */
  steady?(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Time of a clock that passes evenly, in whole milliseconds from some beginning. Rate, pauses, gates and limits of time are
 * measured with it: a clock that is set back would stop all calls until it is again where it was.
 */
export function readSteady(clock: Pick<Clock, 'now' | 'steady'>): number {
  return Math.floor(clock.steady?.() ?? clock.now());
}
