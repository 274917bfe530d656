import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { events, type LogFields, type LogLevel, type LogLine } from './events.ts';

/** Writes lines of events.ts, one JSON object each. */
export interface Logger {
  /** Writes one event. */
  log(line: LogLine): void;
  /** The same log with fields that every further line carries, such as `requestId`. */
  with(fields: LogFields): Logger;
}

/** Level and destination of the log. */
interface LoggerOptions {
  /** The least important lines that are written. */
  readonly level: LogLevel | 'silent';
  /** Standard output when left out. */
  readonly destination?: DestinationStream;
}

/**
 * Fields that are never written, should one slip into an event or into an object inside it.
 * Events carry ids and counts only; this is the second protection.
 */
const redactedNames = [
  'authorization',
  'Authorization',
  'token',
  'tokens',
  'secret',
  'password',
  'cookie',
  'headers',
  'body',
  'emails',
  'email',
  'userName',
  'displayName',
];

/** Creates a log of structured lines. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: ['', '*.', '*.*.'].flatMap((parent) =>
        redactedNames.map((name) => `${parent}${name}`),
      ),
      censor: '(hidden)',
    },
  };
  return toLogger(pino(options, destination ?? openStandardOutput()));
}

/** Most characters that wait for an output which takes none, such as a file on a full disk. */
const WAITING_MAX = 1_000_000;

/** Standard output. What it does not take waits or is dropped: a log that nobody can read stops no bridge. */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_MAX });
  output.on('error', () => undefined);
  // Without `flushSync`, which pino would call at a fatal line, and which tries for ever.
  return { write: (line) => void output.write(line) };
}

function toLogger(log: PinoLogger): Logger {
  return {
    log: ({ level, message, fields }) => log[level](fields, message),
    with: (fields) => toLogger(log.child(fields)),
  };
}

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
      let each = error;
      // The error of the line or one of its causes.
      while (each !== undefined && !codes.has(each.code ?? '')) each = each.cause;
      if (each?.code === undefined) into.log(line);
      else meet(each.code);
    },
    with: (fields) => fold(into.with(fields)),
  });

  return { ...fold(logger), stop: () => stopping.abort() };
}
