import { z } from 'zod';
import { CHANGE_KINDS } from '../../domain/change.ts';
import {
  anything,
  bodyOf,
  count,
  counts,
  type JsonOf,
  listOf,
  moment,
  readingProgress,
  releaseProgress,
  resourceType,
  word,
} from './kinds.ts';
import { planSeats } from './seats.ts';

const unexplained = {
  events: count().describe('Changes by our own account that the bridge does not know.'),
  lastEventAt: count().describe('When the last of them happened, in epoch milliseconds.'),
};

/** The state of recovery. */
export const recovery = z.strictObject({
  phase: word(['none', 'requested', 'reading', 'waiting']),
  detection: z
    .union([
      z.strictObject({ kind: z.literal('current') }),
      z.strictObject({ kind: z.literal('stale'), ...unexplained }),
      z.strictObject({ kind: z.literal('unknown'), code: z.string() }),
    ])
    .nullable()
    .describe('What the audit log told at the last start; null: it was not asked.'),
  since: moment().nullable(),
  reason: z
    .union([
      z.strictObject({ code: word(['restored', 'first-run']) }),
      z.strictObject({ code: z.literal('audit'), ...unexplained }),
    ])
    .nullable(),
  planId: z.string().nullable().describe('The plan that is made, or waits.'),
  reading: readingProgress
    .nullable()
    .describe('How far the service is read for the plan; null: it is not read now.'),
  release: releaseProgress
    .nullable()
    .describe('Of the plan that was approved last, until it is done.'),
});
/** The state of recovery as an operator is shown it. */
export type RecoveryView = JsonOf<typeof recovery>;

const HASH = '{"hash": "…"}';

/** The plan that a decision is about. */
export const hashBody = bodyOf(HASH, { hash: z.string({ error: `The body has to be ${HASH}.` }) });

/**
 * Outcomes of a user or group before the bridge changes the service.
 * - `adopt`: it matches an account or group that exists, which is taken over
 * - `linked`: it belongs to one that the bridge made or took over before
 * - `create`: it matches none, and would be made
 * - `inactive`: it matches none, and would be made once it is active
 * - `remove`: its provider deleted it
 * - `disputed`: it matches several, or waits for an operator; its provider is answered 409
 * - `privileged`: it exists and is never taken over by itself; its provider is answered 409 or 403
 */
const FIRST_RUN_OUTCOMES = [
  'adopt',
  'linked',
  'create',
  'inactive',
  'remove',
  'disputed',
  'privileged',
] as const;
/** One of these outcomes. */
export type FirstRunOutcome = (typeof FIRST_RUN_OUTCOMES)[number];

const firstRunItem = z.strictObject({
  type: resourceType(),
  id: z.string().nullable().describe('The SCIM id; null where nobody has one yet.'),
  name: z.string(),
  outcome: z.enum(FIRST_RUN_OUTCOMES).describe('As in docs/go-live.md.'),
  upstreamId: z.string().nullable().describe('The id in the service.'),
  reason: z.string().nullable().describe('Why it is disputed or privileged.'),
  changes: z
    .array(
      z.strictObject({
        kind: z.enum(CHANGE_KINDS),
        count: count().describe('Of people in a group, or of its spaces and documents.'),
        desired: anything().describe('What the service is to hold; null: see `count`.'),
        observed: anything().describe('What it was seen to hold.'),
      }),
    )
    .describe('What was asked for and the service does not hold, beside what `outcome` says.'),
});
/** One user or group before the bridge is live. Names are personal. */
export type FirstRunItem = JsonOf<typeof firstRunItem>;

/**
 * A preview of the first run. `observing`: nothing is changed and nothing planned; `reading`, `waiting`: what was
 * accepted while observing is held, as in recovery; `none`: neither.
 */
export const firstRun = listOf(firstRunItem).extend({
  phase: word(['none', 'observing', 'reading', 'waiting']),
  planId: z.string().nullable().describe('The plan that is made, or waits.'),
  reading: readingProgress.nullable().describe('How far the service is read for the plan.'),
  release: releaseProgress.nullable().describe('Of the approved plan, until it is done.'),
  counts: counts().nullable().describe('Of all entries by `type.outcome`; null on later pages.'),
  kinds: counts().nullable().describe('Of the changes of all entries; null on later pages.'),
  seats: planSeats.nullable().describe('Of all entries; null on later pages.'),
});
/** A page of the preview of the first run. */
export type FirstRunView = JsonOf<typeof firstRun>;
