import type { Clock } from '../domain/clock.ts';
import { followOutage } from '../domain/clock.ts';
import type { LogLine } from './events.ts';
import { createEvents } from './events.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

interface OutageOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Codes of the errors that mean that the store cannot be used. */
  readonly codes: ReadonlySet<string>;
  /** False while the store cannot be used; a rejection means the same. */
  readonly isUsable: () => Promise<boolean>;
}

/** Interval of the question whether an outage is over, in milliseconds. */
const ASKED_MS = 1_000;

/**
 * Creates events whose lines are all logged, but for failures of the store: one line when an outage begins, one when it
 * ends.
 */
export function createOutageAwareEvents(options: OutageOptions) {
  const { logger, metrics, clock, codes, isUsable } = options;
  const { storeLost, storeRecovered } = createEvents(logger, metrics);
  const stopping = new AbortController();
  const follow = followOutage(clock, begin, storeRecovered);

  function begin(code: string): void {
    storeLost({ code });
    // Only the stop rejects, and then nothing more is logged.
    untilOver().catch(() => undefined);
  }

  async function untilOver(): Promise<void> {
    do await clock.sleep(ASKED_MS, stopping.signal);
    while (!(await isUsable().catch(() => false)));
    follow(undefined);
  }

  function log(line: LogLine): void {
    let { error } = line.fields;
    // The error of the line or one of its causes.
    while (error !== undefined && !codes.has(error.code ?? '')) error = error.cause;
    if (error?.code === undefined) logger.log(line);
    else if (!stopping.signal.aborted) follow(error.code);
  }

  return {
    events: createEvents({ log }, metrics),
    /** Stops asking whether an outage is over. */
    stop: () => stopping.abort(),
  };
}
