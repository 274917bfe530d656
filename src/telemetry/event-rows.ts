import type { Metrics } from './metrics.ts';

/** Importance of a line. `error` needs an operator, `warn` may need one, `debug` is for a single request. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** One event: its line of the log, and what the metrics count of it. */
export interface Row<Fields> {
  /** Levels of its line; without one it is only counted. */
  readonly levels: readonly LogLevel[];
  readonly message: string;
  /** The level where there are several; undefined: this one is not logged. */
  choose?(fields: Fields): LogLevel | undefined;
  count?(metrics: Metrics, fields: Fields): void;
}

function row<Fields = void>(
  levels: LogLevel | readonly LogLevel[],
  message: string,
  more: Pick<Row<Fields>, 'choose' | 'count'> = {},
): Row<Fields> {
  return { levels: [levels].flat(), message, ...more };
}

/** An event that only the metrics know. */
function counted<Fields>(count: (metrics: Metrics, fields: Fields) => void): Row<Fields> {
  return { levels: [], message: '', count };
}

type Failed = { readonly error: unknown };
type Resource = { readonly type: 'user' | 'group'; readonly id: string };
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

/** Answer to a write of a provider; `code`: why the service refused it. */
type WriteAnswered = Resource & {
  readonly answer: 'applied' | 'accepted' | 'unchanged' | 'refused';
  readonly code?: string;
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

/** Every event of the bridge; docs/runbook.md tells what to do about those that warn. */
export const EVENTS = {
  started: row<{ host: string; port: number; engine: string; version: string; mode: string }>(
    'info',
    'serving',
  ),
  settingWarned: row<{ warning: string }>('warn', 'a setting is rarely meant'),
  secretsRenewed: row<{ settings: string }>('info', 'secrets were read again and hold from now on'),
  /** The secrets of before hold. */
  secretsRefused: row<Failed>('error', 'secrets that were read again cannot be used'),
  restartNeeded: row<{ settings: string }>('warn', 'settings have changed that need a restart'),
  storeAwaited: row<Failed>('warn', 'the store is not there yet: waiting for it'),
  storeNotFlushed: row('warn', 'the store may lose what it committed: fsync is off in PostgreSQL'),
  storeFollowed: row(
    'warn',
    'a fail-over may lose the last commits: no commit waits for a standby',
  ),
  /** Logged once a minute at most: many connections are lost at the same time. */
  storeConnectionLost: row<{ code: string }>('info', 'an idle connection to the store was lost'),
  /** Logged at the beginning of an outage and at its end, however many requests meet it. */
  storeLost: row<{ code: string }>('error', 'the store cannot be used'),
  storeRecovered: row<Over>('info', 'the store can be used again'),
  /** `before` is the process that led before; empty: none did. */
  leadTaken: row<{ epoch: number; before: string; quietInMs: number }>(
    'info',
    'this process leads from now on',
  ),
  leadEnded: row<{ epoch: number; how: 'lost' | 'given-up' }>(
    ['info', 'warn'],
    'this process leads no more',
    { choose: ({ how }) => (how === 'lost' ? 'warn' : 'info') },
  ),
  leaderChanged: row<{ epoch: number; owner: string }>('info', 'another process leads from now on'),
  stopping: row<{ signal: string }>('info', 'stopping: finishing what has begun'),
  stopped: row('info', 'stopped'),
  crashed: row<Failed>('fatal', 'cannot go on'),

  /** Logged when a receiver stops taking notifications and when it takes them again, never per attempt. */
  receiverDown: row<{ receiver: string; reason: string }>(
    'warn',
    'a receiver takes no notifications',
  ),
  receiverUp: row<Over & { receiver: string }>('info', 'a receiver takes notifications again'),
  /** Logged when a collector stops taking traces and when it takes them again, never per attempt. */
  exportFailed: row<Failed>('warn', 'traces cannot be sent'),
  exportRecovered: row<Over>('info', 'traces are sent again'),

  /** Successful reads are frequent and harmless, so only `debug` shows them. */
  requestFinished: row<RequestFinished>(['info', 'debug', 'error'], 'request', {
    choose: toRequestLevel,
    count: ({ requests }, { method, route, status, durationMs }) =>
      requests.observe({ method, route, status }, durationMs / 1_000),
  }),
  requestFailed: row<Failed & { requestId: string }>('error', 'a request failed in the bridge'),
  /** Logged for each source once a minute, and for ten sources at most. */
  credentialsWrong: row<{
    place: 'scim' | 'oauth' | 'ops';
    requestId: string;
    remoteAddress: string;
    attempts: number;
  }>('warn', 'requests presented no valid credentials'),
  /** Logged for each client and reason once a minute, and ten times at most. */
  assertionRefused: row<{
    requestId: string;
    credential: string | undefined;
    reason: string;
    attempts: number;
  }>('warn', 'an assertion of a client was not taken'),
  /** Logged for each host once a minute; the reason holds no address. */
  issuerUnreadable: row<{ host: string; reason: string; attempts: number }>(
    'warn',
    'the keys of an issuer cannot be read',
  ),

  firstReadStep: row<{ step: string; done: number }>(
    'info',
    'reading the whole service: a list is complete',
  ),
  firstReadFailed: row<{ step: string; reason: string; retryInMs: number }>(
    'warn',
    'reading the whole service failed and is tried again',
  ),
  /** `current` and `unknown` are findings of a start; the others need an operator, or tell of a decision. */
  recovery: row<{ phase: string; code: string; actions?: number }>(
    ['info', 'warn'],
    'recovery: whether the store is older than what was done',
    { choose: ({ phase }) => (phase === 'current' || phase === 'unknown' ? 'info' : 'warn') },
  ),
  sweepStarted: row<{ sweepId: string; admins: boolean }>(
    'info',
    'comparing the service with the store',
  ),
  sweepEnded: row<SweepEnded>(['info', 'warn'], 'the service was compared with the store', {
    choose: ({ status, opened }) => (status === 'complete' && opened === 0 ? 'info' : 'warn'),
    count: ({ sweeps }, { status, durationMs }) => sweeps.observe({ status }, durationMs / 1_000),
  }),
  sweepFailed: row<Failed & { sweepId: string }>(
    'error',
    'a comparison of the service with the store failed',
  ),
  /** `held`: the plan waits for an operator. */
  plan: row<{ planId: string; status: string; source: string; actions: number }>(
    ['info', 'warn'],
    'a plan of changes in the service',
    { choose: ({ status }) => (status === 'held' ? 'warn' : 'info') },
  ),
  driftFound: row<{ driftId: string; kind: string }>(
    'warn',
    'the service differs from what is desired',
  ),
  driftRepaired: row<{ driftId: string; kind: string; durationMs: number }>(
    'info',
    'the service holds what is desired again',
  ),

  /** One upstream step of a resource. `action` is a kind such as `update-user`, never what it carried. */
  stepEnded: row<Resource & { action: string; outcome: keyof typeof STEP_LEVELS }>(
    ['info', 'warn', 'debug'],
    'a step towards what is desired',
    { choose: ({ outcome }) => STEP_LEVELS[outcome] },
  ),
  workerFailed: row<Failed & Resource>('error', 'a worker failed and goes on'),
  jobFailed: row<Failed & { job: string; at: string }>(
    'error',
    'work in the background failed and is tried again',
  ),
  adopted: row<Resource>('info', 'taken over from the service'),
  writeAnswered: row<WriteAnswered>('warn', 'the service refused a write, which was undone', {
    choose: ({ answer }) => (answer === 'refused' ? 'warn' : undefined),
    count: ({ writes }, { type, answer }) => writes.inc({ resource_type: type, answer }),
  }),
  stuck: row<Resource & { code: string }>(
    'error',
    'the service refused an acknowledged change, which is kept',
  ),
  deletionFinished: row<Resource>('info', 'a deletion has reached the service'),
  partsDropped: row<{ requestId: string; parts: Readonly<Record<string, number>> }>(
    'info',
    'parts of a request were not taken',
  ),
  disputed: row<Pick<Resource, 'type'>>('warn', 'a name waits for an operator'),

  /** A call of `api` by an operator, without its content. `result` is `done` or the code of the error. */
  operatorCalled: row<Operator & { operation: string; result: string }>(
    'info',
    'an operator called the service',
  ),
  /** Every other act of an operator that changes something; `route` is a pattern. */
  operatorActed: row<
    Operator & {
      method: string;
      route: string;
      status: number | undefined;
      target: string | undefined;
    }
  >('info', 'an operator decided something'),
  /** Logged by each process, when it learns of the pause. The operator's reason is left out. */
  writesPaused: row('warn', 'an operator paused all changes of the service'),
  writesResumed: row('info', 'an operator resumed changes of the service'),

  upstreamCalled: row<{
    operation: string;
    status: number;
    durationMs: number;
    attempt: number;
  }>('debug', 'call to the service', {
    count({ upstreamCalls, traffic }, { operation, status, durationMs }) {
      traffic.called();
      upstreamCalls.observe({ operation, status }, durationMs / 1_000);
    },
  }),
  /** Logged when calls stop and when they go on, never per call. */
  tokenRefused: row('error', 'the service refuses the token: calls stop'),
  tokenAccepted: row<Over>('info', 'the service accepts the token again: calls go on'),
  serviceFailing: row('warn', 'the service fails or does not answer: calls stop'),
  serviceAnswering: row<Over>('info', 'the service answers again: calls go on'),
  redirected: row<{ operation: string }>('warn', 'the service sends calls elsewhere: they wait'),
  redirectOver: row<{ operation: string; afterMs: number }>(
    'info',
    'the service no longer sends calls elsewhere: they go on',
  ),
  paused: row<{ forMs: number }>('warn', 'the service asks for a pause: calls stop'),
  resumed: row<{ afterMs: number }>('info', 'the pause is over: calls go on'),
  /** `action` is the service's word in its audit log. */
  changedByOthers: row<Resource & { action: string }>(
    'info',
    'somebody else changed the service: it is looked at',
  ),
  /** Logged when reading stops and when it goes on, never per attempt. */
  auditFailing: row<{ code: string }>('warn', 'reading the audit log fails and is tried again'),
  auditGoesOn: row<{ afterMs: number }>('info', 'reading the audit log goes on'),
  sectionClosed: row<{ section: string; code: string }>('warn', 'the service closed a section'),
  sectionOpened: row<{ section: string }>('info', 'the service opened a section'),

  /** The service holds a change that a provider had asked for `tookMs` before. */
  changeHeld: counted<{ kind: string; tookMs: number }>(
    ({ changes, traffic }, { kind, tookMs }) => {
      if (kind === 'leaver') traffic.left(tookMs);
      changes.observe({ kind }, tookMs / 1_000);
    },
  ),
  /** A new event of the audit log was read. */
  auditEvent: counted<{ origin: string }>(({ auditEvents }, fields) => auditEvents.inc(fields)),
  /** A receiver was sent a notification. */
  notified: counted<{ receiver: string; result: 'delivered' | 'failed' }>(
    ({ notifications }, fields) => notifications.inc(fields),
  ),
  requestRepaired: counted<{ kind: string }>(({ repairs }, { kind }) => repairs.inc({ kind })),
  /** A request was refused because of other requests, or because of its credential's limits. */
  turnedAway: counted<{ reason: string }>(({ turnedAway }, { reason }) =>
    turnedAway.inc({ reason }),
  ),
} as const;

function toRequestLevel({ method, status }: RequestFinished): LogLevel {
  // A documented 501, and a 503 while waiting, are no faults.
  if (status >= 500 && status !== 501 && status !== 503) return 'error';
  // A source that meets a limit meets it a thousand times; the metrics count it.
  if (status === 429) return 'debug';
  return status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
}
