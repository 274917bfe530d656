import type { LogLevel, Row } from './event-rows.ts';
import { EVENTS } from './event-rows.ts';
import type { Metrics } from './metrics.ts';

/** Log fields of an error. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  /** The frames without the message. */
  readonly stack: string;
  readonly code?: string;
  readonly status?: number;
  readonly operation?: string;
  readonly cause?: ErrorFields;
}

/**
 * Fields beside the message: ids, counts, codes; never a secret or the content of a body. `durationMs`: what something
 * took. `afterMs`: how long a state lasted. `failures`: how often. `done` of `total` and `leftMs`: progress.
 */
export interface LogFields {
  readonly error?: ErrorFields | undefined;
  readonly [name: string]:
    | string
    | number
    | boolean
    | undefined
    | ErrorFields
    | Readonly<Record<string, number>>;
}

/** One line of the log: a message that never varies, so that it can be counted and searched, and its fields. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

type Given = { readonly [name: string]: unknown };

/** Reports events, each by a method with its name. */
export type Events = { readonly [Name in keyof typeof EVENTS]: Method<(typeof EVENTS)[Name]> } & {
  /** Work in the background failed: at a user or group, or elsewhere. */
  readonly failed: (failure: { type: string; id: string; error: unknown }) => void;
};

type Method<Of> = Of extends Row<infer Fields> ? (fields: Fields) => void : never;

/** Creates the reports of one process. */
export function createEvents(log: { log(line: LogLine): void }, metrics: Metrics): Events;
// Which event has which fields no compiler sees in a loop: hence two signatures.
export function createEvents({ log }: { log(line: LogLine): void }, metrics: Metrics): object {
  const report = ({ message, choose, count, ...row }: Row<Given>, given: Given = {}) => {
    count?.(metrics, given);
    const level = choose === undefined ? row.level : choose(given);
    if (level !== undefined) log({ level, message, fields: toLogFields(given) });
  };
  const methods = Object.entries(EVENTS).map(([name, each]) => [
    name,
    (given?: Given) => report(parseRow(each), given),
  ]);
  const failed: Events['failed'] = ({ type, id, error }) => {
    const isOfResource = type === 'user' || type === 'group';
    const fields = isOfResource ? { type, id, error } : { job: type, at: id, error };
    report(parseRow(isOfResource ? EVENTS.workerFailed : EVENTS.jobFailed), fields);
  };
  return { ...Object.fromEntries(methods), failed };
}

/** Only the method of its name reports a row, with its fields. */
function parseRow(one: unknown): Row<Given> {
  return one as Row<Given>;
}

/** Names of fields where the log has others. */
const LOGGED: Readonly<Record<string, string>> = { type: 'resourceType', id: 'resourceId' };

/** The error is converted, so that nothing of it slips into the log. */
function toLogFields(given: Given): LogFields {
  const named = Object.entries(given).map(([name, value]) => [
    LOGGED[name] ?? name,
    name === 'error' ? toErrorFields(value) : value,
  ]);
  return Object.fromEntries(named);
}

const CAUSES_MAX = 5;

/** Converts an error into log fields. Only named properties are taken: others hold bodies, rows and tokens. */
function toErrorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) {
    return { name: typeof error, message: 'something that is no Error was thrown', stack: '' };
  }
  const { code, status, operation, cause } = Object(error);
  return {
    name: error.name,
    message: quotesData(error) ? '(hidden: it may quote data)' : error.message,
    stack: (error.stack ?? '').split('\n').filter(isFrame).join('\n'),
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
    ...(typeof operation === 'string' && { operation }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: toErrorFields(cause, depth + 1) }),
  };
}

/** JSON.parse quotes the text that it refuses; PostgreSQL, whose errors have a severity, quotes the value. */
function quotesData(error: Error): boolean {
  return error instanceof SyntaxError || 'severity' in error;
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line);
}
