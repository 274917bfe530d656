import { z } from 'zod';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import {
  anything,
  author,
  bodyOf,
  count,
  counts,
  type JsonOf,
  moment,
  named,
  readingProgress,
  resourceType,
  word,
} from './kinds.ts';

/** Drifts of one decision. */
const DRIFTS_MAX = 500;

/** A sweep that was asked for. */
export const sweepAsked = z.strictObject({ id: z.string() });

/** The kind of sweep that is asked for. */
export const sweepBody = bodyOf('{"dryRun": true}', {
  dryRun: z
    .boolean({ error: 'dryRun is true or false.' })
    .optional()
    .describe('Nothing is to follow from what it finds.'),
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
  progress: readingProgress
    .nullable()
    .describe('How far a sweep has read the service; null: it waits, compares, or has ended.'),
});
/** A sweep as an operator is shown it. */
export type SweepView = JsonOf<typeof sweep>;

/** One difference between what is desired and what the service holds. */
export const drift = z.strictObject({
  id: z.string(),
  kind: z.enum(DRIFT_KINDS),
  status: z.enum(DRIFT_STATUSES),
  resource: named.extend({ type: resourceType() }),
  member: named.nullable().describe('Of whom in a group it is.'),
  desired: anything(),
  observed: anything(),
  who: author
    .extend({ at: moment() })
    .nullable()
    .describe('Who brought it about; null: the audit log does not say.'),
  message: z.string().nullable().describe('The words of the audit log.'),
  firstSeen: moment(),
  lastSeen: moment(),
  detector: word(['audit', 'sweep', 'discovery', 'operator']).describe('What found it.'),
  planId: z.string().nullable().describe('The plan that repairs it, or that waits to do so.'),
  note: z
    .strictObject({
      text: z.string(),
      by: z.string().nullable(),
      until: moment().nullable(),
    })
    .nullable()
    .describe(
      'Why it is not repaired: somebody is protected, a new account lacks an address, or an operator said so.',
    ),
});
/** A drift as an operator is shown it. Names are personal. */
export type DriftAnswer = JsonOf<typeof drift>;

/** One account or group of the service that no provider asked for. */
export const unmanaged = drift.extend({
  privileged: z
    .string()
    .nullable()
    .describe('Why it is not taken over with others; null: it is ordinary, as far as is known.'),
});
/** An unmanaged account or group as an operator is shown it. Names are personal. */
export type UnmanagedAnswer = JsonOf<typeof unmanaged>;

const IGNORING = '{"until": "2027-01-31T00:00:00Z", "reason": "…", "by": "…"}';
const error = `The body has to be ${IGNORING}: until when, why, and who says so, if it is somebody else.`;
const isWritten = (text: string) => text.trim() !== '';

/** The term of an ignored drift, its reason, and who says so. */
export const ignoreBody = bodyOf(IGNORING, {
  until: z
    .string({ error })
    .refine((text) => Number.isFinite(Date.parse(text)), { error })
    .describe('A date, or a moment, that is still to come.'),
  reason: z.string({ error }).max(500, { error }).refine(isWritten, { error }),
  by: z
    .string({ error })
    .max(500, { error })
    .refine(isWritten, { error })
    .optional()
    .describe('Who says so; the name of the credential when left out.'),
});

/** The effect of a decision about a drift. */
export const driftDecision = z.strictObject({
  id: z.string(),
  planId: z.string().optional().describe('The plan that repairs it.'),
});

const MANY = '{"decision": "repair", "ids": ["…"], "dryRun": true}';
const manyError = `The body has to be ${MANY}, with 1 to 500 ids; repair may have a hash, adopt a provider, ignore has until and reason.`;

/** One decision about many drifts. */
export const driftsBody = z.discriminatedUnion(
  'decision',
  [
    toBody('repair', {
      hash: text().describe(
        'What a dry run told: exactly that plan is approved, also above the limits. Without it a plan above the limits is refused.',
      ),
    }),
    toBody('accept', {}),
    toBody('adopt', {
      provider: text().describe(
        'The provider whose they are from then on; `default` when left out.',
      ),
    }),
    toBody('ignore', ignoreBody.shape),
  ],
  { error: manyError },
);

function text() {
  return z.string({ error: manyError }).optional();
}

function toBody<const Word extends string, const More extends z.core.$ZodLooseShape>(
  decision: Word,
  more: More,
) {
  const error = manyError;
  const ids = z.array(z.string({ error }), { error }).min(1, { error }).max(DRIFTS_MAX, { error });
  const dryRun = z.boolean({ error }).optional();
  return z.strictObject(
    {
      ...{ decision: z.literal(decision), ids },
      dryRun: dryRun.describe('Tells what would be done, and does nothing.'),
      ...more,
    },
    { error },
  );
}

/** The effect of one decision about many drifts. */
export const driftsDecided = z.strictObject({
  dryRun: z.boolean().describe('Nothing was done.'),
  done: count().describe('Drifts that were decided, or would be.'),
  refused: z
    .array(
      z.strictObject({
        id: z.string(),
        code: word(['unknown', 'not-open', 'not-possible']),
        reason: z.string().describe('A sentence.'),
      }),
    )
    .describe('The others: there is none, it is over or being repaired, or it cannot be done.'),
  plan: z
    .strictObject({
      id: z.string().nullable().describe('null: it was not made.'),
      hash: z.string().describe('What the decision is given to mean exactly this plan.'),
      counts: z.strictObject({ total: count(), kinds: counts(), harm: counts() }),
      exceeded: z.array(z.string()).describe('Limits that it exceeds.'),
    })
    .nullable()
    .describe('The plan that repairs them all; null: nothing is repaired.'),
});
/** The effect of one decision about many drifts as an operator is shown it. */
export type DriftsDecided = JsonOf<typeof driftsDecided>;

const LOOK = '{"repair": true}';

/** The extent of a look. */
export const lookBody = bodyOf(LOOK, {
  repair: z
    .boolean({ error: `The body may be ${LOOK}, and nothing else.` })
    .optional()
    .describe(
      'Also repairs what differs, within the limits, and never what is unmanaged or protected.',
    ),
});

/** The result of a look at one user or group. */
export const look = z.strictObject({
  type: resourceType(),
  id: z.string(),
  at: moment(),
  gone: z.boolean().describe('The service has no such account or group.'),
  calls: count().describe('Calls of the service that it took: at most 3, and no admin list.'),
  differences: z.array(
    z.strictObject({
      id: z.string().describe('The id of the drift.'),
      kind: z.enum(DRIFT_KINDS),
      status: z.enum(DRIFT_STATUSES),
      member: named.nullable().describe('Of whom in a group it is.'),
      desired: anything(),
      observed: anything(),
      note: z.string().nullable().describe('Why it is not repaired.'),
    }),
  ),
  repair: z
    .strictObject({
      planId: z.string().nullable().describe('The plan that repairs it; null: none was made.'),
      exceeded: z.array(z.string()).describe('Limits that the repair would exceed.'),
    })
    .nullable()
    .describe('null: nothing was to be repaired.'),
  unfinished: z
    .boolean()
    .describe('Something of it waits, is stuck or is held, which is none of the differences.'),
});
/** The result of a look as an operator is shown it. Names are personal. */
export type LookAnswer = JsonOf<typeof look>;
