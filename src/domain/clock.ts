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

/** Follows failures of one thing: `began` hears the first of them, `over` how long they lasted and how many they were. */
export function followOutage<Failure>(
  clock: Pick<Clock, 'now'>,
  began: (failure: Failure) => void,
  over: (outage: { readonly afterMs: number; readonly failures: number }) => void,
): (failure: Failure | undefined) => void {
  let [sinceMs, failures] = [0, 0];
  return (failure) => {
    if (failure === undefined && failures > 0) over({ afterMs: clock.now() - sinceMs, failures });
    failures = failure === undefined ? 0 : failures + 1;
    if (failure === undefined || failures > 1) return;
    sinceMs = clock.now();
    began(failure);
  };
}

/** Change of a clock, in milliseconds, that makes stored times wrong. A smaller one is not worth the calls of all. */
const SET_MS = 60_000;

/** Creates what mends stored times at its first turn and after the clock was set back: they may lie too far ahead. */
export function createSetBack(clock: Clock, mend: (now: number) => Promise<unknown>) {
  let lastAt = Number.POSITIVE_INFINITY;
  return async (): Promise<void> => {
    const at = clock.now();
    if (at < lastAt - SET_MS) await mend(at);
    lastAt = at;
  };
}
