import { z } from 'zod';
import type { ErasureObstacle } from '../../domain/erasure.ts';
import { TRACES } from '../../store/erasure.ts';
import type { GroupItem, UserItem } from '../resources/items.ts';
import { anything, count, moment, resourceType, serviceWords, word } from './kinds.ts';

const resource = {
  id: z.string().describe('The SCIM id.'),
  name: z.string().describe('The userName, or the displayName of a group.'),
  origin: word(['created', 'adopted']).nullable().describe('null: it is only observed.'),
  deleted: z.boolean(),
  version: count().describe('The ETag, as a number.'),
  createdAt: moment(),
  modifiedAt: moment(),
  seenAt: moment().nullable().describe('When the service was last seen to hold it.'),
  pending: z.array(z.string()).describe('What the service does not hold yet.'),
  bridgeOnly: z.array(z.string()).describe('What only the bridge keeps.'),
  dueAt: moment().nullable().describe('When something is done next.'),
  attempts: count().describe('Attempts in a row that failed.'),
  problem: serviceWords.nullable().describe('Why the last one failed.'),
  stuckSince: moment().nullable().describe('Since when something acknowledged is refused.'),
  drifts: count().describe('Differences in the service that nobody asked for.'),
  disputed: z.boolean(),
};

/** One person. */
export const userItem = z.strictObject({
  ...resource,
  upstreamId: z.int().nullable().describe('The id of the account.'),
  active: z.strictObject({
    desired: z.boolean().nullable().describe('null: not ours to say.'),
    observed: z.boolean().nullable().describe('null: unknown.'),
  }),
}) satisfies z.ZodType<UserItem>;

/** One group. */
export const groupItem = z.strictObject({
  ...resource,
  upstreamIds: z.strictObject({
    scimId: z.string().nullable(),
    restId: z.int().nullable(),
    uid: z.string().nullable(),
  }),
}) satisfies z.ZodType<GroupItem>;

/** What a takeover is told. */
export const adoptBody = z.strictObject({
  privileged: z
    .boolean()
    .optional()
    .describe('Also an owner, somebody protected, a group with permissions or admins.'),
});

const standing = word([
  'settled',
  'pending',
  'stuck',
  'drifted',
  'bridge only',
  'unknown',
  'not ours',
]);

const link = z.strictObject({
  id: z.string(),
  name: z.string(),
  desired: z.boolean().nullable(),
  observed: z.boolean().nullable(),
  from: z.string().nullable(),
  standing,
});

/** Why each field is as it is. */
export const explanation = z.strictObject({
  type: resourceType(),
  id: z.string(),
  name: z.string(),
  upstream: z.string().nullable(),
  managed: word(['created', 'adopted', 'no']),
  deleted: z.boolean(),
  version: count(),
  seen: z.strictObject({ at: moment(), by: z.string() }).nullable(),
  dueAt: moment().nullable(),
  problem: serviceWords.nullable(),
  fields: z.array(
    z.strictObject({
      field: z.string(),
      desired: anything(),
      observed: anything(),
      from: z.string().nullable().describe('`provider`, a rule with its text, or `service`.'),
      standing,
      note: z.string().optional(),
    }),
  ),
  groups: z.array(link).optional().describe('Of a person.'),
  members: z
    .strictObject({ desired: count(), observed: count(), pending: count() })
    .optional()
    .describe('Of a group.'),
  admins: z.array(link).optional().describe('Of a group.'),
  more: count().describe('Groups or admins beyond those that are listed.'),
});

const OBSTACLES = [
  'managed',
  'in-service',
  'active',
  'pending',
  'held',
  'drifting',
  'recent',
  'erased',
] as const satisfies readonly ErasureObstacle[];

/** What erasing somebody comes to. */
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
  counts: z
    .strictObject(Object.fromEntries(TRACES.map((kind) => [kind, count()])))
    .describe('Rows beside the person that say something of them, by kind.'),
});
