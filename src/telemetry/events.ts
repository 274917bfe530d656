import { type ErrorFields, toErrorFields } from './error-fields.ts';
import { type LogLevel, logLines } from './log-lines.ts';

/** Fields beside the message: ids, counts, codes; never a secret, never the content of a body. */
export interface LogFields {
  readonly error?: ErrorFields | string | undefined;
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

type Operator = {
  readonly requestId: string;
  /** The name of the credential; undefined for a person. */
  readonly operator: string | undefined;
  readonly credential: string;
  readonly remoteAddress: string;
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
  }) => line('started', fields),
  settingWarned: (fields: { warning: string }) => line('settingWarned', fields),
  secretsRenewed: (fields: { settings: string }) => line('secretsRenewed', fields),
  /** The secrets of before hold. */
  secretsRefused: (fields: { error: unknown }) => line('secretsRefused', withError(fields)),
  restartNeeded: (fields: { settings: string }) => line('restartNeeded', fields),
  signInLinkWritten: (fields: { file: string }) => line('signInLinkWritten', fields),
  storeAwaited: (fields: { error: unknown }) => line('storeAwaited', withError(fields)),
  storeNotFlushed: () => line('storeNotFlushed', {}),
  storeFollowed: () => line('storeFollowed', {}),
  /** Logged once a minute at most: many connections are lost at the same time. */
  storeConnectionLost: (fields: { code: string }) => line('storeConnectionLost', fields),
  /** Logged at the beginning of an outage and at its end, however many requests meet it. */
  storeLost: (fields: { code: string }) => line('storeLost', fields),
  storeRecovered: (fields: { afterMs: number; failures: number }) => line('storeRecovered', fields),
  /** `before` is the process that led before; empty: none did. */
  leadTaken: (fields: { epoch: number; before: string; quietInMs: number }) =>
    line('leadTaken', fields),
  leadEnded: (fields: { epoch: number; how: 'lost' | 'given-up' }) =>
    line('leadEnded', fields, fields.how === 'lost' ? 'warn' : 'info'),
  leaderChanged: (fields: { epoch: number; owner: string }) => line('leaderChanged', fields),
  stopping: (fields: { signal: string }) => line('stopping', fields),
  stopped: () => line('stopped', {}),
  crashed: (fields: { error: unknown }) => line('crashed', withError(fields)),

  /** Logged when a receiver stops taking notifications and when it takes them again, never per attempt. */
  receiverDown: (fields: { receiver: string; reason: string }) => line('receiverDown', fields),
  receiverUp: (fields: { receiver: string; afterMs: number; failures: number }) =>
    line('receiverUp', fields),

  /** Logged when a collector stops taking traces or metrics and when it takes them again, never per attempt. */
  exportFailed: (fields: { error: unknown }) => line('exportFailed', withError(fields)),
  exportRecovered: (fields: { afterMs: number; failures: number }) =>
    line('exportRecovered', fields),

  /** Logged at the beginning and at the end, never per request. */

  /** Successful reads are frequent and harmless, so only `debug` shows them. */
  requestFinished: (fields: RequestFinished) =>
    line('requestFinished', fields, toRequestLevel(fields)),
  requestFailed: (fields: { requestId: string; error: unknown }) =>
    line('requestFailed', withError(fields)),
  /** Logged for each source once a minute, and for ten sources at most. */
  credentialsWrong: (fields: {
    place: 'scim' | 'oauth' | 'ops';
    requestId: string;
    remoteAddress: string;
    attempts: number;
  }) => line('credentialsWrong', fields),

  /** Logged for each client and reason once a minute, and ten times at most. */
  assertionRefused: (fields: {
    requestId: string;
    credential: string | undefined;
    reason: string;
    attempts: number;
  }) => line('assertionRefused', fields),
  /** Logged for each host once a minute; the error holds no address. */
  issuerUnreadable: (fields: { host: string; error: string; attempts: number }) =>
    line('issuerUnreadable', fields),

  firstReadStep: (fields: { step: string; done: number }) => line('firstReadStep', fields),
  firstReadFailed: (fields: { step: string; reason: string; retryInMs: number }) =>
    line('firstReadFailed', fields),

  /** `current` and `unknown` are findings of a start; the others need an operator, or tell of a decision. */
  recovery: (fields: { phase: string; code: string; actions?: number }) =>
    line(
      'recovery',
      fields,
      fields.phase === 'current' || fields.phase === 'unknown' ? 'info' : 'warn',
    ),

  /** `leftMs`: at the rate so far; absent when nothing is done yet, or nothing left. */
  release: (fields: {
    total: number;
    done: number;
    stuck: number;
    elapsedMs: number;
    leftMs?: number;
  }) => line('release', fields),

  sweepStarted: (fields: { sweepId: string; admins: boolean }) => line('sweepStarted', fields),
  /** `reasons` are fixed sentences without names. */
  sweepEnded: (fields: SweepEnded) =>
    line(
      'sweepEnded',
      fields,
      fields.status === 'complete' && fields.opened === 0 ? 'info' : 'warn',
    ),
  /** `held`: the plan waits for an operator. */
  plan: (fields: { planId: string; status: string; source: string; actions: number }) =>
    line('plan', fields, fields.status === 'held' ? 'warn' : 'info'),
  driftFound: (fields: { driftId: string; kind: string }) => line('driftFound', fields),
  driftRepaired: (fields: { driftId: string; kind: string; durationMs: number }) =>
    line('driftRepaired', fields),
  sweepFailed: (fields: { sweepId: string; error: unknown }) =>
    line('sweepFailed', withError(fields)),

  /** One upstream step of a resource. `action` is a kind such as `update-user`, never what it carried. */
  stepEnded: (fields: Resource & { action: string; outcome: StepOutcome }) =>
    line('stepEnded', fields, STEP_LEVELS[fields.outcome]),
  workerFailed: (fields: Resource & { error: unknown }) => line('workerFailed', withError(fields)),
  jobFailed: (fields: { job: string; at: string; error: unknown }) =>
    line('jobFailed', withError(fields)),
  adopted: (fields: Resource) => line('adopted', fields),
  writeRefused: (fields: Resource & { code: string }) => line('writeRefused', fields),
  stuck: (fields: Resource & { code: string }) => line('stuck', fields),
  deletionFinished: (fields: Resource) => line('deletionFinished', fields),
  partsDropped: (fields: { requestId: string; parts: Readonly<Record<string, number>> }) =>
    line('partsDropped', fields),
  disputed: (fields: { resourceType: 'user' | 'group' }) => line('disputed', fields),

  /** A call of `api` by an operator, without its content. `result` is `done` or the code of the error. */
  operatorCalled: (fields: Operator & { operation: string; result: string }) =>
    line('operatorCalled', fields),
  /** Every other act of an operator that changes something; `route` is a pattern. */
  operatorActed: (
    fields: Operator & {
      method: string;
      route: string;
      status: number | undefined;
      target: string | undefined;
    },
  ) => line('operatorActed', fields),

  /** Logged by each process, when it learns of the pause. The operator's reason is left out. */
  writesPaused: () => line('writesPaused', {}),
  writesResumed: () => line('writesResumed', {}),
  upstreamCalled: (fields: {
    operation: string;
    status: number;
    durationMs: number;
    attempt: number;
  }) => line('upstreamCalled', fields),
  /** Logged when calls stop and when they go on, never per call. */
  gateShut: (gate: UpstreamGate) =>
    gate === 'credentials' ? line('tokenRefused', {}) : line('serviceFailing', {}),
  gateOpened: (gate: UpstreamGate, fields: { afterMs: number; failures: number }) =>
    gate === 'credentials' ? line('tokenAccepted', fields) : line('serviceAnswering', fields),
  redirected: (fields: { operation: string }) => line('redirected', fields),
  redirectOver: (fields: { operation: string; afterMs: number }) => line('redirectOver', fields),
  paused: (fields: { forMs: number }) => line('paused', fields),
  resumed: (fields: { afterMs: number }) => line('resumed', fields),
  /** `action` is the service's word in its audit log. */
  changedByOthers: (fields: Resource & { action: string }) => line('changedByOthers', fields),
  /** Logged when reading stops and when it goes on, never per attempt. */
  auditFailing: (fields: { code: string }) => line('auditFailing', fields),
  auditGoesOn: (fields: { afterMs: number }) => line('auditGoesOn', fields),
  sectionClosed: (fields: { section: string; code: string }) => line('sectionClosed', fields),
  sectionOpened: (fields: { section: string }) => line('sectionOpened', fields),
} as const;

type LineName = keyof typeof logLines;

/** A line with fields that its row names, and no others. */
function line<Name extends LineName, Fields extends LogFields>(
  name: Name,
  fields: Fields & Record<Exclude<keyof Fields, (typeof logLines)[Name]['fields'][number]>, never>,
  level: (typeof logLines)[Name]['levels'][number] = logLines[name].levels[0],
): LogLine {
  return { level, message: logLines[name].message, fields };
}

function withError<Fields extends { readonly error: unknown }>(fields: Fields) {
  return { ...fields, error: toErrorFields(fields.error) };
}

/** A step that is tried again is logged quietly: the cause in the service has a line of its own. */
const STEP_LEVELS = { done: 'info', refused: 'warn', later: 'debug', unknown: 'debug' } as const;

function toRequestLevel({ method, status }: RequestFinished) {
  // A documented 501, and a 503 while waiting, are no faults.
  if (status >= 500 && status !== 501 && status !== 503) return 'error';
  // A source that meets a limit meets it a thousand times; the metrics count it.
  if (status === 429) return 'debug';
  return status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
}
