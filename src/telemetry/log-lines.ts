/** Importance of a line. `error` needs an operator, `warn` may need one, `debug` is for a single request. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** One line of the log, however often it is written. */
interface LogLineDefinition {
  /** The level that it usually has, then those that it may have. */
  readonly levels: readonly LogLevel[];
  /** Never varies, so that it can be counted and searched. */
  readonly message: string;
  /**
   * Names beside the message. One name means one thing in every line: `durationMs` is what something took, `afterMs`
   * how long a state lasted, `failures` how often it was met, `done` of `total` and `leftMs` how far something is.
   */
  readonly fields: readonly string[];
}

/** Every line that the bridge can log; docs/runbook.md tells what to do about those that warn. */
export const logLines = {
  started: {
    levels: ['info'],
    message: 'serving',
    fields: ['host', 'port', 'engine', 'version', 'mode'],
  },
  settingWarned: { levels: ['warn'], message: 'a setting is rarely meant', fields: ['warning'] },
  secretsRenewed: {
    levels: ['info'],
    message: 'secrets were read again and hold from now on',
    fields: ['settings'],
  },
  secretsRefused: {
    levels: ['error'],
    message: 'secrets that were read again cannot be used',
    fields: ['error'],
  },
  restartNeeded: {
    levels: ['warn'],
    message: 'settings have changed that need a restart',
    fields: ['settings'],
  },
  signInLinkWritten: {
    levels: ['info'],
    message: 'nobody can sign in to the console yet: a link in this file does so once',
    fields: ['file'],
  },
  storeAwaited: {
    levels: ['warn'],
    message: 'the store is not there yet: waiting for it',
    fields: ['error'],
  },
  storeNotFlushed: {
    levels: ['warn'],
    message: 'the store may lose what it committed: fsync is off in PostgreSQL',
    fields: [],
  },
  storeFollowed: {
    levels: ['warn'],
    message: 'a fail-over may lose the last commits: no commit waits for a standby',
    fields: [],
  },
  storeConnectionLost: {
    levels: ['info'],
    message: 'an idle connection to the store was lost',
    fields: ['code'],
  },
  storeLost: { levels: ['error'], message: 'the store cannot be used', fields: ['code'] },
  storeRecovered: {
    levels: ['info'],
    message: 'the store can be used again',
    fields: ['afterMs', 'failures'],
  },
  leadTaken: {
    levels: ['info'],
    message: 'this process leads from now on',
    fields: ['epoch', 'before', 'quietInMs'],
  },
  leadEnded: {
    levels: ['info', 'warn'],
    message: 'this process leads no more',
    fields: ['epoch', 'how'],
  },
  leaderChanged: {
    levels: ['info'],
    message: 'another process leads from now on',
    fields: ['epoch', 'owner'],
  },
  stopping: { levels: ['info'], message: 'stopping: finishing what has begun', fields: ['signal'] },
  stopped: { levels: ['info'], message: 'stopped', fields: [] },
  crashed: { levels: ['fatal'], message: 'cannot go on', fields: ['error'] },
  receiverDown: {
    levels: ['warn'],
    message: 'a receiver takes no notifications',
    fields: ['receiver', 'reason'],
  },
  receiverUp: {
    levels: ['info'],
    message: 'a receiver takes notifications again',
    fields: ['receiver', 'afterMs', 'failures'],
  },
  exportFailed: { levels: ['warn'], message: 'traces cannot be sent', fields: ['error'] },
  exportRecovered: {
    levels: ['info'],
    message: 'traces are sent again',
    fields: ['afterMs', 'failures'],
  },
  requestFinished: {
    levels: ['info', 'debug', 'error'],
    message: 'request',
    fields: ['requestId', 'method', 'route', 'status', 'durationMs'],
  },
  requestFailed: {
    levels: ['error'],
    message: 'a request failed in the bridge',
    fields: ['requestId', 'error'],
  },
  credentialsWrong: {
    levels: ['warn'],
    message: 'requests presented no valid credentials',
    fields: ['place', 'requestId', 'remoteAddress', 'attempts'],
  },
  assertionRefused: {
    levels: ['warn'],
    message: 'an assertion of a client was not taken',
    fields: ['requestId', 'credential', 'reason', 'attempts'],
  },
  issuerUnreadable: {
    levels: ['warn'],
    message: 'the keys of an issuer cannot be read',
    fields: ['host', 'error', 'attempts'],
  },
  firstReadStep: {
    levels: ['info'],
    message: 'reading the whole service: a list is complete',
    fields: ['step', 'done'],
  },
  firstReadFailed: {
    levels: ['warn'],
    message: 'reading the whole service failed and is tried again',
    fields: ['step', 'reason', 'retryInMs'],
  },
  recovery: {
    levels: ['info', 'warn'],
    message: 'recovery: whether the store is older than what was done',
    fields: ['phase', 'code', 'actions'],
  },
  release: {
    levels: ['info'],
    message: 'the approved plan: so many people and groups are done',
    fields: ['done', 'total', 'stuck', 'elapsedMs', 'leftMs'],
  },
  sweepStarted: {
    levels: ['info'],
    message: 'comparing the service with the store',
    fields: ['sweepId', 'admins'],
  },
  sweepEnded: {
    levels: ['info', 'warn'],
    message: 'the service was compared with the store',
    fields: [
      'sweepId',
      'status',
      'durationMs',
      'calls',
      'users',
      'groups',
      'opened',
      'confirmed',
      'gone',
      'unknown',
      'reasons',
    ],
  },
  sweepFailed: {
    levels: ['error'],
    message: 'a comparison of the service with the store failed',
    fields: ['sweepId', 'error'],
  },
  plan: {
    levels: ['info', 'warn'],
    message: 'a plan of changes in the service',
    fields: ['planId', 'status', 'source', 'actions'],
  },
  driftFound: {
    levels: ['warn'],
    message: 'the service differs from what is desired',
    fields: ['driftId', 'kind'],
  },
  driftRepaired: {
    levels: ['info'],
    message: 'the service holds what is desired again',
    fields: ['driftId', 'kind', 'durationMs'],
  },
  stepEnded: {
    levels: ['info', 'warn', 'debug'],
    message: 'a step towards what is desired',
    fields: ['resourceType', 'resourceId', 'action', 'outcome'],
  },
  workerFailed: {
    levels: ['error'],
    message: 'a worker failed and goes on',
    fields: ['resourceType', 'resourceId', 'error'],
  },
  jobFailed: {
    levels: ['error'],
    message: 'work in the background failed and is tried again',
    fields: ['job', 'at', 'error'],
  },
  adopted: {
    levels: ['info'],
    message: 'taken over from the service',
    fields: ['resourceType', 'resourceId'],
  },
  writeRefused: {
    levels: ['warn'],
    message: 'the service refused a write, which was undone',
    fields: ['resourceType', 'resourceId', 'code'],
  },
  stuck: {
    levels: ['error'],
    message: 'the service refused an acknowledged change, which is kept',
    fields: ['resourceType', 'resourceId', 'code'],
  },
  deletionFinished: {
    levels: ['info'],
    message: 'a deletion has reached the service',
    fields: ['resourceType', 'resourceId'],
  },
  partsDropped: {
    levels: ['info'],
    message: 'parts of a request were not taken',
    fields: ['requestId', 'parts'],
  },
  disputed: { levels: ['warn'], message: 'a name waits for an operator', fields: ['resourceType'] },
  operatorCalled: {
    levels: ['info'],
    message: 'an operator called the service',
    fields: ['requestId', 'operation', 'result', 'operator', 'credential', 'remoteAddress'],
  },
  operatorActed: {
    levels: ['info'],
    message: 'an operator decided something',
    fields: [
      'requestId',
      'method',
      'route',
      'status',
      'operator',
      'credential',
      'target',
      'remoteAddress',
    ],
  },
  writesPaused: {
    levels: ['warn'],
    message: 'an operator paused all changes of the service',
    fields: [],
  },
  writesResumed: {
    levels: ['info'],
    message: 'an operator resumed changes of the service',
    fields: [],
  },
  upstreamCalled: {
    levels: ['debug'],
    message: 'call to the service',
    fields: ['operation', 'status', 'durationMs', 'attempt'],
  },
  tokenRefused: {
    levels: ['error'],
    message: 'the service refuses the token: calls stop',
    fields: [],
  },
  tokenAccepted: {
    levels: ['info'],
    message: 'the service accepts the token again: calls go on',
    fields: ['afterMs', 'failures'],
  },
  serviceFailing: {
    levels: ['warn'],
    message: 'the service fails or does not answer: calls stop',
    fields: [],
  },
  serviceAnswering: {
    levels: ['info'],
    message: 'the service answers again: calls go on',
    fields: ['afterMs', 'failures'],
  },
  redirected: {
    levels: ['warn'],
    message: 'the service sends calls elsewhere: they wait',
    fields: ['operation'],
  },
  redirectOver: {
    levels: ['info'],
    message: 'the service no longer sends calls elsewhere: they go on',
    fields: ['operation', 'afterMs'],
  },
  paused: {
    levels: ['warn'],
    message: 'the service asks for a pause: calls stop',
    fields: ['forMs'],
  },
  resumed: { levels: ['info'], message: 'the pause is over: calls go on', fields: ['afterMs'] },
  changedByOthers: {
    levels: ['info'],
    message: 'somebody else changed the service: it is looked at',
    fields: ['resourceType', 'resourceId', 'action'],
  },
  auditFailing: {
    levels: ['warn'],
    message: 'reading the audit log fails and is tried again',
    fields: ['code'],
  },
  auditGoesOn: { levels: ['info'], message: 'reading the audit log goes on', fields: ['afterMs'] },
  sectionClosed: {
    levels: ['warn'],
    message: 'the service closed a section',
    fields: ['section', 'code'],
  },
  sectionOpened: { levels: ['info'], message: 'the service opened a section', fields: ['section'] },
} as const satisfies Record<string, LogLineDefinition>;
