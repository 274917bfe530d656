import { z } from 'zod';
import { FIRST_RUN_OUTCOMES } from '../first-run/judge.ts';
import type { FirstRunView } from '../first-run/view.ts';
import { count, counts, listOf, moment, resourceType, word } from './kinds.ts';

const heldPlan = z.strictObject({
  hash: z.string().describe('What `approve` and `discard` are to be given.'),
  readSince: moment().describe('When the complete read that it rests on began.'),
  total: count(),
  kinds: counts().describe('How many changes of each kind, as in docs/recovery.md.'),
  actions: z
    .array(
      z.strictObject({
        kind: z.string(),
        type: resourceType(),
        id: z.string(),
        name: z.string().nullable(),
        memberId: z.string().nullable(),
        memberName: z.string().nullable(),
      }),
    )
    .describe('The first 200.'),
});

/** Where recovery stands. */
export const recovery = z.strictObject({
  phase: word(['none', 'requested', 'reading', 'waiting', 'releasing']),
  detection: z
    .looseObject({ kind: word(['current', 'stale', 'unknown']) })
    .nullable()
    .describe('What the audit log told at the last start; null: it was not asked.'),
  since: moment().nullable(),
  reason: z.looseObject({ code: word(['restored', 'first-run', 'audit']) }).nullable(),
  plan: heldPlan.nullable(),
});

/** What became of a decision. */
export const decision = z.strictObject({
  released: count().describe('Changes that wait for the service now.'),
  dropped: count().describe('Changes that are not done.'),
});

/** What a decision is about. */
export const hashBody = z.strictObject({ hash: z.string() });

const firstRunItem = z.strictObject({
  type: resourceType(),
  id: z.string().nullable().describe('The SCIM id; null where nobody has one yet.'),
  name: z.string(),
  outcome: z.enum(FIRST_RUN_OUTCOMES).describe('As in docs/observe.md.'),
  upstreamId: z.string().nullable().describe('The id in the service.'),
  reason: z.string().nullable().describe('Why it is disputed or privileged.'),
});

/** What the first day would bring. */
export const firstRun = listOf(firstRunItem).extend({
  phase: word(['none', 'observing', 'reading', 'waiting', 'releasing']),
  plan: heldPlan.nullable(),
  counts: counts().nullable().describe('Of all entries by `type.outcome`; null on later pages.'),
}) satisfies z.ZodType<Omit<FirstRunView, 'plan'>>;
