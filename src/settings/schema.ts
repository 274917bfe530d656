import { z } from 'zod';
import {
  choice,
  databaseUrl,
  duration,
  durationOrZero,
  httpUrl,
  text,
  textList,
  trustedProxies,
  wholeNumber,
} from './kinds.ts';
import { ruleList } from './rule-list.ts';
import { consoleSchema, oidcSchema } from './sections/console.ts';
import { opsSchema, serverSchema } from './sections/listeners.ts';
import { notifySchema } from './sections/notifications.ts';
import { groupsSchema, protectSchema, scimSchema, usersSchema } from './sections/providers.ts';
import { retentionSchema } from './sections/retention.ts';
import { seatsSchema } from './sections/seats.ts';
import { upstreamSchema } from './sections/upstream.ts';
import { driftSchema, limitsSchema, sweepSchema } from './sections/watching.ts';

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
  trustProxy: trustedProxies()
    .prefault('none')
    .describe(
      'Whose `X-Forwarded-For` is believed, for the address of a client in the log, in `scim-bridge acts` and in the limit of failed attempts: the proxies in front by their addresses or networks (`loopback`, `10.0.0.0/8`), or how many there are. Who is believed can write any address.',
    ),
  mode: choice(['live', 'observe'])
    .prefault('live')
    .describe(
      'Whether the bridge changes the service: `observe` accepts and keeps everything that providers send, reads the service, and changes nothing there. See [go-live.md](go-live.md).',
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
  seats: seatsSchema.prefault({}),
  rules: ruleList()
    .prefault([])
    .describe(
      'Fields that follow from groups: permissions, flags and admins of groups, their roles in spaces and documents, licences and suspensions of users. See [rules.md](rules.md).',
    ),
  server: serverSchema.prefault({}),
  shutdown: z
    .strictObject({
      delay: durationOrZero({ min: '100ms', max: '5m' })
        .optional()
        .describe(
          'How long requests are still answered after SIGTERM, while `/readyz` says `draining`, so that a load balancer learns of it; SIGINT (Ctrl-C) does not wait. When not set, 5s on PostgreSQL, where other processes go on, and 0 on SQLite.',
        ),
    })
    .prefault({}),
  access: z
    .strictObject({
      failedDelayMax: duration({ min: '0', max: '10s' })
        .prefault('2s')
        .describe(
          'How long at most the answer to a wrong token or secret is delayed, from the fourth of one address within ten minutes on; 0 delays nothing. A valid one is never delayed, so this is no limit of guesses.',
        ),
    })
    .prefault({}),
  ops: opsSchema.prefault({}),
  console: consoleSchema.prefault({}),
  oidc: oidcSchema.prefault({}),
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
          'How often the audit log of the service is read, to find changes by others; 0 means never. Without news that is one call.',
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
  notify: notifySchema.prefault({}),
  workers: z
    .strictObject({
      concurrency: wholeNumber({ min: 1, max: 256 })
        .prefault(8)
        .describe('How many users and groups are brought to the desired state at the same time.'),
    })
    .prefault({}),
  oauth: z
    .strictObject({
      accessTokenLifetime: duration({ min: '60m', max: '6h' })
        .prefault('1h')
        .describe(
          'How long an access token is valid that a provider gets from `/oauth/token` for a client of `scim-bridge client create`.',
        ),
      keyHosts: textList('names of hosts separated by commas; `*` stands for any text')
        .prefault([])
        .describe(
          'The hosts that the keys of issuers are read from, for clients that prove themselves by assertions. See [credentials.md](credentials.md#sign-in-without-a-secret).',
        ),
      privateAddresses: choice(['refuse', 'allow'])
        .prefault('refuse')
        .describe(
          'Whether such a host may have an address of a private network or of this machine, and be spoken to without TLS: `allow` for an issuer of your own.',
        ),
      clockSkew: durationOrZero({ min: '1s', max: '5m' })
        .prefault('30s')
        .describe(
          'How far the clock of an issuer may be from that of the store: an assertion is taken that much before it begins and after it ends.',
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
