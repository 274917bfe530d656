import { z } from 'zod';
import { driftPolicy } from './drift-policy.ts';
import {
  choice,
  databaseUrl,
  duration,
  durationOrZero,
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
import { quirks } from './quirks.ts';
import { receiverList } from './receiver-list.ts';
import { ruleList } from './rule-list.ts';

/** Words of services for "no seat is free"; each is long enough to mean nothing else. */
const REFUSALS = [
  ...['402', 'no seats', 'no free seat', 'seat limit', 'not enough seats'],
  ...['no licences', 'no licenses', 'no free licen', 'not enough licen'],
  ...['licence limit', 'license limit', 'licences limit', 'licenses limit', 'limit of licen'],
  ...['user limit', 'users limit', 'limit of users'],
].join(', ');

/**
 * Every setting: its name, default, limits and meaning. The environment variable is the path in upper snake case
 * (`upstream.requestsPerSecond` is `UPSTREAM_REQUESTS_PER_SECOND`); the documentation is generated from this.
 */
export const settingsSchema = z.strictObject({
  host: text('the name or address of a network interface')
    .prefault('127.0.0.1')
    .describe('The network interface to listen on; `0.0.0.0` or `::` means all.'),
  port: wholeNumber({ min: 0, max: 65_535 })
    .prefault(8_080)
    .describe('The port to listen on; 0 takes a free one and prints it.'),
  publicUrl: httpUrl()
    .optional()
    .describe(
      'The address that identity providers use. `meta.location` starts with it. If not set, `host` and `port` are used, never the `Host` header.',
    ),
  trustProxy: trustedProxies()
    .prefault('none')
    .describe(
      'The proxies whose `X-Forwarded-For` the bridge trusts: addresses, networks (`loopback`, `10.0.0.0/8`), or how many there are. The log, `scim-bridge acts` and the delay of failed sign-ins use the address of the client. A trusted proxy can claim any address.',
    ),
  mode: choice(['live', 'observe'])
    .prefault('live')
    .describe(
      '`live` changes the service. `observe` accepts everything that providers send, reads the service, and changes nothing there. See [go-live.md](go-live.md).',
    ),
  /** The work-management service, and facts about it that its documents leave open. */
  upstream: z
    .strictObject({
      url: httpUrl()
        .optional()
        .describe(
          'Base address of the service. If not set, the bridge serves and uses an embedded sandbox.',
        ),
      token: secret({ charactersMin: 1 })
        .optional()
        .describe(
          'API token of the service, required with `upstream.url`. `scim-bridge check` lists the rights that its owner needs.',
        ),
      requestsPerSecond: wholeNumber({ min: 0, max: 1_000 })
        .prefault(5)
        .describe(
          'Most calls a second, of all processes on the store together. Give each process the same number. 0 means no limit. The service allows 5.',
        ),
      proxy: proxyUrl().optional().describe('HTTP proxy for every call to the service.'),
      timeout: duration({ min: '100ms', max: '5m' })
        .prefault('10s')
        .describe(
          'How long the bridge waits for an answer to begin and to continue. A call with its repeats may take three times as long.',
        ),
      pageSize: wholeNumber({ min: 1, max: 500 })
        .prefault(100)
        .describe('Entries per page when the bridge reads a list of the service.'),
      membersPerCall: wholeNumber({ min: 1, max: 1_000 })
        .prefault(100)
        .describe('Most members that one PATCH of a group adds or removes.'),
      attemptsBeforeStuck: wholeNumber({ min: 2, max: 1_000 })
        .prefault(10)
        .describe(
          'After so many failures, while other changes succeed, an accepted change is stuck: it is reported and tried about once an hour. Ten attempts take about eight minutes.',
        ),
      quirks: quirks()
        .prefault({})
        .describe(
          'Behaviour that the documents of the service leave open, as a map. The bridge finds out and remembers whatever is not named here.',
        ),
    })
    .prefault({}),
  /** The SCIM interface for identity providers. */
  scim: z
    .strictObject({
      tokens: secretList({ charactersMin: 16 })
        .prefault([])
        .describe(
          'Tokens of identity providers, sent as `Bearer <token>` or bare. Named tokens (`scim-bridge token create`) and OAuth clients (`scim-bridge client create`) work too. With the sandbox and no token the start makes one and prints it.',
        ),
      writeWait: duration({ min: '0', max: '60s' })
        .prefault('3s')
        .describe(
          'How long a write waits for the service. After that the provider gets 2xx and the bridge delivers the change later.',
        ),
      whenUpstreamIsDown: choice(['accept', 'refuse'])
        .prefault('accept')
        .describe(
          'A write while the service is down: `accept` stores it and delivers it later, `refuse` answers 503.',
        ),
      requestsPerSecond: wholeNumber({ min: 0, max: 100_000 })
        .prefault(500)
        .describe(
          'Most requests a second of one credential; more are 429. After a pause as many may come at once. 0 means no limit. Each process counts for itself.',
        ),
    })
    .prefault({}),
  /** Treatment of users. */
  users: z
    .strictObject({
      adopt: choice(['yes', 'refuse', 'ask'])
        .prefault('yes')
        .describe(
          'If the account exists already: `yes` takes it over at the first write. `refuse` and `ask` answer 409 to a POST and 403 otherwise. `ask` also lists each attempt to create it under `disputes` of `/ops/status`.',
        ),
      adoptOnDelete: choice(['refuse', 'yes'])
        .prefault('refuse')
        .describe(
          'A DELETE of an unmanaged account: `refuse` answers 403, because some providers delete accounts that they do not know. `yes` takes it over and deactivates it, if `users.adopt` allows that.',
        ),
      deactivation: choice(['scim', 'temporarilyInactive'])
        .prefault('scim')
        .describe('How a person is deactivated: through SCIM, or by suspending the account.'),
    })
    .prefault({}),
  /** Treatment of groups. */
  groups: z
    .strictObject({
      adopt: choice(['yes', 'refuse', 'ask'])
        .prefault('yes')
        .describe('If the group exists already: as `users.adopt`.'),
      adoptOnDelete: choice(['refuse', 'yes'])
        .prefault('refuse')
        .describe('A DELETE of an unmanaged group: as `users.adoptOnDelete`.'),
      deletion: choice(['created', 'never'])
        .prefault('created')
        .describe(
          'Which groups a DELETE removes from the service: those the bridge created, or none.',
        ),
      permissionsMax: wholeNumber({ min: 0, max: 2_147_483_647 })
        .prefault(0)
        .describe('Mask of the permission bits that a provider may set; other bits are 403.'),
    })
    .prefault({}),
  /** Users whom the bridge never takes over, deactivates or demotes by itself. */
  protect: z
    .strictObject({
      users: textList('userNames or e-mail addresses, `*` stands for any text')
        .prefault([])
        .describe(
          'These users are never adopted automatically. No provider, rule or repair takes their access, licences or admin rights. They stay protected when they are renamed.',
        ),
      groups: textList('names of groups, `*` stands for any text')
        .prefault([])
        .describe(
          'These groups are never adopted automatically. No provider, rule or repair takes their permissions, and no provider deletes them or removes their admins. They stay protected when they are renamed.',
        ),
    })
    .prefault({}),
  /** Seats (licences) of the service. */
  seats: z
    .strictObject({
      total: wholeNumber({ min: 0, max: 10_000_000 })
        .prefault(0)
        .describe(
          'How many seats the company has bought; 0 means not known. Plans, metrics and the forecast use it. The bridge refuses nothing because of it. See [writes.md](writes.md#seats).',
        ),
      refusals: textList('statuses such as 402, or words of the service, separated by commas')
        .prefault(REFUSALS)
        .describe(
          'Statuses, or words of its answer, by which the service says that no seat is free. Such an addition waits. Without an entry it is refused like any other change.',
        ),
    })
    .prefault({}),
  rules: ruleList()
    .prefault([])
    .describe(
      'What groups decide: permissions, flags and admins of groups, their roles in spaces and documents, licences and suspensions of users. See [rules.md](rules.md).',
    ),
  shutdown: z
    .strictObject({
      delay: durationOrZero({ min: '100ms', max: '5m' })
        .optional()
        .describe(
          'How long requests are still answered after SIGTERM, while `/readyz` says `draining`. A load balancer needs this time to notice. SIGINT (Ctrl-C) does not wait. If not set: 5s on PostgreSQL, 0 on SQLite.',
        ),
    })
    .prefault({}),
  access: z
    .strictObject({
      failedDelayMax: duration({ min: '0', max: '10s' })
        .prefault('2s')
        .describe(
          'Longest delay of the answer to a wrong token or secret, from the fourth of one address within ten minutes on; 0 means none. A valid one is never delayed.',
        ),
    })
    .prefault({}),
  /** The operators' interface and monitoring. */
  ops: z
    .strictObject({
      token: secret({ charactersMin: 16 })
        .optional()
        .describe(
          'Token of operators for `/metrics`, `/ops` and the console. Tokens of `scim-bridge token create --for operator` work too. An operator can do whatever `upstream.token` can: see docs/command-line.md#call-the-service.',
        ),
      readerToken: secret({ charactersMin: 16 })
        .optional()
        .describe('Token that may read `/metrics` and `/ops`; everything else is 403.'),
      commandToken: secret({ charactersMin: 16 })
        .optional()
        .describe(
          'Your own token, which commands use instead of `ops.token`. `scim-bridge acts` then shows your name.',
        ),
      url: httpUrl()
        .optional()
        .describe(
          'Address of the running bridge for [commands](command-line.md#reach-the-bridge). If not set: `host` with `ops.port` or `port`. If set, `scim-bridge api` uses that bridge too.',
        ),
      port: wholeNumber({ min: 0, max: 65_535 })
        .optional()
        .describe('A listener of its own for `/metrics`, `/ops` and the console.'),
    })
    .prefault({}),
  /** The console for operators. */
  console: z
    .strictObject({
      url: httpUrl()
        .optional()
        .describe(
          'Address of the console without its path. `oidc.issuer` needs it to lead operators back to `/console/oidc/callback`.',
        ),
    })
    .prefault({}),
  /** The identity provider of the company, for operators. */
  oidc: z
    .strictObject({
      issuer: httpsUrl()
        .optional()
        .describe(
          'Identity provider for sign-in to the console (OpenID Connect): its issuer address. If not set, the console asks for tokens only.',
        ),
      clientId: text('what the identity provider has given')
        .optional()
        .describe('Client id of the console at that provider.'),
      clientSecret: secret({ charactersMin: 8 }).optional().describe('Its secret.'),
      scope: text('scopes with spaces between them')
        .prefault('openid profile email')
        .describe(
          'Scopes of the sign-in. Some providers send groups only with the scope `groups`.',
        ),
      groupsClaim: text('the name of a claim')
        .prefault('groups')
        .describe('The claim with the groups of a person, in the ID token or the user info.'),
      operatorGroups: textList('names or ids of groups, separated by commas')
        .prefault([])
        .describe('Members of these groups are operators.'),
      readerGroups: textList('names or ids of groups, separated by commas')
        .prefault([])
        .describe('Members of these groups are readers. Everybody else is refused.'),
    })
    .prefault({}),
  database: z
    .strictObject({
      url: databaseUrl()
        .optional()
        .describe(
          'The store. Several processes need PostgreSQL. If not set: `sqlite:data/bridge.db`, or `sqlite:data/sandbox-bridge.db` with the embedded sandbox.',
        ),
    })
    .prefault({}),
  audit: z
    .strictObject({
      pollInterval: durationOrZero({ min: '1s', max: '1d' })
        .prefault('15s')
        .describe(
          'How often the bridge reads the audit log of the service to find changes by others; 0 means never. Without news it costs one call.',
        ),
    })
    .prefault({}),
  /** Time that the past is kept. */
  retention: z
    .strictObject({
      ledger: duration({ min: '1d', max: '3650d' })
        .prefault('30d')
        .describe(
          'How long calls, events of the audit log, requests (which attributes, never values), and ended drifts, sweeps and plans are kept. A restored backup that is older than this is not recognised.',
        ),
      acts: duration({ min: '1d', max: '3650d' })
        .prefault('365d')
        .describe('How long acts of operators are kept for `scim-bridge acts`.'),
      tombstones: durationOrZero({ min: '1d', max: '3650d' })
        .prefault('90d')
        .describe(
          'How long the bridge keeps the names of deleted users and groups. After that only ids remain. 0 means for ever.',
        ),
    })
    .prefault({}),
  /** Times of the comparison of the service with the store. */
  sweep: z
    .strictObject({
      interval: durationOrZero({ min: '1s', max: '30d' })
        .prefault('1h')
        .describe(
          'How often the whole service is compared with the store. A start compares too. 0 means only when an operator asks. `drift.policy` says what follows.',
        ),
      adminsEvery: wholeNumber({ min: 1, max: 1_000 })
        .prefault(6)
        .describe('Admin lists cost one call per group. Every n-th sweep reads them.'),
    })
    .prefault({}),
  /** Differences that count as drift, and the action for each. */
  drift: z
    .strictObject({
      settle: duration({ min: '0', max: '1h' })
        .prefault('60s')
        .describe(
          'How long after its own change the bridge waits before it confirms a difference.',
        ),
      policy: driftPolicy()
        .prefault('report')
        .describe(
          'What to do about drift: `report` shows it, `repair` brings the service to what is wanted, `accept` takes what the service holds as wanted. One word for all kinds, or one per kind with `default` for the others. See [drift.md](drift.md).',
        ),
    })
    .prefault({}),
  /** Limits above which a plan waits for an operator. */
  limits: z
    .strictObject({
      repair: wholeNumber({ min: 0, max: 1_000_000 })
        .prefault(20)
        .describe(
          'Most changes of one kind of harm (people deactivated, members removed, admins demoted, access cut, groups deleted), or of its opposite, that repairs make in 24 hours without approval.',
        ),
      repairPercent: wholeNumber({ min: 0, max: 100 })
        .prefault(10)
        .describe('The same in percent of all concerned, if they are at least 50.'),
      provider: wholeNumber({ min: 0, max: 1_000_000 })
        .prefault(100)
        .describe(
          'Most removals of one kind (users, memberships or groups) by identity providers in 24 hours, each counted once. More wait in a plan if they are also above `limits.providerPercent`. 0 switches the limit off; `/readyz` still reports `provider-harm`.',
        ),
      providerPercent: wholeNumber({ min: 0, max: 100 })
        .prefault(25)
        .describe(
          'The same in percent of all concerned; 0 means that `limits.provider` decides alone.',
        ),
    })
    .prefault({}),
  provider: z
    .strictObject({
      silenceAfter: durationOrZero({ min: '1m', max: '365d' })
        .prefault('0')
        .describe(
          '`/readyz` reports `provider-silent` after this time without a request of a provider; 0 means never. Some providers ask every few minutes, others only for changes.',
        ),
    })
    .prefault({}),
  /** Receivers of notifications. */
  notify: z
    .strictObject({
      receivers: receiverList()
        .prefault([])
        .describe(
          'Programs and chats that get a message when a reason of `/readyz` begins or ends, a plan waits, others change the service, a credential expires, or a leaver is not out in time. See [runbook.md](runbook.md#notifications).',
        ),
      hosts: textList('names of hosts separated by commas; `*` stands for any text')
        .prefault([])
        .describe('Hosts of receivers. A receiver on another host stops the start.'),
      privateAddresses: choice(['refuse', 'allow'])
        .prefault('refuse')
        .describe('`allow`: a receiver may have a private or local address, without TLS.'),
    })
    .prefault({}),
  oauth: z
    .strictObject({
      keyHosts: textList('names of hosts separated by commas; `*` stands for any text')
        .prefault([])
        .describe(
          'Hosts from which the bridge reads keys of issuers, for clients that sign in with assertions. See [credentials.md](credentials.md#sign-in-without-a-secret).',
        ),
      privateAddresses: choice(['refuse', 'allow'])
        .prefault('refuse')
        .describe('`allow`: such a host may have a private or local address, without TLS.'),
    })
    .prefault({}),
  /** The embedded imitation of the service. */
  sandbox: z
    .strictObject({
      port: wholeNumber({ min: 0, max: 65_535 })
        .prefault(0)
        .describe('Port of the sandbox on loopback; 0 takes a free one.'),
      file: text('the path of a file')
        .prefault('data/sandbox.db')
        .describe('Where the sandbox keeps its state.'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .prefault('info')
        .describe('Least important lines of the log.'),
    })
    .prefault({}),
});

/** The settings of one process. Durations are in milliseconds, sizes in bytes. */
export type Settings = z.output<typeof settingsSchema>;
