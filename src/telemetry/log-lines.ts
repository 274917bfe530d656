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
  /** When it is written, and what to do; Markdown. */
  readonly about: string;
}

/** Every line that the bridge can log; docs/operations.md lists the same. */
export const logLines = {
  started: {
    levels: ['info'],
    message: 'serving',
    fields: ['host', 'port', 'engine', 'version', 'mode'],
    about: 'The process listens.',
  },
  settingWarned: {
    levels: ['warn'],
    message: 'a setting is rarely meant',
    fields: ['warning'],
    about: 'At the start. The line names the setting.',
  },
  secretsRenewed: {
    levels: ['info'],
    message: 'secrets were read again and hold from now on',
    fields: ['settings'],
    about: 'A file of a `…_FILE` changed, or SIGHUP came; `settings` names them.',
  },
  secretsRefused: {
    levels: ['error'],
    message: 'secrets that were read again cannot be used',
    fields: ['error'],
    about: 'Those of before hold; the message says what is wrong.',
  },
  restartNeeded: {
    levels: ['warn'],
    message: 'settings have changed that need a restart',
    fields: ['settings'],
    about: 'SIGHUP came, and `settings` are no secrets.',
  },
  signInLinkWritten: {
    levels: ['info'],
    message: 'nobody can sign in to the console yet: a link in this file does so once',
    fields: ['file'],
    about:
      'At the start, without `OPS_TOKEN` and any other operator. Only the owner reads the file.',
  },
  storeAwaited: {
    levels: ['warn'],
    message: 'the store is not there yet: waiting for it',
    fields: ['error'],
    about:
      'At the start, once: PostgreSQL does not answer. It is waited for, a minute long; then the process ends.',
  },
  storeNotFlushed: {
    levels: ['warn'],
    message: 'the store may lose what it committed: fsync is off in PostgreSQL',
    fields: [],
    about: 'At the start; `store-not-durable` of `/readyz` says the same.',
  },
  storeFollowed: {
    levels: ['warn'],
    message: 'a fail-over may lose the last commits: no commit waits for a standby',
    fields: [],
    about:
      'At the start: a standby follows, and `synchronous_standby_names` is empty or `synchronous_commit` is `local`.',
  },
  storeConnectionLost: {
    levels: ['info'],
    message: 'an idle connection to the store was lost',
    fields: ['code'],
    about:
      'PostgreSQL or something in between closed it; another one is made. Once a minute at most.',
  },
  storeLost: {
    levels: ['error'],
    message: 'the store cannot be used',
    fields: ['code'],
    about:
      'An outage begins: `code` says why ([runbook.md](runbook.md#error-codes)). Requests and calls that meet it after that are counted, not logged.',
  },
  storeRecovered: {
    levels: ['info'],
    message: 'the store can be used again',
    fields: ['afterMs', 'failures'],
    about: 'The end of it, after `afterMs`; `failures` of requests and calls met it.',
  },
  leadTaken: {
    levels: ['info'],
    message: 'this process leads from now on',
    fields: ['epoch', 'before', 'quietInMs'],
    about:
      '`epoch`: raised by each takeover. `before`: the process that led before. `quietInMs`: nothing is sent before that, because a call of its predecessor may be under way.',
  },
  leadEnded: {
    levels: ['info', 'warn'],
    message: 'this process leads no more',
    fields: ['epoch', 'how'],
    about:
      '`how`: `given-up` at a stop; `lost` (then `warn`): it was not heard of for five seconds, and another process has taken over.',
  },
  leaderChanged: {
    levels: ['info'],
    message: 'another process leads from now on',
    fields: ['epoch', 'owner'],
    about: '`epoch`, and `owner`, which that process gave itself.',
  },
  stopping: {
    levels: ['info'],
    message: 'stopping: finishing what has begun',
    fields: ['signal'],
    about: 'A signal to stop came.',
  },
  stopped: {
    levels: ['info'],
    message: 'stopped',
    fields: [],
    about: 'The end.',
  },
  crashed: {
    levels: ['fatal'],
    message: 'cannot go on',
    fields: ['error'],
    about: 'The process ends with an error; its code is in [runbook.md](runbook.md#error-codes).',
  },
  receiverDown: {
    levels: ['warn'],
    message: 'a receiver takes no notifications',
    fields: ['receiver', 'reason'],
    about:
      '`reason`: the last answer, without the address. Notifications are kept and sent in order once it takes them: [notifications.md](notifications.md).',
  },
  receiverUp: {
    levels: ['info'],
    message: 'a receiver takes notifications again',
    fields: ['receiver', 'afterMs', 'failures'],
    about: 'The end of it, after `afterMs` and so many `failures`.',
  },
  notificationGivenUp: {
    levels: ['error'],
    message: 'a notification is given up',
    fields: ['receiver', 'type'],
    about:
      'It failed for three days, or the receiver wants none (410): `scim-bridge notifications list --dead`.',
  },
  exportFailed: {
    levels: ['warn'],
    message: 'traces cannot be sent',
    fields: ['error'],
    about:
      'The collector of `OTEL_EXPORTER_OTLP_ENDPOINT` does not take them. They are tried again; nothing else waits for it.',
  },
  exportRecovered: {
    levels: ['info'],
    message: 'traces are sent again',
    fields: ['afterMs', 'failures'],
    about: 'The end of it, after `afterMs` and so many `failures`.',
  },
  requestFinished: {
    levels: ['info', 'debug', 'error'],
    message: 'request',
    fields: ['requestId', 'method', 'route', 'status', 'durationMs'],
    about:
      'One request and how it was answered; successful reads at `debug`, answers of 500 at `error`.',
  },
  requestFailed: {
    levels: ['error'],
    message: 'a request failed in the bridge',
    fields: ['requestId', 'error'],
    about: 'A bug, or the store. The line has the error.',
  },
  credentialsWrong: {
    levels: ['warn'],
    message: 'requests presented no valid credentials',
    fields: ['place', 'requestId', 'remoteAddress', 'attempts'],
    about:
      'A provider with a wrong token, or somebody else: at `place`, from `remoteAddress`, `attempts` since the last line. One line a minute for each source, ten in all.',
  },
  assertionRefused: {
    levels: ['warn'],
    message: 'an assertion of a client was not taken',
    fields: ['requestId', 'credential', 'reason', 'attempts'],
    about:
      'Somebody asked `/oauth/token` for an access token with a wrong assertion; `credential` is the client, where there is one. What each `reason` means: [sign-in-without-secret.md](sign-in-without-secret.md#when-it-is-refused). One line a minute for each client and reason, ten in all.',
  },
  issuerUnreadable: {
    levels: ['warn'],
    message: 'the keys of an issuer cannot be read',
    fields: ['host', 'error', 'attempts'],
    about:
      'Keys that were read within a day go on being used. Without any, or for a new key, clients are answered 503. One line a minute for each host.',
  },
  firstReadStep: {
    levels: ['info'],
    message: 'reading the whole service: a list is complete',
    fields: ['step', 'done'],
    about:
      'Progress of a new store, of one in recovery, or of a sweep: the list has `done` entries.',
  },
  firstReadProgress: {
    levels: ['info'],
    message: 'reading the whole service: a list is being read',
    fields: ['step', 'done', 'total', 'leftMs'],
    about:
      'Once a minute: `done` entries of the list are read, of `total` where the service says it, and the rest will take `leftMs`.',
  },
  firstReadFailed: {
    levels: ['warn'],
    message: 'reading the whole service failed and is tried again',
    fields: ['step', 'reason', 'retryInMs'],
    about: 'The line has the reason. See `/readyz`.',
  },
  recovery: {
    levels: ['info', 'warn'],
    message: 'recovery: whether the store is older than what was done',
    fields: ['phase', 'code', 'actions'],
    about:
      '`phase` and `code`: what a start found out (`current`, `unknown`, `stale`), or how far recovery has come. See [recovery.md](recovery.md).',
  },
  release: {
    levels: ['info'],
    message: 'the approved plan: so many people and groups are done',
    fields: ['done', 'total', 'stuck', 'elapsedMs', 'leftMs'],
    about:
      'Every minute after a plan of going live or of recovery was approved, and once at its end: `done` of `total`, how many are `stuck`, and `leftMs` at the rate so far.',
  },
  sweepStarted: {
    levels: ['info'],
    message: 'comparing the service with the store',
    fields: ['sweepId', 'admins'],
    about:
      'A sweep begins, or is taken over from a process that stopped. `admins`: it reads the admin lists too.',
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
    about:
      'How a sweep ended, with counts; at `warn` when something is new or `reasons` say what was not concluded. See `GET /ops/drifts`.',
  },
  sweepFailed: {
    levels: ['error'],
    message: 'a comparison of the service with the store failed',
    fields: ['sweepId', 'error'],
    about: 'A bug, or the store. The next sweep begins anew.',
  },
  plan: {
    levels: ['info', 'warn'],
    message: 'a plan of changes in the service',
    fields: ['planId', 'status', 'source', 'actions'],
    about:
      'A plan was made, has grown, was decided or is applied; at `warn` when it waits for an operator, with the number of its changes.',
  },
  driftFound: {
    levels: ['warn'],
    message: 'the service differs from what is desired',
    fields: ['driftId', 'kind'],
    about: 'A look at somebody whom the audit log names, or whom a write missed, found a drift.',
  },
  driftRepaired: {
    levels: ['info'],
    message: 'the service holds what is desired again',
    fields: ['driftId', 'kind', 'durationMs'],
    about: 'A drift was repaired, `durationMs` after it was found.',
  },
  stepEnded: {
    levels: ['info', 'warn', 'debug'],
    message: 'a step towards what is desired',
    fields: ['resourceType', 'resourceId', 'action', 'outcome'],
    about:
      'One step for one person or group; `action` is the kinds of its changes, or `look`. `done`; `refused` at `warn`; what is tried again at `debug`.',
  },
  workerFailed: {
    levels: ['error'],
    message: 'a worker failed and goes on',
    fields: ['resourceType', 'resourceId', 'error'],
    about: 'A bug, or the store. That person or group rests for ten seconds.',
  },
  jobFailed: {
    levels: ['error'],
    message: 'work in the background failed and is tried again',
    fields: ['job', 'at', 'error'],
    about: 'A bug, or the store: `job` says what, `at` where in it.',
  },
  adopted: {
    levels: ['info'],
    message: 'taken over from the service',
    fields: ['resourceType', 'resourceId'],
    about: 'An account or group that was there before is managed now.',
  },
  writeRefused: {
    levels: ['warn'],
    message: 'the service refused a write, which was undone',
    fields: ['resourceType', 'resourceId', 'code'],
    about: "The provider was told the service's words; `code` says which kind.",
  },
  stuck: {
    levels: ['error'],
    message: 'the service refused an acknowledged change, which is kept',
    fields: ['resourceType', 'resourceId', 'code'],
    about:
      "It is stuck now. `/ops/status` has the service's words. Logged once, though it is tried again.",
  },
  deletionFinished: {
    levels: ['info'],
    message: 'a deletion has reached the service',
    fields: ['resourceType', 'resourceId'],
    about: 'Nothing is left to do for a deleted person or group.',
  },
  partsDropped: {
    levels: ['info'],
    message: 'parts of a request were not taken',
    fields: ['requestId', 'parts'],
    about:
      'Nothing: the provider sent attributes that the bridge does not know or the service cannot hold. `parts` counts them by kind; `GET /ops/requests` shows which.',
  },
  disputed: {
    levels: ['warn'],
    message: 'a name waits for an operator',
    fields: ['resourceType'],
    about:
      'Its provider is answered 409. `/ops/status` lists the name; logged when it first comes up.',
  },
  operatorCalled: {
    levels: ['info'],
    message: 'an operator called the service',
    fields: ['requestId', 'operation', 'result', 'operator', 'credential', 'remoteAddress'],
    about:
      '`POST /ops/api/…`: the operation, and how it ended (`result`: `done` or the code of the error). The rest as below. See [api.md](api.md).',
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
    about:
      "Every other request below `/ops` that does more than read, and how it was answered. `operator` is the name of the credential, which is left out for a person who signed in with the company's identity provider, `credential` its id; `target` the id of the plan, drift, person, group, token or client.",
  },
  writesPaused: {
    levels: ['warn'],
    message: 'an operator paused all changes of the service',
    fields: [],
    about: 'In each process, when it learns of it. `/ops/status` has the reason.',
  },
  writesResumed: {
    levels: ['info'],
    message: 'an operator resumed changes of the service',
    fields: [],
    about: 'What waited goes on.',
  },
  upstreamCalled: {
    levels: ['debug'],
    message: 'call to the service',
    fields: ['operation', 'status', 'durationMs', 'attempt'],
    about: 'One call, with status and duration.',
  },
  tokenRefused: {
    levels: ['error'],
    message: 'the service refuses the token: calls stop',
    fields: [],
    about: 'Set a new `upstream.token`; in a file it is read again, else restart.',
  },
  tokenAccepted: {
    levels: ['info'],
    message: 'the service accepts the token again: calls go on',
    fields: ['afterMs', 'failures'],
    about: 'The end of it, after `afterMs`; `failures`: calls that were not sent.',
  },
  serviceFailing: {
    levels: ['warn'],
    message: 'the service fails or does not answer: calls stop',
    fields: [],
    about: 'Wait, or check network, `upstream.url` and proxy.',
  },
  serviceAnswering: {
    levels: ['info'],
    message: 'the service answers again: calls go on',
    fields: ['afterMs', 'failures'],
    about: 'The end of it, after `afterMs`; `failures`: calls that were not sent.',
  },
  redirected: {
    levels: ['warn'],
    message: 'the service sends calls elsewhere: they wait',
    fields: ['operation'],
    about:
      'Set `upstream.url` to the address that answers itself; `scim-bridge check` says where calls are sent.',
  },
  redirectOver: {
    levels: ['info'],
    message: 'the service no longer sends calls elsewhere: they go on',
    fields: ['operation', 'afterMs'],
    about: 'The end of it, after `afterMs`.',
  },
  paused: {
    levels: ['warn'],
    message: 'the service asks for a pause: calls stop',
    fields: ['forMs'],
    about: 'It answered 429. Each further 429 in a row is counted, not logged.',
  },
  resumed: {
    levels: ['info'],
    message: 'the pause is over: calls go on',
    fields: ['afterMs'],
    about: 'The end of it, after `afterMs`: a call was answered again.',
  },
  changedByOthers: {
    levels: ['info'],
    message: 'somebody else changed the service: it is looked at',
    fields: ['resourceType', 'resourceId', 'action'],
    about:
      "The audit log names a managed person or group that no call of the bridge explains; `action` is the service's word. What the service holds is looked at and left as it is.",
  },
  auditFailing: {
    levels: ['warn'],
    message: 'reading the audit log fails and is tried again',
    fields: ['code'],
    about:
      '`code` says why. Changes by others are seen late; `/readyz` tells it after five minutes.',
  },
  auditGoesOn: {
    levels: ['info'],
    message: 'reading the audit log goes on',
    fields: ['afterMs'],
    about: 'The end of it, after `afterMs`. Everything since then was read.',
  },
  sectionClosed: {
    levels: ['warn'],
    message: 'the service closed a section',
    fields: ['section', 'code'],
    about: '`code` says why; `/readyz` has the remedy.',
  },
  sectionOpened: {
    levels: ['info'],
    message: 'the service opened a section',
    fields: ['section'],
    about: 'The service takes requests of the section again.',
  },
} as const satisfies Record<string, LogLineDefinition>;

/** Every line of the log as a Markdown table, for docs/operations.md. */
export function toLogTable(): string {
  const rows = Object.values(logLines).map(({ levels, message, fields, about }) => {
    const shown = fields.map((field) => `\`${field}\``).join(', ');
    return `| ${levels.join(', ')} | \`${message}\` | ${shown} | ${about} |`;
  });
  const head = ['| level | message | fields | when, and what to do |', '|---|---|---|---|'];
  return [...head, ...rows].join('\n');
}
