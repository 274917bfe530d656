import { z } from 'zod';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import { SETTING_ORIGINS } from '../../settings/shown.ts';
import { QUEUED_CLASSES } from '../../store/resources/backlog.ts';
import { sweep } from './drift.ts';
import {
  count,
  countOrNull,
  flag,
  list,
  listOf,
  moment,
  momentOrNull,
  named,
  namedResource,
  object,
  optional,
  orNull,
  reading,
  release,
  resourceType,
  seats,
  serviceWords,
  text,
  textOrNull,
  word,
} from './kinds.ts';

/** Decisions of an operator that keep a leaver in. */
const leaverHold = orNull(
  word(['plan', 'observe-mode', 'writes-paused']),
  'The decision of an operator that keeps the person in; null: the service does.',
);

const writes = object({
  mode: word(['live', 'observe']),
  paused: orNull(object({ since: moment(), reason: textOrNull() }), 'The pause that holds.'),
  waiting: count('People and groups with changes that are accepted and not applied.'),
});

const trouble = z.looseObject({
  type: resourceType(),
  id: text(),
  name: text(),
  problem: serviceWords,
  since: moment(),
  nextAttemptAt: momentOrNull(),
});

const gate = object({
  kind: word(['open', 'shut']),
  since: optional(moment()),
  nextProbeAt: optional(moment()),
});

/** The first question of an operator. Names and the words of the service may be personal. */
const status = object({
  status: word(['ok', 'degraded', 'unavailable']),
  reasons: list(object({ code: text('As in docs/runbook.md.'), detail: text(), remedy: text() })),
  bridge: object(
    { version: text(), startedAt: moment(), engine: word(['sqlite', 'postgres']) },
    'The process that answers, and where its data is kept.',
  ),
  leader: orNull(
    object({
      isSelf: flag('True: the process that answers.'),
      epoch: count('Raised by each takeover.'),
      since: moment(),
    }),
    'The process that brings changes to the service; null: none does now.',
  ),
  scimUrl: text('What providers are given as the base URL.'),
  writes,
  queue: object(
    {
      isHeld: flag('Nothing is changed in the service for now.'),
      removeMs: count('For a removal of access.'),
      changeMs: count('For any other change.'),
      classes: list(
        object({
          class: word(QUEUED_CLASSES),
          waiting: count('Without what is refused or was tried in vain.'),
          endMs: countOrNull(
            'Until the last of it has had its turn, at the earliest; null: not now.',
          ),
        }),
        'What waits for its turn, in the order of the turns, at one call each.',
      ),
    },
    'How long a new change would wait for its turn, as estimated by the leader.',
  ),
  firstRead: orNull(
    reading,
    'How far the first read of the service has come; null: it is finished.',
  ),
  lastSweep: orNull(sweep, 'The newest sweep, which may run; null: there was none.'),
  drifts: list(
    object({
      kind: word(DRIFT_KINDS),
      status: word(DRIFT_STATUSES),
      count: count(),
      held: count('Those of them that a plan repairs which waits for a decision.'),
    }),
    'How many differences of what is managed there are that are not over.',
  ),
  unmanaged: count('Accounts and groups that no provider asked for.'),
  due: count('People and groups of which something is to be done.'),
  failingCount: count(),
  failing: list(trouble, 'Tried again and again in vain; the first hundred.'),
  oldestSince: momentOrNull(),
  seats,
  stuckCount: count(),
  stuck: list(trouble, 'Acknowledged, then refused or not done by the service; field by field.'),
  leavers: orNull(
    object({
      count: count(),
      since: moment('When the deactivation of the first was accepted.'),
      heldBy: leaverHold,
      plan: textOrNull('The plan that holds the first back.'),
      first: list(
        named.extend({ since: moment(), heldBy: leaverHold, plan: textOrNull() }),
        'The first ten.',
      ),
    }),
    'Who was deactivated or deleted and not seen to be out since; null: nobody.',
  ),
  disputes: list(
    object({
      type: resourceType(),
      name: text(),
      reason: text(),
      count: count(),
      firstSeenAt: moment(),
      lastSeenAt: moment(),
    }),
    'Names that only an operator can place.',
  ),
  upstream: object({
    waiting: z
      .record(z.string(), count())
      .describe('Calls that wait for their turn at the leader, by class.'),
    inFlight: count(),
    pausedForMs: count(),
    credentials: gate,
    service: gate,
  }),
  authentication: object(
    {
      failed: count(),
      sources: list(
        object({
          address: text('Or the network of an IPv6 address.'),
          attempts: count(),
          lastAt: moment(),
        }),
        'Those with the most.',
      ),
    },
    'Requests without a valid credential within ten minutes, in this process.',
  ),
  activity: object({ running: count(), waiting: count() }),
  release: orNull(
    release,
    'How far the approved plan of going live, or of recovery, has come; null: none is under way.',
  ),
});

const setting = object({
  name: text(),
  variable: text('The environment variable that sets it.'),
  value: textOrNull('As it may be written in a settings file, secrets hidden; null: not set.'),
  from: word(
    SETTING_ORIGINS,
    'Where the value comes from; `secret-file`: a file that a variable `…_FILE` names.',
  ),
  source: textOrNull('The variable or the settings file that sets it; null: the default holds.'),
});

/** The state of the bridge, and what stops and restarts its work. */
export const stateSchemas = {
  Status: status,
  Seats: seats,
  Writes: writes,
  Setting: setting,
  SettingList: listOf(setting),
  Sandbox: object({
    url: text('On the machine of the bridge.'),
    token: textOrNull('null: a reader asks.'),
  }),
  PauseBody: object({
    reason: optional(orNull(z.string().max(500)), 'Why: at most 500 characters.'),
  }),
  RetryBody: z
    .union([
      object({ name: z.string().min(1).describe('An id, a userName, an address or a name.') }),
      object({ all: z.literal(true) }),
    ])
    .describe('The body has to be {"name": "…"} or {"all": true}.'),
  Retry: object({
    count: count(),
    tried: list(
      namedResource.extend({
        name: text(),
        waits: list(
          text(),
          'The fields that wait, `members` or `admins` where people do; empty: a look.',
        ),
      }),
      'The first hundred.',
    ),
  }),
  Samples: object({
    everyMs: count('Time that each entry covers.'),
    callsMax: countOrNull('Calls that may leave in a minute; null: any number.'),
    leavers: orNull(
      object({ count: count(), p50Ms: count(), p95Ms: count(), slowestMs: count() }),
      'Time from a request that takes access away until the service holds it; null: there was none.',
    ),
    items: list(
      object({
        at: moment(),
        calls: count('Calls to the service in a minute.'),
        due: count('Users and groups of which something is to be done.'),
        drifts: count('Differences that wait for a decision, of what is managed.'),
        stuck: count('Users and groups whose acknowledged change is refused.'),
        requests: count('Requests of providers in a minute, as the log of requests keeps them.'),
        refused: count('Those of them that were refused.'),
      }),
      'The oldest first; minutes without a leader are left out.',
    ),
  }),
};
