import { z } from 'zod';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import type { DriftAnswer, SweepView } from '../sweeps-router.ts';
import { anything, count, counts, moment, named, resourceType, word } from './kinds.ts';

/** A sweep that was asked for. */
export const sweepAsked = z.strictObject({ id: z.string() });

/** What a sweep is told. */
export const sweepBody = z.strictObject({
  dryRun: z.boolean().optional().describe('Nothing is to follow from what it finds.'),
});

/** One comparison of the service with the store. */
export const sweep = z.strictObject({
  id: z.string(),
  status: word(['running', 'complete', 'incomplete', 'held']),
  dryRun: z.boolean().describe('Nothing followed from what it found.'),
  planId: z.string().nullable().describe('The plan that was made of what it found.'),
  startedAt: moment(),
  endedAt: moment().nullable(),
  admins: z.boolean().describe('Whether it reads the admin lists too.'),
  calls: count(),
  counts: counts(),
  reasons: z.array(z.string()).describe('What was not concluded, and why.'),
}) satisfies z.ZodType<Omit<SweepView, 'counts'>>;

/** One difference between what is desired and what the service holds. */
export const drift = z.strictObject({
  id: z.string(),
  kind: z.enum(DRIFT_KINDS),
  status: z.enum(DRIFT_STATUSES),
  resource: named.extend({ type: resourceType() }),
  member: named.nullable().describe('Of whom in a group it is.'),
  desired: anything(),
  observed: anything(),
  who: z
    .strictObject({
      id: z.int().nullable(),
      username: z.string().nullable(),
      address: z.string().nullable(),
      at: moment(),
    })
    .nullable()
    .describe('Who brought it about; null: the audit log does not say.'),
  message: z.string().nullable().describe('The words of the audit log.'),
  firstSeen: moment(),
  lastSeen: moment(),
  detector: word(['tail', 'sweep', 'discovery']).describe('What found it.'),
  planId: z.string().nullable().describe('The plan that repairs it, or that waits to do so.'),
  note: z
    .strictObject({
      text: z.string(),
      by: z.string().nullable(),
      until: moment().nullable(),
    })
    .nullable()
    .describe('Why it is not repaired: somebody is protected, or an operator said so.'),
}) satisfies z.ZodType<DriftAnswer>;

/** Until when a drift is left alone, why, and who says so. */
export const ignoreBody = z.strictObject({
  until: z.string().describe('A date, or a moment.'),
  reason: z.string().max(500),
  by: z
    .string()
    .max(500)
    .optional()
    .describe('Who says so; the name of the credential when left out.'),
});

/** What became of a decision about a drift. */
export const driftDecision = z.strictObject({
  id: z.string(),
  planId: z.string().optional().describe('The plan that repairs it.'),
});
