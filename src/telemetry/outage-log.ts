import type { Clock } from '../domain/clock.ts';
import { events } from './events.ts';
import type { Logger } from './logger.ts';

/** A log that writes two lines for an outage of the store. */
export interface OutageLog extends Logger {
  /** Stops asking whether an outage is over. */
  stop(): void;
}

/** Dependencies of `createOutageLog`. */
interface OutageLogOptions {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Codes of the errors that mean that the store cannot be used. */
  readonly codes: ReadonlySet<string>;
  /** False while the store cannot be used; a rejection means the same. */
  readonly isUsable: () => Promise<boolean>;
}

/** Interval of the question whether an outage is over, in milliseconds. */
const ASKED_MS = 1_000;

/**
 * Creates a log that passes all lines on, but for failures of the store, which all parts meet again and again. An
 * outage is logged once when it begins, and once when it is over, with its duration and the number of failures.
 */
export function createOutageLog({ logger, clock, codes, isUsable }: OutageLogOptions): OutageLog {
  const stopping = new AbortController();
  let failures = 0;

  async function untilOver(): Promise<void> {
    const sinceMs = clock.now();
    do await clock.sleep(ASKED_MS, stopping.signal);
    while (!(await isUsable().catch(() => false)));
    const met = failures;
    failures = 0;
    logger.log(events.storeRecovered({ afterMs: clock.now() - sinceMs, failures: met }));
  }

  function meet(code: string): void {
    failures += 1;
    if (failures > 1 || stopping.signal.aborted) return;
    logger.log(events.storeLost({ code }));
    // Only the stop rejects, and then nothing more is logged.
    untilOver().catch(() => undefined);
  }

  const fold = (into: Logger): Logger => ({
    log(line) {
      const { error } = line.fields;
      let each = typeof error === 'object' ? error : undefined;
      // The error of the line or one of its causes.
      while (each !== undefined && !codes.has(each.code ?? '')) each = each.cause;
      if (each?.code === undefined) into.log(line);
      else meet(each.code);
    },
    with: (fields) => fold(into.with(fields)),
  });

  return { ...fold(logger), stop: () => stopping.abort() };
}
