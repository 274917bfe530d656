import type { Metrics } from './metrics.ts';

/** Importance of a line. `error` needs an operator, `warn` may need one, `debug` is for a single request. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** One event: its line of the log, and what the metrics count of it. */
export interface Row<Fields> {
  /** The most important level of its line; undefined: it is only counted. */
  readonly level: LogLevel | undefined;
  readonly message: string;
  /** The level where there are several; undefined: this one is not logged. */
  choose?(fields: Fields): LogLevel | undefined;
  count?(metrics: Metrics, fields: Fields): void;
}

function at(level: LogLevel) {
  return <Fields = void>(
    message: string,
    more: Pick<Row<Fields>, 'choose' | 'count'> = {},
  ): Row<Fields> => ({ level, message, ...more });
}

const debug = at('debug');
const info = at('info');
const warn = at('warn');
const error = at('error');

/** An event that only the metrics know. */
function counted<Fields>(count: (metrics: Metrics, fields: Fields) => void): Row<Fields> {
  return { level: undefined, message: '', count };
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

type OperatorActed = Operator & {
  readonly method: string;
  readonly route: string;
  readonly status: number | undefined;
  readonly target: string | undefined;
};

type Attempted = { readonly requestId: string; readonly attempts: number };
type WrongCredentials = Attempted & {
  readonly place: 'scim' | 'oauth' | 'ops';
  readonly remoteAddress: string;
  /** Id of the credential that is right, and came from outside its networks. */
  readonly outside: string | undefined;
};
type AssertionRefused = Attempted & { credential: string | undefined; reason: string };
type UpstreamCalled = { operation: string; status: number; durationMs: number; attempt: number };

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
  started: info<{ host: string; port: number; engine: string; version: string; mode: string }>(
    'serving',
  ),
  settingWarned: warn<{ warning: string }>('a setting is rarely meant'),
  secretsRenewed: info<{ settings: string }>('secrets were read again and hold from now on'),
  /** The secrets of before hold. */
  secretsRefused: error<Failed>('secrets that were read again cannot be used'),
  restartNeeded: warn<{ settings: string }>('settings have changed that need a restart'),
  providersCompared: warn<{ file: string; command: string; changes: number; problem: string }>(
    'providers and tokens were compared with their file',
    { choose: ({ changes, problem }) => (changes > 0 || problem !== '' ? 'warn' : 'info') },
  ),
  signInLinkWritten: info<{ file: string }>(
    'nobody can sign in to the console yet: a link in this file does so once',
  ),
  storeAwaited: warn<Failed>('the store is not there yet: waiting for it'),
  storeNotFlushed: warn('the store may lose what it committed: fsync is off in PostgreSQL'),
  /** Logged once a minute at most: many connections are lost at the same time. */
  storeConnectionLost: info<{ code: string }>('an idle connection to the store was lost'),
  /** Logged at the beginning of an outage and at its end, however many requests meet it. */
  storeLost: error<{ code: string }>('the store cannot be used'),
  storeRecovered: info<Over>('the store can be used again'),
  /** `before` is the process that led before; empty: none did. */
  leadTaken: info<{ epoch: number; before: string; quietInMs: number }>(
    'this process leads from now on',
  ),
  leadEnded: warn<{ epoch: number; how: 'lost' | 'given-up' }>('this process leads no more', {
    choose: ({ how }) => (how === 'lost' ? 'warn' : 'info'),
  }),
  leaderChanged: info<{ epoch: number; owner: string }>('another process leads from now on'),
  stopping: info<{ signal: string }>('stopping: finishing what has begun'),
  stopped: info('stopped'),
  crashed: at('fatal')<Failed>('cannot go on'),

  /** Logged when a receiver stops taking notifications and when it takes them again, never per attempt. */
  receiverDown: warn<{ receiver: string; reason: string }>('a receiver takes no notifications'),
  receiverUp: info<Over & { receiver: string }>('a receiver takes notifications again'),
  /** Logged when a collector stops taking traces and when it takes them again, never per attempt. */
  exportFailed: warn<Failed>('traces cannot be sent'),
  exportRecovered: info<Over>('traces are sent again'),

  /** Successful reads are frequent and harmless, so only `debug` shows them. */
  requestFinished: error<RequestFinished>('request', {
    choose: toRequestLevel,
    count: ({ requests }, { method, route, status, durationMs }) =>
      requests.observe({ method, route, status }, durationMs / 1_000),
  }),
  requestFailed: error<Failed & { requestId: string }>('a request failed in the bridge'),
  /** Logged for each source and credential once a minute, and ten times at most. */
  credentialsWrong: warn<WrongCredentials>('requests presented no valid credentials'),
  /** Logged for each client and reason once a minute, and ten times at most. */
  assertionRefused: warn<AssertionRefused>('an assertion of a client was not taken'),
  /** Logged for each host once a minute; the reason holds no address. */
  issuerUnreadable: warn<{ host: string; reason: string; attempts: number }>(
    'the keys of an issuer cannot be read',
  ),

  firstReadStep: info<{ step: string; done: number }>(
    'reading the whole service: a list is complete',
  ),
  firstReadFailed: warn<{ step: string; reason: string; retryInMs: number }>(
    'reading the whole service failed and is tried again',
  ),
  /** `current` and `unknown` are findings of a start. With the others the service is read again, or was. */
  recovery: warn<{ phase: string; code: string }>(
    'recovery: whether the store is older than what was done',
    { choose: ({ phase }) => (phase === 'current' || phase === 'unknown' ? 'info' : 'warn') },
  ),
  sweepStarted: info<{ sweepId: string; admins: boolean }>('comparing the service with the store'),
  sweepEnded: warn<SweepEnded>('the service was compared with the store', {
    choose: ({ status, opened }) => (status === 'complete' && opened === 0 ? 'info' : 'warn'),
    count: ({ sweeps }, { status, durationMs }) => sweeps.observe({ status }, durationMs / 1_000),
  }),
  sweepFailed: error<Failed & { sweepId: string }>(
    'a comparison of the service with the store failed',
  ),
  /** `held`: the plan waits for an operator. */
  plan: warn<{ planId: string; status: string; source: string; actions: number }>(
    'a plan of changes in the service',
    { choose: ({ status }) => (status === 'held' ? 'warn' : 'info') },
  ),
  driftFound: warn<{ driftId: string; kind: string }>('the service differs from what is desired'),
  driftRepaired: info<{ driftId: string; kind: string; durationMs: number }>(
    'the service holds what is desired again',
  ),

  /** One upstream step of a resource. `action` is a kind such as `update-user`, never what it carried. */
  stepEnded: warn<Resource & { action: string; outcome: keyof typeof STEP_LEVELS }>(
    'a step towards what is desired',
    { choose: ({ outcome }) => STEP_LEVELS[outcome] },
  ),
  workerFailed: error<Failed & Resource>('a worker failed and goes on'),
  jobFailed: error<Failed & { job: string; at: string }>(
    'work in the background failed and is tried again',
  ),
  adopted: info<Resource>('taken over from the service'),
  writeAnswered: warn<WriteAnswered>('the service refused a write, which was undone', {
    choose: ({ answer }) => (answer === 'refused' ? 'warn' : undefined),
    count: ({ writes }, { type, answer }) => writes.inc({ resource_type: type, answer }),
  }),
  stuck: error<Resource & { code: string }>(
    'the service refused an acknowledged change, which is kept',
  ),
  deletionFinished: info<Resource>('a deletion has reached the service'),
  partsDropped: info<{ requestId: string; parts: Readonly<Record<string, number>> }>(
    'parts of a request were not taken',
  ),
  disputed: warn<Pick<Resource, 'type'>>('a name waits for an operator'),

  /** A call of `api` by an operator, without its content. `result` is `done` or the code of the error. */
  operatorCalled: info<Operator & { operation: string; result: string }>(
    'an operator called the service',
  ),
  /** Every other act of an operator that changes something; `route` is a pattern. */
  operatorActed: info<OperatorActed>('an operator decided something'),
  /** Logged by each process, when it learns of the pause. The operator's reason is left out. */
  writesPaused: warn('an operator paused all changes of the service'),
  writesResumed: info('an operator resumed changes of the service'),

  upstreamCalled: debug<UpstreamCalled>('call to the service', {
    count({ upstreamCalls }, { operation, status, durationMs }) {
      upstreamCalls.observe({ operation, status }, durationMs / 1_000);
    },
  }),
  /** Logged when calls stop and when they go on, never per call. */
  tokenRefused: error('the service refuses the token: calls stop'),
  tokenAccepted: info<Over>('the service accepts the token again: calls go on'),
  serviceFailing: warn('the service fails or does not answer: calls stop'),
  serviceAnswering: info<Over>('the service answers again: calls go on'),
  redirected: warn<{ operation: string }>('the service sends calls elsewhere: they wait'),
  redirectOver: info<{ operation: string; afterMs: number }>(
    'the service no longer sends calls elsewhere: they go on',
  ),
  paused: warn<{ forMs: number }>('the service asks for a pause: calls stop'),
  resumed: info<{ afterMs: number }>('the pause is over: calls go on'),
  /** `action` is the service's word in its audit log. */
  changedByOthers: info<Resource & { action: string }>(
    'somebody else changed the service: it is looked at',
  ),
  /** Logged when reading stops and when it goes on, never per attempt. */
  auditFailing: warn<{ code: string }>('reading the audit log fails and is tried again'),
  auditGoesOn: info<{ afterMs: number }>('reading the audit log goes on'),
  sectionClosed: warn<{ section: string; code: string }>('the service closed a section'),
  sectionOpened: info<{ section: string }>('the service opened a section'),

  /** The service holds a change that a provider had asked for `tookMs` before. */
  changeHeld: counted<{ kind: string; tookMs: number }>(({ changes }, { kind, tookMs }) =>
    changes.observe({ kind }, tookMs / 1_000),
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
