import { z } from 'zod';
import { driftPolicy } from './drift-policy.ts';
import {
  choice,
  databaseUrl,
  duration,
  durationOrZero,
  httpUrl,
  proxyUrl,
  secret,
  secretList,
  size,
  text,
  textList,
  wholeNumber,
} from './kinds.ts';
import { ruleList } from './rule-list.ts';

/** The work-management service, and what the field knows of it but its documents leave open. */
const upstreamSchema = z.strictObject({
  url: httpUrl()
    .optional()
    .describe(
      'Base address of the service. Without it the embedded sandbox is served on loopback and used instead.',
    ),
  token: secret({ charactersMin: 1 })
    .optional()
    .describe(
      'API token of the service; required with `upstream.url`. Its owner needs the rights that `scim-bridge check` lists.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 1_000 })
    .prefault(5)
    .describe(
      'The rate that is never exceeded, on PostgreSQL by all processes on the store together; the same for each of them. 0 means no limit. The service allows 5.',
    ),
  apiVersion: choice(['latest', 'v1'])
    .prefault('latest')
    .describe('The version in the paths of REST calls.'),
  proxy: proxyUrl().optional().describe('HTTP proxy for every call to the service.'),
  timeout: duration({ min: '100ms', max: '5m' })
    .prefault('10s')
    .describe(
      'How long the service may take to begin an answer, and to go on with it; a call with its repeats may take three times that.',
    ),
  responseBytesMax: size({ min: '64KiB', max: '1GiB' })
    .prefault('16MiB')
    .describe('A longer answer is refused; lists are then read in smaller pages.'),
  pageSize: wholeNumber({ min: 1, max: 500 })
    .prefault(100)
    .describe('How many entries of a list are asked for at once.'),
  membersPerCall: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('How many members one PATCH of a group adds or removes.'),
  emailForm: choice(['auto', 'strings', 'objects'])
    .prefault('auto')
    .describe('How `emails` is written when a user is created; `auto` finds out and remembers.'),
  nameOnCreate: choice(['auto', 'yes', 'no'])
    .prefault('auto')
    .describe(
      'Whether the service takes the name when a user is created, which saves the second call.',
    ),
  memberForm: choice(['auto', 'operations', 'array', 'single'])
    .prefault('auto')
    .describe(
      'How one PATCH names many members: one operation for each, one array of values, or one member a call.',
    ),
  groupScimId: choice(['auto', 'restId', 'uid'])
    .prefault('auto')
    .describe('Which REST id of a group its SCIM id equals.'),
  filter: choice(['auto', 'no'])
    .prefault('auto')
    .describe('Whether the service filters lists of users; `no` never asks it to.'),
  userNameUpdates: choice(['auto', 'no'])
    .prefault('auto')
    .describe(
      'Whether a changed userName is offered to the service once; `no` keeps it in the bridge.',
    ),
});

/** What identity providers meet. */
const scimSchema = z.strictObject({
  tokens: secretList({ charactersMin: 16 })
    .prefault([])
    .describe(
      'What identity providers present, as `Bearer <token>` or bare, beside named tokens (`scim-bridge token create`) and OAuth clients (`scim-bridge client create`). Without any of them one is made up and printed in front of the embedded sandbox.',
    ),
  writeWait: duration({ min: '0', max: '60s' })
    .prefault('3s')
    .describe('How long a write waits for the service before it is acknowledged as accepted.'),
  whenUpstreamIsDown: choice(['accept', 'refuse'])
    .prefault('accept')
    .describe(
      'A write while the service is known to be down: `accept` keeps it and delivers it later, `refuse` answers 503 and keeps nothing.',
    ),
  bodyBytesMax: size({ min: '16KiB', max: '16MiB' })
    .prefault('1MiB')
    .describe('A larger request body is answered with 413.'),
  filterLengthMax: wholeNumber({ min: 100, max: 100_000 })
    .prefault(10_000)
    .describe('A longer filter, in characters, is answered with 400.'),
  pageSize: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('How many resources a list holds when the request names no `count`.'),
  pageSizeMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe('The most resources that one page of a list holds, whatever `count` says.'),
  bulkOperationsMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe('More operations in one bulk request are answered with 413.'),
  patchOperationsMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe(
      'More operations in one PATCH are answered with 400; those that add or remove members by their ids do not count.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 100_000 })
    .prefault(500)
    .describe(
      'Requests a second of one credential; after a pause as many at once. What is more is answered with 429. 0 means no limit. Each process counts for itself.',
    ),
  concurrentMax: wholeNumber({ min: 1, max: 100_000 })
    .prefault(1_000)
    .describe(
      'Requests of one credential that may be under way at the same time; one more is answered with 429. Each process counts for itself.',
    ),
});

/** What becomes of people. */
const usersSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe(
      'An account that already exists in the service: `yes` takes it over at the first write, `refuse` and `ask` answer 409 to POST and 403 otherwise; `ask` also shows each attempt to create it under `disputes` of `/ops/status`.',
    ),
  deactivation: choice(['scim', 'temporarilyInactive'])
    .prefault('scim')
    .describe('How a person is deactivated: through SCIM, or by suspending the account.'),
});

/** What becomes of groups. */
const groupsSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe('A group that already exists in the service, as `users.adopt`.'),
  deletion: choice(['created', 'never'])
    .prefault('created')
    .describe('Which groups a DELETE removes from the service: those the bridge created, or none.'),
  permissionsMax: wholeNumber({ min: 0, max: 2_147_483_647 })
    .prefault(0)
    .describe(
      'Mask of the permission bits that a provider may set; any other bit is answered with 403.',
    ),
});

/** Whom the bridge never takes over, deactivates or demotes by itself. */
const protectSchema = z.strictObject({
  users: textList('userNames or e-mail addresses, `*` stands for any text')
    .prefault([])
    .describe('People who are never adopted, deactivated, deleted or demoted.'),
  groups: textList('names of groups, `*` stands for any text')
    .prefault([])
    .describe('Groups that are never adopted automatically.'),
});

/** What whoever connects may do, known or not. */
const serverSchema = z.strictObject({
  connectionsMax: wholeNumber({ min: 10, max: 1_000_000 })
    .prefault(10_000)
    .describe('Connections to one listener; one more is closed at once.'),
  requestTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe(
      'How long a request may take to come, with its body; its headers have 15 s of that. Then it is answered with 408 and its connection is closed.',
    ),
  answerTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe('How long a reader may take for an answer; then its connection is closed.'),
  idleTimeout: duration({ min: '1s', max: '10m' })
    .prefault('75s')
    .describe(
      'How long a connection is kept that asks for nothing. Longer than the load balancer in front keeps its own, or some requests will meet a connection that is being closed.',
    ),
  delayMax: durationOrZero({ min: '10ms', max: '1m' })
    .prefault('250ms')
    .describe(
      'How long whatever comes may wait for its turn on average before requests of providers are answered with 503, until it is half of that; 0: any time.',
    ),
  memoryMax: size({ min: '32MiB', max: '1024GiB' })
    .optional()
    .describe(
      'How much memory may be in use (heap and buffers) before requests of providers are answered with 503. When not set, 85 % of the heap that Node has, which follows the memory of the container.',
    ),
});

/** What operators and monitoring meet. */
const opsSchema = z.strictObject({
  token: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What operators present at `/metrics` and below `/ops`, beside the named tokens that `scim-bridge token create --for operator` makes. Who has it can do whatever `upstream.token` can: see docs/api.md.',
    ),
  readerToken: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What may read at `/metrics` and below `/ops` and do nothing else, for monitoring: 403 for the rest.',
    ),
  url: httpUrl()
    .optional()
    .describe(
      'Where the commands that ask the running bridge (`adopt`, `erase`, `explain`, `pause`, `plan`, `recovery`, `resume`, `sweep`, `token`, `client`) reach it; when not set, at `host` and `ops.port` or `port`. When set, `scim-bridge api` goes through that bridge too.',
    ),
  port: wholeNumber({ min: 0, max: 65_535 })
    .optional()
    .describe('Puts `/metrics` and everything below `/ops` on a listener of their own.'),
});

/** When the service is compared with the store. */
const sweepSchema = z.strictObject({
  interval: durationOrZero({ min: '1s', max: '30d' })
    .prefault('1h')
    .describe(
      'How often the whole service is compared with the store, and at the start; 0 means only when an operator asks. What follows from what it finds is `drift.policy`.',
    ),
  adminsEvery: wholeNumber({ min: 1, max: 1_000 })
    .prefault(6)
    .describe('Admin lists, one call a group, are read in every n-th sweep only.'),
});

/** How long the past is remembered. */
const retentionSchema = z.strictObject({
  ledger: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe(
      'How long the bridge remembers which changes of the service were its own. A backup that is older than this cannot be recognised when it is restored.',
    ),
  audit: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long events of the audit log are kept, with who made them and from where.'),
  requests: duration({ min: '1h', max: '3650d' })
    .prefault('7d')
    .describe(
      'How long it is kept what providers wrote and what they were refused, for `GET /ops/requests`: which attributes, never their values.',
    ),
  requestRowsMax: wholeNumber({ min: 0, max: 10_000_000 })
    .prefault(100_000)
    .describe('How many of these requests are kept, the newest; 0: none.'),
  drifts: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long drifts that are over are shown, since they were last seen.'),
  plans: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long sweeps and plans that have ended are shown.'),
  tombstones: durationOrZero({ min: '1d', max: '3650d' })
    .prefault('90d')
    .describe(
      'How long after their deletion the bridge knows the names of people whom a provider has deleted. Then nothing is left of them but the id of an account that may still be in the service. 0 means for ever.',
    ),
});

/** What counts as a difference, and what is done about it. */
const driftSchema = z.strictObject({
  settle: duration({ min: '0', max: '1h' })
    .prefault('60s')
    .describe(
      'How long after a change of its own the bridge waits before it looks a second time at a difference.',
    ),
  policy: driftPolicy()
    .prefault('report')
    .describe(
      'What is done about a difference: `report` shows it, `repair` brings the service to what is desired, `accept` takes what the service holds as what is desired. One word for all kinds, or for each kind by name and `default` for the others. See [drift.md](drift.md).',
    ),
});

/** How much harm of one kind repairs may do in 24 hours before an operator is asked. */
function harmLimit(harm: string) {
  return z
    .strictObject({
      count: wholeNumber({ min: 0, max: 1_000_000 })
        .prefault(20)
        .describe(`${harm}: how many in 24 hours without asking.`),
      percent: wholeNumber({ min: 0, max: 100 })
        .prefault(10)
        .describe(`${harm}: how many of all whom it could concern, in percent, without asking.`),
    })
    .prefault({});
}

/** Above these a plan of repairs waits for an operator. */
const limitsSchema = z.strictObject({
  deactivate: harmLimit('People whom repairs deactivate'),
  removeMember: harmLimit('Members whom repairs remove from groups'),
  demoteAdmin: harmLimit('Admins whom repairs demote'),
  cutAccess: harmLimit('People and groups whose licences or permissions repairs cut'),
  deleteGroup: harmLimit('Groups that repairs delete'),
  provider: wholeNumber({ min: 0, max: 1_000_000 })
    .optional()
    .describe(
      'How much of one kind of harm identity providers may do in 24 hours; what is more waits until `scim-bridge resume`. When not set, they are only told of by `/readyz` (`provider-harm`).',
    ),
  populationMin: wholeNumber({ min: 1, max: 1_000_000 })
    .prefault(50)
    .describe('From how many on a percentage counts.'),
});

/** The embedded imitation of the service. */
const sandboxSchema = z.strictObject({
  port: wholeNumber({ min: 0, max: 65_535 })
    .prefault(0)
    .describe('Port of the sandbox on loopback; 0 takes a free one.'),
  file: text('the path of a file')
    .prefault('data/sandbox.db')
    .describe('Where the sandbox keeps its state.'),
  shape: choice(['documented', 'narrowest', 'generous'])
    .prefault('documented')
    .describe('Which of the answers that the documents leave open the sandbox takes.'),
});

/**
 * Every setting: its name, default, limits and meaning. The environment variable is the path in upper snake case
 * (`upstream.requestsPerSecond` is `UPSTREAM_REQUESTS_PER_SECOND`); the documentation is generated from this.
 */
export const settingsSchema = z.strictObject({
  host: text('the name or address of a network interface')
    .prefault('127.0.0.1')
    .describe('Where the bridge listens; `0.0.0.0` or `::` on every interface.'),
  port: wholeNumber({ min: 0, max: 65_535 })
    .prefault(8_080)
    .describe('Where the bridge listens; 0 takes a free one and prints it.'),
  publicUrl: httpUrl()
    .optional()
    .describe(
      'How identity providers reach the bridge: `meta.location` starts with it. Otherwise `host` and `port` are used, never the `Host` header.',
    ),
  mode: choice(['live', 'observe'])
    .prefault('live')
    .describe(
      'Whether the bridge changes the service: `observe` accepts and keeps everything that providers send, reads the service, and changes nothing there. See [observe.md](observe.md).',
    ),
  observe: z
    .strictObject({
      whenWorkIsDue: choice(['refuse', 'hold'])
        .prefault('refuse')
        .describe(
          'A start with `mode: observe` while acknowledged changes are not in the service yet: `refuse` stops it, `hold` keeps them for the plan of the next `mode: live`.',
        ),
    })
    .prefault({}),
  upstream: upstreamSchema.prefault({}),
  scim: scimSchema.prefault({}),
  users: usersSchema.prefault({}),
  groups: groupsSchema.prefault({}),
  protect: protectSchema.prefault({}),
  rules: ruleList()
    .prefault([])
    .describe(
      'What follows from groups: permissions and flags of groups, who administers them, licences and suspensions of people. See [rules.md](rules.md).',
    ),
  server: serverSchema.prefault({}),
  shutdown: z
    .strictObject({
      delay: durationOrZero({ min: '100ms', max: '5m' })
        .optional()
        .describe(
          'How long requests are still answered after SIGTERM, while `/readyz` says `draining`, so that whoever sends them here learns of it; SIGINT (Ctrl-C) waits for nobody. When not set, 5s on PostgreSQL, where others go on, and 0 on SQLite.',
        ),
    })
    .prefault({}),
  access: z
    .strictObject({
      failedDelayMax: duration({ min: '0', max: '10s' })
        .prefault('2s')
        .describe(
          'How long at most the answer to a wrong token or secret is delayed, from the fourth of one address within ten minutes on; 0 delays nothing. A valid one is never delayed.',
        ),
    })
    .prefault({}),
  ops: opsSchema.prefault({}),
  database: z
    .strictObject({
      url: databaseUrl()
        .optional()
        .describe(
          'Where the data is kept; several replicas need PostgreSQL. When not set, `sqlite:data/bridge.db`; in front of the embedded sandbox `sqlite:data/sandbox-bridge.db`, so that trying it leaves the file of a real service alone.',
        ),
    })
    .prefault({}),
  audit: z
    .strictObject({
      pollInterval: durationOrZero({ min: '1s', max: '1d' })
        .prefault('15s')
        .describe(
          'How often the audit log of the service is read, so that what others change there is looked at; 0 means never. Without news that is one call.',
        ),
      sweepMinInterval: duration({ min: '1s', max: '30d' })
        .prefault('10m')
        .describe(
          'An event that names nobody whom the bridge knows may be about anybody: the whole service is compared with the store, at most this often. Never where `sweep.interval` is 0.',
        ),
    })
    .prefault({}),
  retention: retentionSchema.prefault({}),
  sweep: sweepSchema.prefault({}),
  drift: driftSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  provider: z
    .strictObject({
      silenceAfter: durationOrZero({ min: '1m', max: '365d' })
        .prefault('0')
        .describe(
          'After how long without any request of a provider `/readyz` tells it (`provider-silent`); 0 means never. Some ask every few minutes, others only when something changes.',
        ),
    })
    .prefault({}),
  workers: z
    .strictObject({
      concurrency: wholeNumber({ min: 1, max: 256 })
        .prefault(8)
        .describe('How many people and groups are brought to the desired state at the same time.'),
    })
    .prefault({}),
  oauth: z
    .strictObject({
      accessTokenLifetime: duration({ min: '60m', max: '6h' })
        .prefault('1h')
        .describe(
          'How long an access token is valid that a provider gets from `/oauth/token` for a client of `scim-bridge client create`.',
        ),
    })
    .prefault({}),
  sandbox: sandboxSchema.prefault({}),
  log: z
    .strictObject({
      level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .prefault('info')
        .describe('The least important lines that are written.'),
    })
    .prefault({}),
});

/** The settings of one process. Durations are in milliseconds, sizes in bytes. */
export type Settings = z.output<typeof settingsSchema>;
