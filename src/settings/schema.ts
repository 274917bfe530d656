import { z } from 'zod';
import {
  choice,
  databaseUrl,
  duration,
  durationOrZero,
  hostList,
  httpsUrl,
  httpUrl,
  proxyUrl,
  secret,
  secretList,
  text,
  textList,
  trustedProxies,
  wholeNumber,
} from './kinds.ts';
import { driftPolicy, extensionList, quirks, receiverList, ruleList } from './structures.ts';

/** Words of services for "no seat is free"; each is long enough to mean nothing else. */
const REFUSALS =
  '402, no seats, no free seat, seat limit, not enough seats, no licences, no licenses, no free licen, not enough licen, licence limit, license limit, licences limit, licenses limit, limit of licen, user limit, users limit, limit of users';

/** Every setting: name, default, limits and meaning. The variable is the path in upper snake case; the page is generated. */
export const settingsSchema = z.strictObject({
  host: option(
    'The network interface to listen on; `0.0.0.0` or `::` means all.',
    text('the name or address of a network interface').prefault('127.0.0.1'),
  ),
  port: option(
    'The port to listen on; 0 takes a free one and prints it.',
    wholeNumber({ min: 0, max: 65_535 }).prefault(8_080),
  ),
  publicUrl: option(
    'The address that identity providers use. `meta.location` starts with it. If not set, `host` and `port` are used, never the `Host` header.',
    httpUrl('/scim/v2').optional(),
  ),
  trustProxy: option(
    'The proxies whose `X-Forwarded-For` the bridge trusts: addresses, networks (`loopback`, `10.0.0.0/8`), or how many there are. The log, `scim-bridge acts` and the delay of failed sign-ins use the address of the client. A trusted proxy can claim any address.',
    trustedProxies().prefault('none'),
  ),
  mode: option(
    '`live` changes the service. `observe` accepts everything that providers send, reads the service, and changes nothing there. See [go-live.md](go-live.md).',
    choice(['live', 'observe']).prefault('live'),
  ),
  /** The work-management service, and facts about it that its documents leave open. */
  upstream: z.strictObject({
    url: option(
      'Base address of the service. If not set, the bridge serves and uses an embedded sandbox.',
      httpUrl('/scim/v2').optional(),
    ),
    token: option(
      'API token of the service, required with `upstream.url`. `scim-bridge check` lists the rights that its owner needs.',
      secret({ charactersMin: 1 }).optional(),
    ),
    requestsPerSecond: option(
      'Most calls a second, of all processes on the store together. Give each process the same number. 0 means no limit. The service allows 5.',
      wholeNumber({ min: 0, max: 1_000 }).prefault(5),
    ),
    proxy: option('HTTP proxy for every call to the service.', proxyUrl().optional()),
    timeout: option(
      'How long the bridge waits for an answer to begin and to continue. A call with its repeats may take three times as long.',
      duration({ min: '100ms', max: '5m' }).prefault('10s'),
    ),
    pageSize: option(
      'Entries per page when the bridge reads a list of the service.',
      wholeNumber({ min: 1, max: 500 }).prefault(100),
    ),
    attemptsBeforeStuck: option(
      'After so many failures, while other changes succeed, an accepted change is stuck: it is reported and tried about once an hour. Ten attempts take about six minutes.',
      wholeNumber({ min: 2, max: 1_000 }).prefault(10),
    ),
    quirks: option(
      'Behaviour that the documents of the service leave open, as a map. The bridge finds out and remembers whatever is not named here.',
      quirks().prefault({}),
    ),
  }),
  /** The SCIM interface for identity providers. */
  scim: z.strictObject({
    tokens: option(
      'Tokens of identity providers, sent as `Bearer <token>` or bare. Named tokens (`scim-bridge token create`) and OAuth clients (`scim-bridge client create`) work too. With the sandbox and no token the start makes one and prints it.',
      secretList({ charactersMin: 16 }).prefault([]),
    ),
    writeWait: option(
      'How long a write waits for the service. After that the provider gets 2xx and the bridge delivers the change later.',
      duration({ min: '0', max: '60s' }).prefault('3s'),
    ),
    whenUpstreamIsDown: option(
      'A write while the service is down: `accept` stores it and delivers it later, `refuse` answers 503.',
      choice(['accept', 'refuse']).prefault('accept'),
    ),
    requestsPerSecond: option(
      'Most requests a second of one credential; more are 429. After a pause as many may come at once. 0 means no limit. Each process counts for itself.',
      wholeNumber({ min: 0, max: 100_000 }).prefault(500),
    ),
    extensions: option(
      'Schemas of your own for users or groups. See [providers.md](providers.md#schemas-of-your-own).',
      extensionList().prefault([]),
    ),
  }),
  /** Treatment of users. */
  users: z.strictObject({
    adopt: option(
      'If the account exists already: `yes` takes it over at the first write. `refuse` and `ask` answer 409 to a POST and 403 otherwise. `ask` also lists each attempt to create it under `disputes` of `/ops/status`.',
      choice(['yes', 'refuse', 'ask']).prefault('yes'),
    ),
    adoptOnDelete: option(
      'A DELETE of an unmanaged account: `refuse` answers 403, because some providers delete accounts that they do not know. `yes` takes it over and deactivates it, if `users.adopt` allows that.',
      choice(['refuse', 'yes']).prefault('refuse'),
    ),
    deactivation: option(
      'How a person is deactivated: through SCIM, or by suspending the account.',
      choice(['scim', 'temporarilyInactive']).prefault('scim'),
    ),
  }),
  /** Treatment of groups. */
  groups: z.strictObject({
    adopt: option(
      'If the group exists already: as `users.adopt`.',
      choice(['yes', 'refuse', 'ask']).prefault('yes'),
    ),
    adoptOnDelete: option(
      'A DELETE of an unmanaged group: as `users.adoptOnDelete`.',
      choice(['refuse', 'yes']).prefault('refuse'),
    ),
    deletion: option(
      'Which groups a DELETE removes from the service: those the bridge created, or none.',
      choice(['created', 'never']).prefault('created'),
    ),
    permissionsMax: option(
      'Mask of the permission bits that a provider may set; other bits are 403.',
      wholeNumber({ min: 0, max: 2_147_483_647 }).prefault(0),
    ),
  }),
  /** Users whom the bridge never takes over, deactivates or demotes by itself. */
  protect: z.strictObject({
    users: option(
      'These users are never adopted automatically. No provider, rule or repair takes their access, licences or admin rights. They stay protected when they are renamed.',
      textList('userNames or e-mail addresses, `*` stands for any text').prefault([]),
    ),
    groups: option(
      'These groups are never adopted automatically. No provider, rule or repair takes their permissions, and no provider deletes them or removes their admins. They stay protected when they are renamed.',
      textList('names of groups, `*` stands for any text').prefault([]),
    ),
  }),
  /** Seats (licences) of the service. */
  seats: z.strictObject({
    total: option(
      'How many seats the company has bought; 0 means not known. Plans, metrics and the forecast use it. The bridge refuses nothing because of it. See [writes.md](writes.md#seats).',
      wholeNumber({ min: 0, max: 10_000_000 }).prefault(0),
    ),
    refusals: option(
      'Statuses, or words of its answer, by which the service says that no seat is free. Such an addition waits. Without an entry it is refused like any other change.',
      textList('statuses such as 402, or words of the service, separated by commas').prefault(
        REFUSALS,
      ),
    ),
  }),
  rules: option(
    'What groups decide: permissions, flags and admins of groups, their roles in spaces and documents, licences and suspensions of users. See [rules.md](rules.md).',
    ruleList().prefault([]),
  ),
  shutdown: z.strictObject({
    delay: option(
      'How long requests are still answered after SIGTERM, while `/readyz` says `draining`. A load balancer needs this time to notice. SIGINT (Ctrl-C) does not wait. If not set: 5s on PostgreSQL, 0 on SQLite.',
      durationOrZero({ min: '100ms', max: '5m' }).optional(),
    ),
  }),
  access: z.strictObject({
    failedDelayMax: option(
      'Longest delay of the answer to a wrong token or secret, from the fourth of one address within ten minutes on; 0 means none. A valid one is never delayed.',
      duration({ min: '0', max: '10s' }).prefault('2s'),
    ),
  }),
  /** The operators' interface and monitoring. */
  ops: z.strictObject({
    token: option(
      'Token of operators for `/metrics`, `/ops` and the console. Tokens of `scim-bridge token create --for operator` work too. An operator can do whatever `upstream.token` can: see docs/command-line.md#call-the-service.',
      secret({ charactersMin: 16 }).optional(),
    ),
    readerToken: option(
      'Token that may read `/metrics` and `/ops`; everything else is 403.',
      secret({ charactersMin: 16 }).optional(),
    ),
    commandToken: option(
      'Your own token, which commands use instead of `ops.token`. `scim-bridge acts` then shows your name.',
      secret({ charactersMin: 16 }).optional(),
    ),
    url: option(
      'Address of the running bridge for [commands](command-line.md#reach-the-bridge). If not set: `host` with `ops.port` or `port`.',
      httpUrl().optional(),
    ),
    port: option(
      'A listener of its own for `/metrics`, `/ops` and the console.',
      wholeNumber({ min: 0, max: 65_535 }).optional(),
    ),
  }),
  /** The console for operators. */
  console: z.strictObject({
    url: option(
      'Address of the console without its path. `oidc.issuer` needs it to lead operators back to `/console/oidc/callback`.',
      httpUrl('/console').optional(),
    ),
  }),
  /** The identity provider of the company, for operators. */
  oidc: z.strictObject({
    issuer: option(
      'Identity provider for sign-in to the console (OpenID Connect): its issuer address. If not set, the console asks for tokens only.',
      httpsUrl().optional(),
    ),
    clientId: option(
      'Client id of the console at that provider.',
      text('what the identity provider has given').optional(),
    ),
    clientSecret: option('Its secret.', secret({ charactersMin: 8 }).optional()),
    scope: option(
      'Scopes of the sign-in. Some providers send groups only with the scope `groups`.',
      text('scopes with spaces between them').prefault('openid profile email'),
    ),
    groupsClaim: option(
      'The claim with the groups of a person, in the ID token or the user info.',
      text('the name of a claim').prefault('groups'),
    ),
    operatorGroups: option(
      'Members of these groups are operators.',
      textList('names or ids of groups, separated by commas').prefault([]),
    ),
    readerGroups: option(
      'Members of these groups are readers. Everybody else is refused.',
      textList('names or ids of groups, separated by commas').prefault([]),
    ),
  }),
  database: z.strictObject({
    url: option(
      'The store. Several processes need PostgreSQL. If not set: `sqlite:data/bridge.db`, or `sqlite:data/sandbox-bridge.db` with the embedded sandbox.',
      databaseUrl().optional(),
    ),
  }),
  audit: z.strictObject({
    pollInterval: option(
      'How often the bridge reads the audit log of the service to find changes by others; 0 means never. Without news it costs one call.',
      durationOrZero({ min: '1s', max: '1d' }).prefault('15s'),
    ),
  }),
  /** Time that the past is kept. */
  retention: z.strictObject({
    ledger: option(
      'How long calls, events of the audit log, requests (which attributes, never values), and ended drifts, sweeps and plans are kept. A restored backup that is older than this is not recognised.',
      duration({ min: '1d', max: '3650d' }).prefault('30d'),
    ),
    tombstones: option(
      'How long the bridge keeps the names of deleted users and groups. After that only ids remain. 0 means for ever.',
      durationOrZero({ min: '1d', max: '3650d' }).prefault('90d'),
    ),
  }),
  /** Times of the comparison of the service with the store. */
  sweep: z.strictObject({
    interval: option(
      'How often the whole service is compared with the store. A start compares too, except the first. 0 means only when an operator asks. `drift.policy` says what follows.',
      durationOrZero({ min: '1s', max: '30d' }).prefault('1h'),
    ),
    adminsEvery: option(
      'Admin lists cost one call per group. Every n-th sweep reads them.',
      wholeNumber({ min: 1, max: 1_000 }).prefault(6),
    ),
  }),
  /** Differences that count as drift, and the action for each. */
  drift: z.strictObject({
    settle: option(
      'How long after its own change the bridge waits before it confirms a difference.',
      duration({ min: '0', max: '1h' }).prefault('60s'),
    ),
    policy: option(
      'What to do about drift: `report` shows it, `repair` brings the service to what is wanted, `accept` takes what the service holds as wanted. One word for all kinds, or one per kind with `default` for the others. See [drift.md](drift.md).',
      driftPolicy().prefault('report'),
    ),
  }),
  /** Limits above which a plan waits for an operator. */
  limits: z.strictObject({
    repair: option(
      'Most changes of one kind of harm (people deactivated, members removed, admins demoted, access cut, groups deleted), or of its opposite, that repairs make in 24 hours without approval.',
      wholeNumber({ min: 0, max: 1_000_000 }).prefault(20),
    ),
    repairPercent: option(
      'The same in percent of all concerned, if they are at least 50.',
      wholeNumber({ min: 0, max: 100 }).prefault(10),
    ),
    provider: option(
      'Most removals of one kind (users, memberships or groups) by identity providers in 24 hours, each counted once. More wait in a plan if they are also above `limits.providerPercent`. 0 switches the limit off; `/readyz` still reports `provider-harm`.',
      wholeNumber({ min: 0, max: 1_000_000 }).prefault(100),
    ),
    providerPercent: option(
      'The same in percent of all concerned; 0 means that `limits.provider` decides alone.',
      wholeNumber({ min: 0, max: 100 }).prefault(25),
    ),
  }),
  /** Receivers of notifications. */
  notify: z.strictObject({
    receivers: option(
      'Programs and chats that get a message when a reason of `/readyz` begins or ends, a plan waits, others change the service, a credential expires, or a leaver is not out in time. See [runbook.md](runbook.md#notifications).',
      receiverList().prefault([]),
    ),
    hosts: option(
      'Hosts of receivers. A receiver on another host stops the start.',
      hostList().prefault([]),
    ),
    privateAddresses: option(
      '`allow`: a receiver may have a private or local address, without TLS.',
      choice(['refuse', 'allow']).prefault('refuse'),
    ),
  }),
  oauth: z.strictObject({
    keyHosts: option(
      'Hosts from which the bridge reads keys of issuers, for clients that sign in with assertions. See [credentials.md](credentials.md#sign-in-without-a-secret).',
      hostList().prefault([]),
    ),
    privateAddresses: option(
      '`allow`: such a host may have a private or local address, without TLS.',
      choice(['refuse', 'allow']).prefault('refuse'),
    ),
  }),
  /** The embedded imitation of the service. */
  sandbox: z.strictObject({
    port: option(
      'Port of the sandbox on loopback; 0 takes a free one.',
      wholeNumber({ min: 0, max: 65_535 }).prefault(0),
    ),
    file: option(
      'Where the sandbox keeps its state.',
      text('the path of a file').prefault('data/sandbox.db'),
    ),
  }),
  log: z.strictObject({
    level: option(
      'Least important lines of the log.',
      choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).prefault('info'),
    ),
  }),
});

/** The settings of one process. Durations are in milliseconds, sizes in bytes. */
export type Settings = z.output<typeof settingsSchema>;

/** One setting; its default is in its schema, as YAML has it. */
function option<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  return schema.describe(description);
}
