import { z } from 'zod';
import type { ApiFailure } from '../api/failure.ts';
import { anything, count, word } from './kinds.ts';

/** The arguments of an operation. */
export const callBody = z.strictObject({
  path: z.record(z.string(), anything()).optional(),
  query: z.record(z.string(), anything()).optional(),
  body: anything().optional(),
  everything: z
    .literal(true)
    .optional()
    .describe('Needed where an operation without any condition would change all there is.'),
  files: z.record(z.string(), anything()).optional().describe('As base64; see docs/api.md.'),
});

/** What the service answered. */
export const callResult = z.strictObject({ result: anything() });

/** Why a call of the service failed. */
export const callFailure = z.strictObject({
  code: z.string().describe('As in docs/errors.md.'),
  message: z.string(),
  operation: z.string(),
  status: z.int().nullable().describe('Of the answer of the service; null: there was none.'),
  retry: word(['later', 'never']),
  outcome: word(['not-sent', 'unknown', 'answered']),
  requestId: z.string().nullable(),
  retryAfterMs: count().nullable(),
  answer: anything().describe('The answer of the service; may be personal.'),
}) satisfies z.ZodType<ApiFailure>;
