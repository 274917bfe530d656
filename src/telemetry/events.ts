import { type ErrorFields, toErrorFields } from './error-fields.ts';

/** Importance of a line. `error` needs an operator, `warn` may need one, `debug` is for a single request. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Fields beside the message: ids, counts, codes; never a secret, never the content of a body. */
export interface LogFields {
  readonly [name: string]: string | number | boolean | undefined | ErrorFields;
}

/** One line of the log: a message that never varies, so that it can be counted and searched, and its fields. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

// Type aliases, because an interface could grow fields that are no log fields.
type RequestFinished = {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route (`/Users/:id`), never the address: filters hold personal data. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
};

/** Outcome of a step; see the outcomes of reconciliation. */
export type StepOutcome = 'done' | 'refused' | 'later' | 'unknown';

/** Gate that stops all calls: for a refused token, or for a failing service. */
type UpstreamGate = 'credentials' | 'service';

type Resource = {
  readonly resourceType: 'user' | 'group';
  readonly resourceId: string;
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
  /** Reasons for which the comparison is incomplete; empty when it is complete. */
  readonly reasons: string;
};

/** Every line that the bridge can log. */
export const events = {
  started: (fields: {
    host: string;
    port: number;
    engine: string;
    version: string;
    mode: string;
  }) => line('info', 'serving', fields),
  settingWarned: (fields: { warning: string }) => line('warn', 'a setting is rarely meant', fields),
  secretsRenewed: (fields: { settings: string }) =>
    line('info', 'secrets were read again and hold from now on', fields),
  /** The secrets of before hold. */
  secretsRefused: (fields: { error: unknown }) =>
    line('error', 'secrets that were read again cannot be used', withError(fields)),
  restartNeeded: (fields: { settings: string }) =>
    line('warn', 'settings have changed that need a restart', fields),
  storeAwaited: (fields: { error: unknown }) =>
    line('warn', 'the store is not there yet: waiting for it', withError(fields)),
  storeNotFlushed: () =>
    line('warn', 'the store may lose what it committed: fsync is off in PostgreSQL', {}),
  storeFollowed: () =>
    line('warn', 'a fail-over may lose the last commits: no commit waits for a standby', {}),
  /** Logged once a minute at most: many connections are lost at the same time. */
  storeConnectionLost: (fields: { code: string }) =>
    line('info', 'an idle connection to the store was lost', fields),
  /** Logged at the beginning of an outage and at its end, however many requests meet it. */
  storeLost: (fields: { code: string }) => line('error', 'the store cannot be used', fields),
  storeRecovered: (fields: { afterMs: number; failures: number }) =>
    line('info', 'the store can be used again', fields),
  /** `before` is the process that led before; empty: none did. */
  leadTaken: (fields: { epoch: number; before: string; quietInMs: number }) =>
    line('info', 'this process leads from now on', fields),
  leadEnded: (fields: { epoch: number; how: 'lost' | 'given-up' }) =>
    line(fields.how === 'lost' ? 'warn' : 'info', 'this process leads no more', fields),
  leaderChanged: (fields: { epoch: number; owner: string }) =>
    line('info', 'another process leads from now on', fields),
  stopping: (fields: { signal: string }) =>
    line('info', 'stopping: finishing what has begun', fields),
  stopped: () => line('info', 'stopped', {}),
  crashed: (fields: { error: unknown }) => line('fatal', 'cannot go on', withError(fields)),

  /** Logged when a receiver stops taking notifications and when it takes them again, never per attempt. */
  receiverChanged: (fields: { receiver: string; isDown: boolean; error: string }) => {
    if (fields.isDown) return line('warn', 'a receiver takes no notifications', fields);
    return line('info', 'a receiver takes notifications again', fields);
  },
  notificationGivenUp: (fields: { receiver: string; type: string }) =>
    line('error', 'a notification is given up', fields),

  /** Logged when a collector stops taking traces or metrics and when it takes them again, never per attempt. */
  exportFailed: (fields: { what: 'traces' | 'metrics'; error: unknown }) =>
    line('warn', 'traces or metrics cannot be sent', withError(fields)),
  exportRecovered: (fields: { what: 'traces' | 'metrics'; afterMs: number; failures: number }) =>
    line('info', 'traces or metrics are sent again', fields),

  /** Logged at the beginning and at the end, never per request. */
  overloaded: (fields: { kind: 'delay' | 'memory' }) =>
    line('warn', 'more is asked than this process can do: requests are answered with 503', fields),
  overloadEnded: (fields: { kind: 'delay' | 'memory'; afterMs: number }) =>
    line('info', 'requests are served again', fields),

  /** Successful reads are frequent and harmless, so only `debug` shows them. */
  requestFinished: (fields: RequestFinished) => line(toRequestLevel(fields), 'request', fields),
  requestFailed: (fields: { requestId: string; error: unknown }) =>
    line('error', 'a request failed in the bridge', withError(fields)),
  /** Logged for each source once a minute, and for ten sources at most. */
  credentialsWrong: (fields: {
    place: 'scim' | 'oauth' | 'ops';
    requestId: string;
    remoteAddress: string;
    attempts: number;
  }) => line('warn', 'requests presented no valid credentials', fields),

  firstReadStep: (fields: { step: string; count: number }) =>
    line('info', 'reading the whole service: a list is complete', fields),
  firstReadProgress: (fields: {
    step: string;
    count: number;
    total: number | undefined;
    endsInMs: number | undefined;
  }) => line('info', 'reading the whole service: a list is being read', fields),
  firstReadFailed: (fields: { step: string; reason: string; retryInMs: number }) =>
    line('warn', 'reading the whole service failed and is tried again', fields),

  /** `current` and `unknown` are findings of a start; the others need an operator, or tell of a decision. */
  recovery: (fields: { phase: string; code: string; actions?: number }) =>
    line(
      fields.phase === 'current' || fields.phase === 'unknown' ? 'info' : 'warn',
      'recovery: whether the store is older than what was done',
      fields,
    ),

  /** `leftMs`: at the rate so far; absent when nothing is done yet, or nothing left. */
  release: (fields: {
    total: number;
    done: number;
    stuck: number;
    elapsedMs: number;
    leftMs?: number;
  }) => line('info', 'the approved plan: so many people and groups are done', fields),

  sweepStarted: (fields: { sweepId: string; admins: boolean }) =>
    line('info', 'comparing the service with the store', fields),
  /** `reasons` are fixed sentences without names. */
  sweepEnded: (fields: SweepEnded) =>
    line(
      fields.status === 'complete' && fields.opened === 0 ? 'info' : 'warn',
      'the service was compared with the store',
      fields,
    ),
  /** `held`: the plan waits for an operator. */
  plan: (fields: { planId: string; status: string; source: string; actions: number }) =>
    line(fields.status === 'held' ? 'warn' : 'info', 'a plan of changes in the service', fields),
  driftFound: (fields: { driftId: string; kind: string }) =>
    line('warn', 'the service differs from what is desired', fields),
  driftRepaired: (fields: { driftId: string; kind: string; tookMs: number }) =>
    line('info', 'the service holds what is desired again', fields),
  driftFailed: (fields: { at: string; error: unknown }) =>
    line(
      'error',
      'what is to be done about differences failed and is tried again',
      withError(fields),
    ),
  sweepFailed: (fields: { sweepId: string; error: unknown }) =>
    line('error', 'a comparison of the service with the store failed', withError(fields)),

  /** One upstream step of a resource. `action` is a kind such as `update-user`, never what it carried. */
  stepEnded: (fields: Resource & { action: string; outcome: StepOutcome }) =>
    line(toStepLevel(fields.outcome), 'a step towards what is desired', fields),
  workerFailed: (fields: { resourceType: string; resourceId: string; error: unknown }) =>
    line('error', 'a worker failed and goes on', withError(fields)),
  adopted: (fields: Resource) => line('info', 'taken over from the service', fields),
  writeRefused: (fields: Resource & { code: string }) =>
    line('warn', 'the service refused a write, which was undone', fields),
  stuck: (fields: Resource & { code: string }) =>
    line('error', 'the service refused an acknowledged change, which is kept', fields),
  deletionFinished: (fields: Resource) =>
    line('info', 'a deletion has reached the service', fields),
  partsDropped: (fields: { requestId: string; [kind: string]: string | number }) =>
    line('info', 'parts of a request were not taken', fields),
  disputed: (fields: { resourceType: 'user' | 'group' }) =>
    line('warn', 'a name waits for an operator', fields),

  /** A call of `api` by an operator, without its content. `result` is `done` or the code of the error. */
  operatorCalled: (fields: {
    requestId: string;
    operation: string;
    remoteAddress: string;
    result: string;
    operator: string;
    credential: string;
  }) => line('info', 'an operator called the service', fields),
  personErased: (fields: { requestId: string; resourceId: string; rows: number }) =>
    line('info', 'an operator erased what is kept about a person', fields),
  /** Every other act of an operator that changes something; `route` is a pattern. */
  operatorActed: (fields: {
    requestId: string;
    method: string;
    route: string;
    status: number;
    /** The name of the credential; undefined for a person. */
    operator: string | undefined;
    credential: string;
    target: string | undefined;
    remoteAddress: string;
  }) => line('info', 'an operator decided something', fields),

  /** Logged by each process, when it learns of the pause. The operator's reason is left out. */
  writesPaused: () => line('warn', 'an operator paused all changes of the service', {}),
  writesResumed: () => line('info', 'an operator resumed changes of the service', {}),
  upstreamCalled: (fields: {
    operation: string;
    status: number;
    durationMs: number;
    attempt: number;
  }) => line('debug', 'call to the service', fields),
  /** Logged when calls stop and when they go on, never per call. */
  gateShut: (fields: { gate: UpstreamGate }) => {
    const isToken = fields.gate === 'credentials';
    if (isToken) return line('error', 'the service refuses the token: calls stop', fields);
    return line('warn', 'the service fails or does not answer: calls stop', fields);
  },
  gateOpened: (fields: { gate: UpstreamGate; afterMs: number; refusedCalls: number }) => {
    const isToken = fields.gate === 'credentials';
    if (isToken) return line('info', 'the service accepts the token again: calls go on', fields);
    return line('info', 'the service answers again: calls go on', fields);
  },
  paused: (fields: { forMs: number }) =>
    line('warn', 'the service asks for a pause: calls stop', fields),
  resumed: () => line('info', 'the pause is over: calls go on', {}),
  /** `action` is the service's word in its audit log. */
  changedByOthers: (fields: Resource & { action: string }) =>
    line('info', 'somebody else changed the service: it is looked at', fields),
  /** Logged when reading stops and when it goes on, never per attempt. */
  auditFollowed: (fields: { failing: boolean; code: string }) => {
    if (fields.failing)
      return line('warn', 'reading the audit log fails and is tried again', fields);
    return line('info', 'reading the audit log goes on', fields);
  },
  sectionChanged: (fields: { section: string; up: boolean; code: string }) =>
    line(fields.up ? 'info' : 'warn', 'the service opened or closed a section', fields),
} as const;

function line(level: LogLevel, message: string, fields: LogFields): LogLine {
  return { level, message, fields };
}

function withError<Fields extends { readonly error: unknown }>(fields: Fields) {
  return { ...fields, error: toErrorFields(fields.error) };
}

/** A step that is tried again is logged quietly: the cause in the service has a line of its own. */
function toStepLevel(outcome: StepOutcome): LogLevel {
  if (outcome === 'refused') return 'warn';
  return outcome === 'done' ? 'info' : 'debug';
}

function toRequestLevel({ method, status }: RequestFinished): LogLevel {
  // A documented 501, and a 503 while waiting, are no faults.
  if (status >= 500 && status !== 501 && status !== 503) return 'error';
  // A source that meets a limit meets it a thousand times; the metrics count it.
  if (status === 429) return 'debug';
  return status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
}
