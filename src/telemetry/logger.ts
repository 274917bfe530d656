import type { DestinationStream } from 'pino';
import { pino } from 'pino';
import type { LogLevel } from './event-rows.ts';
import type { LogLine } from './events.ts';

/** Writes lines of events.ts, one JSON object each. */
export type Logger = ReturnType<typeof createLogger>;

/** Level and destination of the log. */
interface LoggerOptions {
  /** The least important lines that are written. */
  readonly level: LogLevel | 'silent';
  /** Standard output when left out. */
  readonly destination?: DestinationStream;
}

/** Fields that are never written, should one slip into an event: the second protection. */
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

export function createLogger({ level, destination }: LoggerOptions) {
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
  const log = pino(options, destination ?? openStandardOutput());
  return { log: ({ level, message, fields }: LogLine): void => log[level](fields, message) };
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
