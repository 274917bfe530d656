import { z } from 'zod';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import { QUEUED_CLASSES } from '../../store/resources/backlog.ts';
import { sweep } from './drift.ts';
import {
  bodyOf,
  count,
  type JsonOf,
  moment,
  named,
  readingProgress,
  releaseProgress,
  resourceType,
  serviceWords,
  word,
} from './kinds.ts';
import { seats } from './seats.ts';

/** Decisions of an operator that keep a leaver in. */
const leaverHold = word(['plan', 'observe-mode', 'writes-paused']);

const reason = z.strictObject({
  code: z.string().describe('As in docs/runbook.md.'),
  detail: z.string(),
  remedy: z.string(),
});

/** The mode, the pause and the changes that wait. */
export const writes = z.strictObject({
  mode: word(['live', 'observe']),
  paused: z
    .strictObject({ since: moment(), reason: z.string().nullable() })
    .nullable()
    .describe('The pause that holds.'),
  waiting: count().describe('People and groups with changes that are accepted and not applied.'),
});
/** The mode and the pause as an operator is shown them. */
export type WritesView = JsonOf<typeof writes>;

const PAUSE = '{"reason": "…"} with at most 500 characters';
const error = `The body may be ${PAUSE}, and nothing else.`;

/** The reason of a pause. */
export const pauseBody = bodyOf(PAUSE, {
  reason: z.string({ error }).max(500, { error }).nullable().optional(),
});

const trouble = z.looseObject({
  type: resourceType(),
  id: z.string(),
  name: z.string(),
  problem: serviceWords,
  since: moment(),
  nextAttemptAt: moment().nullable(),
});

const dispute = z.strictObject({
  type: resourceType(),
  name: z.string(),
  reason: z.string(),
  count: count(),
  firstSeenAt: moment(),
  lastSeenAt: moment(),
});

const gate = z.strictObject({
  kind: word(['open', 'shut']),
  since: moment().optional(),
  nextProbeAt: moment().optional(),
});

const leader = z
  .strictObject({
    isSelf: z.boolean().describe('True: the process that answers.'),
    epoch: count().describe('Raised by each takeover.'),
    since: moment(),
  })
  .nullable()
  .describe('The process that brings changes to the service; null: none does now.');

/** The state of the bridge: the first question of an operator. Names and the words of the service may be personal. */
export const status = z.strictObject({
  status: word(['ok', 'degraded', 'unavailable']),
  reasons: z.array(reason),
  bridge: z
    .strictObject({
      version: z.string(),
      startedAt: moment(),
      engine: word(['sqlite', 'postgres']),
    })
    .describe('The process that answers, and where its data is kept.'),
  leader,
  scimUrl: z.string().describe('What providers are given as the base URL.'),
  writes,
  queue: z
    .strictObject({
      isHeld: z.boolean().describe('Nothing is changed in the service for now.'),
      removeMs: count().describe('For a removal of access.'),
      changeMs: count().describe('For any other change.'),
      classes: z
        .array(
          z.strictObject({
            class: word(QUEUED_CLASSES),
            waiting: count().describe('Without what is refused or was tried in vain.'),
            endMs: count()
              .nullable()
              .describe('Until the last of it has had its turn, at the earliest; null: not now.'),
          }),
        )
        .describe('What waits for its turn, in the order of the turns, at one call each.'),
    })
    .describe('How long a new change would wait for its turn, as estimated by the leader.'),
  firstRead: readingProgress
    .nullable()
    .describe('How far the first read of the service has come; null: it is finished.'),
  lastSweep: sweep.nullable().describe('The newest sweep, which may run; null: there was none.'),
  drifts: z
    .array(
      z.strictObject({
        kind: z.enum(DRIFT_KINDS),
        status: z.enum(DRIFT_STATUSES),
        count: count(),
        held: count().describe('Those of them that a plan repairs which waits for a decision.'),
      }),
    )
    .describe('How many differences of what is managed there are that are not over.'),
  unmanaged: count().describe('Accounts and groups that no provider asked for.'),
  due: count().describe('People and groups of which something is to be done.'),
  failingCount: count(),
  failing: z.array(trouble).describe('Tried again and again in vain; the first hundred.'),
  oldestSince: moment().nullable(),
  seats: seats.describe('Seats (licences) of the service.'),
  stuckCount: count(),
  stuck: z
    .array(trouble)
    .describe('Acknowledged, then refused or not done by the service; field by field.'),
  leavers: z
    .strictObject({
      count: count(),
      since: moment().describe('When the deactivation of the first was accepted.'),
      heldBy: leaverHold
        .nullable()
        .describe('The decision of an operator that keeps the first in; null: the service does.'),
      plan: z.string().nullable().describe('The plan that holds the first back.'),
      first: z
        .array(
          named.extend({
            since: moment(),
            heldBy: leaverHold.nullable(),
            plan: z.string().nullable(),
          }),
        )
        .describe('The first ten.'),
    })
    .nullable()
    .describe('Who was deactivated or deleted and not seen to be out since; null: nobody.'),
  disputes: z.array(dispute).describe('Names that only an operator can place.'),
  upstream: z.strictObject({
    waiting: z
      .record(z.string(), count())
      .describe('Calls that wait for their turn at the leader, by class.'),
    inFlight: count(),
    pausedForMs: count(),
    credentials: gate,
    service: gate,
  }),
  authentication: z
    .strictObject({
      failed: count(),
      sources: z
        .array(
          z.strictObject({
            address: z.string().describe('Or the network of an IPv6 address.'),
            attempts: count(),
            lastAt: moment(),
          }),
        )
        .describe('Those with the most.'),
    })
    .describe('Requests without a valid credential within ten minutes, in this process.'),
  activity: z.strictObject({ running: count(), waiting: count() }),
  release: releaseProgress
    .nullable()
    .describe(
      'How far the approved plan of going live, or of recovery, has come; null: none is under way.',
    ),
});
/** The state of the bridge as an operator is shown it. */
export type Status = JsonOf<typeof status>;

/** Resources to be tried now. */
export const retryBody = z.union(
  [
    z.strictObject({
      name: z.string().min(1).describe('An id, a userName, an address or a name.'),
    }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: 'The body has to be {"name": "…"} or {"all": true}.' },
);

/** Resources that are tried now. */
export const retry = z.strictObject({
  count: count(),
  tried: z
    .array(
      z.strictObject({
        type: resourceType(),
        id: z.string(),
        name: z.string(),
        waits: z
          .array(z.string())
          .describe('The fields that wait, `members` or `admins` where people do; empty: a look.'),
      }),
    )
    .describe('The first hundred.'),
});
/** Answer about the resources that are tried now. */
export type RetryAnswer = JsonOf<typeof retry>;
