/** Source of time, passed in so that tests decide it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Milliseconds from some beginning, which pass evenly whatever `now` is set to; absent: `now` does so itself. */
  steady?(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Time of a clock that passes evenly, in milliseconds from some beginning: what a duration is measured with. */
export function readSteady(clock: Pick<Clock, 'now' | 'steady'>): number {
  return clock.steady?.() ?? clock.now();
}
