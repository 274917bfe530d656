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
import { opsSchema } from './sections/listeners.ts';
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
});

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
  upstream: upstreamSchema.prefault({}),
  scim: scimSchema.prefault({}),
  users: usersSchema.prefault({}),
  groups: groupsSchema.prefault({}),
  protect: protectSchema.prefault({}),
  seats: seatsSchema.prefault({}),
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
  ops: opsSchema.prefault({}),
  console: consoleSchema.prefault({}),
  oidc: oidcSchema.prefault({}),
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
  retention: retentionSchema.prefault({}),
  sweep: sweepSchema.prefault({}),
  drift: driftSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  provider: z
    .strictObject({
      silenceAfter: durationOrZero({ min: '1m', max: '365d' })
        .prefault('0')
        .describe(
          '`/readyz` reports `provider-silent` after this time without a request of a provider; 0 means never. Some providers ask every few minutes, others only for changes.',
        ),
    })
    .prefault({}),
  notify: notifySchema.prefault({}),
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
  sandbox: sandboxSchema.prefault({}),
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
