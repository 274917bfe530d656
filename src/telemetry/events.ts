import { type ErrorFields, toErrorFields } from './error-fields.ts';

/** Importance of a line. `error` needs an operator, `warn` may need one, `debug` is for a single request. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Fields beside the message: ids, counts, codes; never a secret, never the content of a body. One name means one thing in
 * every line: `durationMs` is what something took, `afterMs` how long a state lasted, `failures` how often it was met,
 * `done` of `total` and `leftMs` how far something is.
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

/** Fields of an event; its error is converted, so that nothing of it slips into the log. */
type EventFields = { readonly [name: string]: unknown };

/** Creates what makes the lines of one message: at the first of its levels, or at the one that `choose` finds. */
function line<Fields extends EventFields>(
  given: LogLevel | readonly LogLevel[],
  message: string,
  choose?: (fields: Fields) => LogLevel,
) {
  const levels = [given].flat();
  const make = (fields: Fields): LogLine => ({
    level: choose?.(fields) ?? levels[0] ?? 'info',
    message,
    fields: toLogFields(fields),
  });
  return Object.assign(make, { message, levels });
}

/** The same for a message without fields. */
function bare(level: LogLevel, message: string) {
  return Object.assign((): LogLine => ({ level, message, fields: {} }), {
    message,
    levels: [level],
  });
}

function toLogFields(fields: EventFields): LogFields {
  const own = fields as LogFields;
  return 'error' in fields ? { ...own, error: toErrorFields(fields.error) } : own;
}

type Failed = { readonly error: unknown };
type Resource = { readonly resourceType: 'user' | 'group'; readonly resourceId: string };
/** End of a state that had a line of its own. */
type Over = { readonly afterMs: number; readonly failures: number };

type Operator = {
  readonly requestId: string;
  /** The name of the credential; undefined for a person. */
  readonly operator: string | undefined;
  readonly credential: string;
  readonly remoteAddress: string;
};

type RequestFinished = {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route (`/Users/:id`), never the address: filters hold personal data. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
};

type SweepEnded = {
  readonly sweepId: string;
  readonly status: 'complete' | 'incomplete' | 'held';
  readonly durationMs: number;
  readonly calls: number;
  readonly users: number;
  readonly groups: number;
  readonly opened: number;
  readonly confirmed: number;
  readonly gone: number;
  readonly unknown: number;
  /** Reasons for which the comparison is incomplete, fixed sentences without names; empty when it is complete. */
  readonly reasons: string;
};

/** A step that is tried again is logged quietly: the cause in the service has a line of its own. */
const STEP_LEVELS = { done: 'info', refused: 'warn', later: 'debug', unknown: 'debug' } as const;

/** Every line that the bridge can log; docs/runbook.md tells what to do about those that warn. */
export const events = {
  started: line<{ host: string; port: number; engine: string; version: string; mode: string }>(
    'info',
    'serving',
  ),
  settingWarned: line<{ warning: string }>('warn', 'a setting is rarely meant'),
  secretsRenewed: line<{ settings: string }>(
    'info',
    'secrets were read again and hold from now on',
  ),
  /** The secrets of before hold. */
  secretsRefused: line<Failed>('error', 'secrets that were read again cannot be used'),
  restartNeeded: line<{ settings: string }>('warn', 'settings have changed that need a restart'),
  signInLinkWritten: line<{ file: string }>(
    'info',
    'nobody can sign in to the console yet: a link in this file does so once',
  ),
  storeAwaited: line<Failed>('warn', 'the store is not there yet: waiting for it'),
  storeNotFlushed: bare('warn', 'the store may lose what it committed: fsync is off in PostgreSQL'),
  storeFollowed: bare(
    'warn',
    'a fail-over may lose the last commits: no commit waits for a standby',
  ),
  /** Logged once a minute at most: many connections are lost at the same time. */
  storeConnectionLost: line<{ code: string }>('info', 'an idle connection to the store was lost'),
  /** Logged at the beginning of an outage and at its end, however many requests meet it. */
  storeLost: line<{ code: string }>('error', 'the store cannot be used'),
  storeRecovered: line<Over>('info', 'the store can be used again'),
  /** `before` is the process that led before; empty: none did. */
  leadTaken: line<{ epoch: number; before: string; quietInMs: number }>(
    'info',
    'this process leads from now on',
  ),
  leadEnded: line<{ epoch: number; how: 'lost' | 'given-up' }>(
    ['info', 'warn'],
    'this process leads no more',
    ({ how }) => (how === 'lost' ? 'warn' : 'info'),
  ),
  leaderChanged: line<{ epoch: number; owner: string }>(
    'info',
    'another process leads from now on',
  ),
  stopping: line<{ signal: string }>('info', 'stopping: finishing what has begun'),
  stopped: bare('info', 'stopped'),
  crashed: line<Failed>('fatal', 'cannot go on'),

  /** Logged when a receiver stops taking notifications and when it takes them again, never per attempt. */
  receiverDown: line<{ receiver: string; reason: string }>(
    'warn',
    'a receiver takes no notifications',
  ),
  receiverUp: line<Over & { receiver: string }>('info', 'a receiver takes notifications again'),
  /** Logged when a collector stops taking traces and when it takes them again, never per attempt. */
  exportFailed: line<Failed>('warn', 'traces cannot be sent'),
  exportRecovered: line<Over>('info', 'traces are sent again'),

  /** Successful reads are frequent and harmless, so only `debug` shows them. */
  requestFinished: line<RequestFinished>(['info', 'debug', 'error'], 'request', toRequestLevel),
  requestFailed: line<Failed & { requestId: string }>('error', 'a request failed in the bridge'),
  /** Logged for each source once a minute, and for ten sources at most. */
  credentialsWrong: line<{
    place: 'scim' | 'oauth' | 'ops';
    requestId: string;
    remoteAddress: string;
    attempts: number;
  }>('warn', 'requests presented no valid credentials'),
  /** Logged for each client and reason once a minute, and ten times at most. */
  assertionRefused: line<{
    requestId: string;
    credential: string | undefined;
    reason: string;
    attempts: number;
  }>('warn', 'an assertion of a client was not taken'),
  /** Logged for each host once a minute; the reason holds no address. */
  issuerUnreadable: line<{ host: string; reason: string; attempts: number }>(
    'warn',
    'the keys of an issuer cannot be read',
  ),

  firstReadStep: line<{ step: string; done: number }>(
    'info',
    'reading the whole service: a list is complete',
  ),
  firstReadFailed: line<{ step: string; reason: string; retryInMs: number }>(
    'warn',
    'reading the whole service failed and is tried again',
  ),
  /** `current` and `unknown` are findings of a start; the others need an operator, or tell of a decision. */
  recovery: line<{ phase: string; code: string; actions?: number }>(
    ['info', 'warn'],
    'recovery: whether the store is older than what was done',
    ({ phase }) => (phase === 'current' || phase === 'unknown' ? 'info' : 'warn'),
  ),
  /** `leftMs`: at the rate so far; absent when nothing is done yet, or nothing left. */
  release: line<{
    total: number;
    done: number;
    stuck: number;
    elapsedMs: number;
    leftMs?: number;
  }>('info', 'the approved plan: so many people and groups are done'),
  sweepStarted: line<{ sweepId: string; admins: boolean }>(
    'info',
    'comparing the service with the store',
  ),
  sweepEnded: line<SweepEnded>(
    ['info', 'warn'],
    'the service was compared with the store',
    ({ status, opened }) => (status === 'complete' && opened === 0 ? 'info' : 'warn'),
  ),
  sweepFailed: line<Failed & { sweepId: string }>(
    'error',
    'a comparison of the service with the store failed',
  ),
  /** `held`: the plan waits for an operator. */
  plan: line<{ planId: string; status: string; source: string; actions: number }>(
    ['info', 'warn'],
    'a plan of changes in the service',
    ({ status }) => (status === 'held' ? 'warn' : 'info'),
  ),
  driftFound: line<{ driftId: string; kind: string }>(
    'warn',
    'the service differs from what is desired',
  ),
  driftRepaired: line<{ driftId: string; kind: string; durationMs: number }>(
    'info',
    'the service holds what is desired again',
  ),

  /** One upstream step of a resource. `action` is a kind such as `update-user`, never what it carried. */
  stepEnded: line<Resource & { action: string; outcome: keyof typeof STEP_LEVELS }>(
    ['info', 'warn', 'debug'],
    'a step towards what is desired',
    ({ outcome }) => STEP_LEVELS[outcome],
  ),
  workerFailed: line<Failed & Resource>('error', 'a worker failed and goes on'),
  jobFailed: line<Failed & { job: string; at: string }>(
    'error',
    'work in the background failed and is tried again',
  ),
  adopted: line<Resource>('info', 'taken over from the service'),
  writeRefused: line<Resource & { code: string }>(
    'warn',
    'the service refused a write, which was undone',
  ),
  stuck: line<Resource & { code: string }>(
    'error',
    'the service refused an acknowledged change, which is kept',
  ),
  deletionFinished: line<Resource>('info', 'a deletion has reached the service'),
  partsDropped: line<{ requestId: string; parts: Readonly<Record<string, number>> }>(
    'info',
    'parts of a request were not taken',
  ),
  disputed: line<{ resourceType: 'user' | 'group' }>('warn', 'a name waits for an operator'),

  /** A call of `api` by an operator, without its content. `result` is `done` or the code of the error. */
  operatorCalled: line<Operator & { operation: string; result: string }>(
    'info',
    'an operator called the service',
  ),
  /** Every other act of an operator that changes something; `route` is a pattern. */
  operatorActed: line<
    Operator & {
      method: string;
      route: string;
      status: number | undefined;
      target: string | undefined;
    }
  >('info', 'an operator decided something'),
  /** Logged by each process, when it learns of the pause. The operator's reason is left out. */
  writesPaused: bare('warn', 'an operator paused all changes of the service'),
  writesResumed: bare('info', 'an operator resumed changes of the service'),

  upstreamCalled: line<{
    operation: string;
    status: number;
    durationMs: number;
    attempt: number;
  }>('debug', 'call to the service'),
  /** Logged when calls stop and when they go on, never per call. */
  tokenRefused: bare('error', 'the service refuses the token: calls stop'),
  tokenAccepted: line<Over>('info', 'the service accepts the token again: calls go on'),
  serviceFailing: bare('warn', 'the service fails or does not answer: calls stop'),
  serviceAnswering: line<Over>('info', 'the service answers again: calls go on'),
  redirected: line<{ operation: string }>('warn', 'the service sends calls elsewhere: they wait'),
  redirectOver: line<{ operation: string; afterMs: number }>(
    'info',
    'the service no longer sends calls elsewhere: they go on',
  ),
  paused: line<{ forMs: number }>('warn', 'the service asks for a pause: calls stop'),
  resumed: line<{ afterMs: number }>('info', 'the pause is over: calls go on'),
  /** `action` is the service's word in its audit log. */
  changedByOthers: line<Resource & { action: string }>(
    'info',
    'somebody else changed the service: it is looked at',
  ),
  /** Logged when reading stops and when it goes on, never per attempt. */
  auditFailing: line<{ code: string }>('warn', 'reading the audit log fails and is tried again'),
  auditGoesOn: line<{ afterMs: number }>('info', 'reading the audit log goes on'),
  sectionClosed: line<{ section: string; code: string }>('warn', 'the service closed a section'),
  sectionOpened: line<{ section: string }>('info', 'the service opened a section'),
} as const;

function toRequestLevel({ method, status }: RequestFinished): LogLevel {
  // A documented 501, and a 503 while waiting, are no faults.
  if (status >= 500 && status !== 501 && status !== 503) return 'error';
  // A source that meets a limit meets it a thousand times; the metrics count it.
  if (status === 429) return 'debug';
  return status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
}
