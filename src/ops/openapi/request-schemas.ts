import { z } from 'zod';
import type { RequestView } from '../requests/router.ts';
import { count, moment, resourceType, word } from './kinds.ts';

/** One request of a provider, or one operation of a bulk request. */
export const keptRequest = z.strictObject({
  at: moment(),
  requestId: z.string(),
  method: z.string(),
  route: z.string().describe('Its pattern; `none`: nothing is served there.'),
  resource: z
    .strictObject({ type: resourceType(), id: z.string() })
    .nullable()
    .describe('null: it was for none, or made none.'),
  written: z.array(
    z.strictObject({
      op: word(['set', 'add', 'replace', 'remove']),
      path: z.string(),
      values: count().describe('How many, never which.'),
    }),
  ),
  status: z.int(),
  scimType: z.string().nullable(),
  durationMs: z.number().min(0),
  client: z.string().nullable(),
  credential: z
    .string()
    .describe(
      'Whose it was: `settings-1` is the first of `scim.tokens`, then `token-…`, `client-…`.',
    ),
}) satisfies z.ZodType<RequestView>;
