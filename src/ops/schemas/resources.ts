import { z } from 'zod';
import { OBSTACLES } from '../../domain/erasure.ts';
import {
  anything,
  bodyOf,
  count,
  type JsonOf,
  moment,
  named,
  resourceType,
  serviceWords,
  word,
} from './kinds.ts';
import { handling } from './providers.ts';

const owner = () =>
  z.string().nullable().describe('The provider whose it is; null: it is only observed.');

const resource = {
  id: z.string().describe('The SCIM id.'),
  name: z.string().describe('The userName, or the displayName of a group.'),
  origin: word(['created', 'adopted']).nullable().describe('null: it is only observed.'),
  provider: owner(),
  deleted: z.boolean(),
  version: count().describe('The ETag, as a number.'),
  createdAt: moment(),
  modifiedAt: moment(),
  seenAt: moment().nullable().describe('When it was last seen to change, or was looked at.'),
  pending: z.array(z.string()).describe('What the service does not hold yet.'),
  bridgeOnly: z.array(z.string()).describe('What only the bridge keeps.'),
  dueAt: moment().nullable().describe('When something is done next.'),
  attempts: count().describe('Attempts in a row that failed.'),
  problem: serviceWords.nullable().describe('Why the last one failed.'),
  stuckSince: moment().nullable().describe('Since when something acknowledged is refused.'),
  drifts: count().describe('Differences in the service that nobody asked for.'),
  disputed: z.boolean(),
};

/** One user. */
export const userItem = z.strictObject({
  ...resource,
  upstreamId: z.int().nullable().describe('The id of the account.'),
  active: z.strictObject({
    desired: z.boolean().nullable().describe('null: not ours to say.'),
    observed: z.boolean().nullable().describe('null: unknown.'),
  }),
});
/** A user as an operator is shown it. */
export type UserItem = JsonOf<typeof userItem>;

/** One group. */
export const groupItem = z.strictObject({
  ...resource,
  upstreamIds: z.strictObject({
    scimId: z.string().nullable(),
    restId: z.int().nullable(),
    uid: z.string().nullable(),
  }),
});
/** A group as an operator is shown it. */
export type GroupItem = JsonOf<typeof groupItem>;

const ADOPT = '{"privileged": true, "provider": "…"}';

/** The extent of a takeover. */
export const adoptBody = bodyOf(ADOPT, {
  privileged: z
    .boolean({ error: `The body may be ${ADOPT}, and nothing else.` })
    .optional()
    .describe('Also an owner, somebody protected, a group with permissions or admins.'),
  provider: z
    .string({ error: `The body may be ${ADOPT}, and nothing else.` })
    .optional()
    .describe('The provider whose it is from then on; `default` when left out.'),
});

/**
 * States of a field: `settled` (the service holds it), `pending`, `stuck` (the service refused it after it was
 * acknowledged), `drifted` (changed in the service), `held` (differs, and waits in a plan),
 * `bridge only` (the service cannot hold it), `unknown` (not seen yet),
 * `not ours` (never set, or the resource is not managed).
 */
export const STANDINGS = [
  'settled',
  'pending',
  'stuck',
  'drifted',
  'held',
  'bridge only',
  'unknown',
  'not ours',
] as const;
const standing = word(STANDINGS);

/** The state of a field. */
export type FieldStanding = JsonOf<typeof standing>;

/** One group of a user, one member or one admin of a group. */
export const link = z.strictObject({
  id: z.string(),
  name: z.string(),
  desired: z.boolean().nullable(),
  observed: z.boolean().nullable(),
  from: z.string().nullable(),
  standing,
});

/** A link as an operator is shown it. */
export type ExplainedLink = JsonOf<typeof link>;

const field = z.strictObject({
  field: z.string(),
  desired: anything(),
  observed: anything(),
  from: z.string().nullable().describe('`provider`, a rule with its text, or `service`.'),
  standing,
  note: z.string().optional(),
});
/** One field of a user or group. Null: nothing is wanted, or it was not seen. */
export type ExplainedField = JsonOf<typeof field>;

/** The fields of a user or group, with the reason of each. */
export const explanation = z.strictObject({
  type: resourceType(),
  id: z.string(),
  name: z.string(),
  upstream: z.string().nullable(),
  managed: word(['created', 'adopted', 'no']),
  provider: owner(),
  handling: handling.nullable().describe('How requests of its provider are taken.'),
  deleted: z.boolean(),
  version: count(),
  seen: z.strictObject({ at: moment(), by: z.string() }).nullable(),
  dueAt: moment().nullable(),
  problem: serviceWords.nullable(),
  fields: z.array(field),
  groups: z.array(link).optional().describe('Of a person.'),
  members: z
    .strictObject({
      desired: count(),
      observed: count(),
      pending: count().describe('Those that wait, the stuck among them.'),
      stuck: count().describe('Those that the service refuses.'),
      differing: count().describe('Those that differ in the service, while nothing waits.'),
    })
    .optional()
    .describe('Of a group.'),
  admins: z.array(link).optional().describe('Of a group.'),
  more: count().describe('Groups or admins beyond those that are listed.'),
});
/** A user or group with the reason of each of its fields. Names may be personal. */
export type Explanation = JsonOf<typeof explanation>;

const happening = z.strictObject({
  at: moment(),
  source: word(['provider', 'operator', 'bridge', 'audit', 'outage', 'seen', 'drift']),
  text: z.string().describe('What happened, a short sentence.'),
  others: z.array(named).describe('The groups of a person, the people of a group.'),
  detail: z
    .record(z.string(), anything())
    .describe('The same for programs; what is in it follows from the source.'),
});
/** One thing that happened to a user or group. */
export type TimelineItem = JsonOf<typeof happening>;

/** The past of a user or group, the oldest first. */
export const timeline = z.strictObject({
  type: resourceType(),
  id: z.string(),
  name: z.string(),
  managed: word(['created', 'adopted', 'no']),
  deleted: z.boolean(),
  items: z.array(happening),
  more: z.boolean().describe('There is more before the first of them.'),
});
/** The past of a user or group. Names are personal. */
export type Timeline = JsonOf<typeof timeline>;

/** The effect of an erasure, or what it waits for. */
export const erasure = z.strictObject({
  id: z.string().describe('The SCIM id.'),
  userName: z.string().describe('`erased` when it was done before.'),
  account: z.int().nullable().describe('The id in the service.'),
  deleted: z.boolean(),
  staysHidden: z
    .boolean()
    .describe(
      'A tombstone of ids alone stays, so that no list of the service brings the person back.',
    ),
  obstacles: z
    .array(z.strictObject({ code: word(OBSTACLES), detail: z.string() }))
    .describe('What has to be done first; nothing is erased while there is anything.'),
  rows: count()
    .nullable()
    .describe('Rows beside the person that said something of them; null: nothing was erased.'),
});
/** The effect of an erasure as an operator is shown it. */
export type ErasureAnswer = JsonOf<typeof erasure>;
