import type { Clock } from '../domain/clock.ts';
import { isNotApplied } from '../domain/values.ts';
import type { Outcome } from './outcome.ts';

/** Number of different failing resources, without a success, that makes an outage. */
const OUTAGE_RESOURCES = 3;
/** Length of a series of failures below which resuming early saves nothing, in milliseconds. */
const RESUME_AFTER_MS = 5_000;
/** Time for which a failure belongs to a series, in milliseconds; longer than the wait for the next attempt. */
const REMEMBERED_MS = 10 * 60_000;
/** Codes of failures where the service was not reached, or had no answer. */
const UNREACHED: ReadonlySet<string> = new Set([
  ...['connection', 'timeout', 'unavailable', 'unreadable', 'redirected'],
  ...['circuit-open', 'credentials-refused', 'rate-limited'],
]);

/** Tells failures of single resources from an outage of the service. */
export type OutageWatch = ReturnType<typeof createOutageWatch>;

/** Creates the watch of one process. */
export function createOutageWatch({ now }: Pick<Clock, 'now'>) {
  const [looks, changes] = [createSeries(now), createSeries(now)];
  /** How many steps had worked when a look at each resource last failed. */
  const failedLooks = new Map<string, number>();
  let successes = 0;
  let tell = () => {};

  function noteFailure(key: string, series: typeof looks, isLook: boolean): boolean {
    series.add(key);
    const before = failedLooks.get(key) ?? successes;
    if (isLook) failedLooks.set(key, successes);
    // A look fails alone if the service has answered for others since it failed before.
    if (isLook && before === successes) return false;
    return changes.count() < OUTAGE_RESOURCES && looks.count() < OUTAGE_RESOURCES;
  }

  return {
    /** Notes the end of a step of a resource; false if its failure may be an outage of the service. */
    note(key: string, outcome: Outcome<unknown>, isLook: boolean): boolean {
      const hasAnswer = outcome.kind === 'done' || outcome.kind === 'refused';
      if (hasAnswer || isNotApplied(outcome.problem)) {
        successes += 1;
        failedLooks.delete(key);
        const wasOut = [looks.end(), !isLook && changes.end()];
        if (wasOut.includes(true)) tell();
        return true;
      }
      // A call that was not sent tells of the service alone.
      const series = isLook || outcome.kind === 'later' ? looks : changes;
      return UNREACHED.has(outcome.problem.code) ? noteFailure(key, series, isLook) : true;
    },
    ended: () => tell(),
    /** Calls `listen` when the service answers again after an outage. */
    onEnd(listen: () => void): void {
      tell = listen;
    },
  };
}

function createSeries(now: Clock['now']) {
  const failed = new Map<string, number>();
  let since = 0;

  function count(): number {
    for (const [key, at] of failed) if (now() - at > REMEMBERED_MS) failed.delete(key);
    return failed.size;
  }

  return {
    add(key: string): void {
      if (count() === 0) since = now();
      failed.set(key, now());
    },
    count,
    end(): boolean {
      // One failed resource is enough: to try what waits harms nothing.
      const wasOut = count() > 0 && now() - since >= RESUME_AFTER_MS;
      failed.clear();
      return wasOut;
    },
  };
}
