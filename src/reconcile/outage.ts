import type { Clock } from '../domain/clock.ts';
import { NOT_APPLIED, type Outcome } from './outcome.ts';

/** Different resources that fail, while nothing of that sort works, are an outage. */
const OUTAGE_RESOURCES = 3;
/** Failed resources that make an outage for the purpose of resuming deferred work, which harms nothing. */
const RESUME_RESOURCES = 2;
/** A shorter series of failures puts nothing off for long, in milliseconds. */
const RESUME_AFTER_MS = 5_000;
/** How long a failure is part of a series, in milliseconds; longer than what fails waits for its next attempt. */
const REMEMBERED_MS = 10 * 60_000;
/** Codes of failures where the service was not reached, or had no answer. */
const UNREACHED: ReadonlySet<string> = new Set([
  ...['connection', 'timeout', 'unavailable', 'unreadable', 'redirected'],
  ...['circuit-open', 'credentials-refused', 'rate-limited'],
]);

/** A step towards what is desired that ended. */
export interface EndedStep {
  /** Names the resource. */
  readonly key: string;
  readonly isLook: boolean;
  readonly outcome: Outcome<unknown, unknown>;
}

/** Tells failures of single resources from an outage of the service. */
export interface OutageWatch {
  /** Notes how a step ended; false: that it failed may be the fault of the service. */
  note(step: EndedStep): boolean;
  /** The service takes calls again. */
  ended(): void;
  /** `listen` is told when the service answers again after it did not. */
  onEnd(listen: () => void): void;
}

/** The watch of one process, which has seen nothing yet. */
export function createOutageWatch(clock: Pick<Clock, 'now'>): OutageWatch {
  const looks = createSeries(clock);
  const changes = createSeries(clock);
  let tell = () => {};

  function noteSuccess(isLook: boolean): void {
    const wasOut = [looks.end(), !isLook && changes.end()];
    if (wasOut.includes(true)) tell();
  }

  return {
    note({ key, isLook, outcome }) {
      const hasAnswer = outcome.kind === 'done' || outcome.kind === 'refused';
      if (hasAnswer || outcome.problem.code === NOT_APPLIED.code) {
        noteSuccess(isLook);
        return true;
      }
      if (!UNREACHED.has(outcome.problem.code)) return true;
      // A call that was not sent tells of the service alone.
      const series = isLook || outcome.kind === 'later' ? looks : changes;
      series.add(key);
      return changes.count() < OUTAGE_RESOURCES && looks.count() < OUTAGE_RESOURCES;
    },
    ended: () => tell(),
    onEnd(listen) {
      tell = listen;
    },
  };
}

/** Resources that failed one after another without a success in between. */
interface Series {
  add(key: string): void;
  count(): number;
  /** Ends it; true: it was an outage. */
  end(): boolean;
}

function createSeries({ now }: Pick<Clock, 'now'>): Series {
  const failed = new Map<string, number>();
  let since = 0;

  function count(): number {
    for (const [key, at] of failed) if (now() - at > REMEMBERED_MS) failed.delete(key);
    return failed.size;
  }

  return {
    add(key) {
      if (count() === 0) since = now();
      failed.set(key, now());
    },
    count,
    end() {
      const wasOut = count() >= RESUME_RESOURCES && now() - since >= RESUME_AFTER_MS;
      failed.clear();
      return wasOut;
    },
  };
}
