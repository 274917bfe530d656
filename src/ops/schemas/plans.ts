import { z } from 'zod';
import { CHANGE_KINDS } from '../../domain/change.ts';
import { HARM_KINDS } from '../../domain/harm.ts';
import { PLAN_SOURCES, PLAN_STATUSES } from '../../domain/plan.ts';
import {
  anything,
  count,
  counts,
  type JsonOf,
  moment,
  named,
  resourceType,
  word,
} from './kinds.ts';
import { planSeats } from './seats.ts';

/** A plan without its actions. */
export const planSummary = z.strictObject({
  id: z.string(),
  hash: z.string().describe('What `approve` is to be given.'),
  status: z.enum(PLAN_STATUSES),
  source: z.enum(PLAN_SOURCES),
  reason: z.string().nullable().describe('Why it waits, or why nothing of it is done.'),
  counts: z.strictObject({ total: count(), kinds: counts(), harm: counts() }),
  undoes: z.string().nullable().describe('The plan that this one undoes.'),
  createdAt: moment(),
  decidedAt: moment().nullable(),
  decidedBy: z
    .string()
    .nullable()
    .describe('The name of the credential of an operator; null: nobody was asked.'),
  endedAt: moment().nullable(),
});
/** A plan in a list. */
export type PlanSummary = JsonOf<typeof planSummary>;

/** One action of a plan. */
export const planAction = z.strictObject({
  kind: z.enum(CHANGE_KINDS),
  resource: named.extend({ type: resourceType() }),
  member: named.nullable(),
  observed: anything().describe('What the service was seen to hold.'),
  desired: anything().describe('What it is to hold.'),
  harm: z.enum(HARM_KINDS).nullable(),
  status: word(['planned', 'released', 'done', 'dropped']),
  reason: z.string(),
  who: z
    .strictObject({ by: z.string(), at: moment() })
    .nullable()
    .describe(
      'In a plan of removals by providers: the credential of the request. Else the author of the difference, by the audit log. Null: not known.',
    ),
});
/** One action of a plan. Names are personal. */
export type PlanActionAnswer = JsonOf<typeof planAction>;

/** A number of actions of a plan that are alike. */
export const planPart = z.strictObject({
  group: z.string().nullable().describe('The SCIM id of the group; null: of users.'),
  kind: z.enum(CHANGE_KINDS),
  by: z.string().nullable().describe('As `who.by` of the actions.'),
  count: count().describe('As it was a minute ago at most.'),
});
/** A number of actions of a plan that are alike. */
export type PlanPart = JsonOf<typeof planPart>;

/** A plan with its first actions. */
export const plan = planSummary.extend({
  waiting: count().describe('Actions of which nothing was done yet.'),
  done: count().describe('Actions that were done.'),
  dropped: count().describe(
    'Actions that dropped out: they did not hold any more, or somebody is protected.',
  ),
  seats: planSeats
    .nullable()
    .describe('Of the whole plan while it waits for a decision; null: it does not.'),
  summary: z
    .array(
      z.strictObject({
        kind: z.enum(CHANGE_KINDS),
        by: z.string().nullable(),
        count: count(),
      }),
    )
    .describe(
      'How many actions there are of each kind and author, the most first; of more than 200, as they were known a minute ago at most.',
    ),
  actions: z.array(planAction).describe('The first 200.'),
});
/** A plan as an operator is shown it. */
export type PlanAnswer = JsonOf<typeof plan>;

/** The plan that undoes another. */
export const undoing = plan.extend({
  leftOut: count().describe('Actions that cannot be undone.'),
});

/** Preview of the undoing of a plan. */
export const undoPreview = z.strictObject({
  counts: z.strictObject({ total: count(), kinds: counts(), harm: counts() }),
  leftOut: count().describe('Actions that cannot be undone.'),
});
