import { z } from 'zod';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/change.ts';
import { CHOICES } from '../../domain/provider.ts';
import { SETTING_ORIGINS } from '../../settings/sources.ts';
import { Reading, Sweep } from './drift.ts';
import { t } from './kinds.ts';

const leaverHold = t.orNull(
  t.word(['plan', 'observe-mode', 'writes-paused']),
  'The decision that keeps the person in; null: the service does.',
);

export const Writes = t.object({
  mode: t.word(['live', 'observe']),
  paused: t.partOrNull('The pause that holds.', { since: t.moment(), reason: t.textOrNull() }),
  waiting: t.count('People and groups with changes that are accepted and not applied.'),
});

const trouble = z.looseObject({
  type: t.resourceType(),
  id: t.text(),
  name: t.text(),
  field: t.optionalText('Of what is stuck: a field, `members` or `admins`.'),
  problem: t.serviceWords,
  since: t.moment(),
  nextAttemptAt: t.momentOrNull(),
});

const gate = t.object({
  kind: t.word(['open', 'shut']),
  since: t.optional(t.moment()),
  nextProbeAt: t.optional(t.moment()),
});

export const Seats = t.object({
  total: t.countOrNull('`seats.total`; null: not set.'),
  used: t.count('Accounts that were seen to take one.'),
  waiting: t.count('People who wait for a free one.'),
  free: t.countOrNull('0 while somebody waits for one; null: not known.'),
});

/** The first question of an operator. Names and the words of the service may be personal. */
export const Status = t.object({
  status: t.word(['ok', 'degraded', 'unavailable']),
  reasons: t.parts(null, {
    code: t.text('As in docs/runbook.md.'),
    detail: t.text(),
    remedy: t.text(),
  }),
  bridge: t.part('The process that answers.', {
    version: t.text(),
    startedAt: t.moment(),
    engine: t.word(['sqlite', 'postgres']),
  }),
  leader: t.partOrNull('The process that changes the service.', {
    isSelf: t.flag('True: the process that answers.'),
    epoch: t.count('Raised by each takeover.'),
    since: t.moment(),
  }),
  scimUrl: t.text('What providers are given as the base URL.'),
  writes: Writes,
  queue: t.part('Estimated wait of a new change.', {
    isHeld: t.flag('Nothing is changed in the service for now.'),
    removeMs: t.count('For a removal of access.'),
    changeMs: t.count('For any other change.'),
  }),
  firstRead: t.orNull(Reading, 'null: it is finished.'),
  lastSweep: t.orNull(Sweep, 'The newest, which may run.'),
  drifts: t.parts('Differences of what is managed that are not over.', {
    kind: t.word(DRIFT_KINDS),
    status: t.word(DRIFT_STATUSES),
    count: t.count(),
    held: t.count('Those that a waiting plan repairs.'),
  }),
  unmanaged: t.count('Accounts and groups that no provider asked for.'),
  stopped: t.parts('Providers whose changes are not made.', {
    provider: t.text(),
    mode: t.word(CHOICES.mode),
  }),
  staged: t.count('People and groups that the terms of providers keep from the service.'),
  due: t.count('People and groups of which something is to be done.'),
  failingCount: t.count(),
  failing: t.list(trouble, 'Tried again and again in vain; the first hundred.'),
  oldestSince: t.momentOrNull(),
  seats: Seats,
  stuckCount: t.count(),
  stuck: t.list(trouble, 'Acknowledged, then refused or not done by the service; field by field.'),
  leavers: t.partOrNull('Who left and was not seen to be out since; null: nobody.', {
    count: t.count(),
    since: t.moment('When the deactivation of the first was accepted.'),
    heldBy: leaverHold,
    plan: t.textOrNull('The plan that holds the first back.'),
    first: t.list(
      t.named.extend({ since: t.moment(), heldBy: leaverHold, plan: t.textOrNull() }),
      'The first ten.',
    ),
  }),
  out: t.partOrNull('Who left and got out in 24 hours, from the request on; null: nobody.', {
    count: t.count(),
    p50Ms: t.count(),
    p95Ms: t.count(),
  }),
  disputes: t.parts('Names that only an operator can place.', {
    type: t.resourceType(),
    name: t.text(),
    reason: t.text(),
    count: t.count('Requests that were refused for it.'),
    firstSeenAt: t.moment(),
    lastSeenAt: t.moment(),
  }),
  upstream: t.object({
    waiting: z
      .record(z.string(), t.count())
      .describe('Calls that wait for their turn at the leader, by class.'),
    inFlight: t.count(),
    pausedForMs: t.count(),
    credentials: gate,
    service: gate,
  }),
  authentication: t.part('Requests without a valid credential within ten minutes.', {
    failed: t.count(),
    sources: t.parts('Those with the most.', {
      address: t.text('Or the network of an IPv6 address.'),
      attempts: t.count(),
      lastAt: t.moment(),
    }),
  }),
  activity: t.object({ running: t.count(), waiting: t.count() }),
});

export const Setting = t.object({
  name: t.text(),
  variable: t.text('The environment variable that sets it.'),
  value: t.textOrNull('As it may be written in a settings file, secrets hidden; null: not set.'),
  from: t.word(SETTING_ORIGINS, '`secret-file`: a file that `…_FILE` names.'),
  source: t.textOrNull('The variable or the settings file that sets it; null: the default holds.'),
});

export const SettingList = t.listOf(Setting);
export const Sandbox = t.object({
  url: t.text('On the machine of the bridge.'),
  token: t.textOrNull('null: a reader asks.'),
});
export const PauseBody = t.object({
  reason: t.optional(t.orNull(z.string().max(500)), 'Why: at most 500 characters.'),
});
export const RetryBody = z
  .union([
    t.object({ name: z.string().min(1).describe('An id, a userName, an address or a name.') }),
    t.object({ all: z.literal(true) }),
  ])
  .describe('Either `name` of one person or group, or `all` of them.');
export const Retry = t.object({
  count: t.count(),
  heldBy: leaverHold.describe('Why it is not tried yet; null: it is.'),
  tried: t.parts('The first hundred.', {
    type: t.resourceType(),
    id: t.text(),
    name: t.text(),
    waits: t.list(t.text(), 'Fields, `members` or `admins` that wait; empty: a look.'),
  }),
});
export const Problem = z
  .looseObject({ code: t.text('Stable, for programs.'), message: t.text('For people.') })
  .describe('Why it did not work. Some codes have more beside them: `hash`, `near`, `found`.');
export const OpenApi = z.looseObject({ openapi: z.literal('3.1.0') });
