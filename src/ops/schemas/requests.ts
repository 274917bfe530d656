import { z } from 'zod';
import { anything, count, type JsonOf, moment, resourceType, word } from './kinds.ts';

/** One request of a provider, or one operation of a bulk request. Nothing in it is personal. */
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
      op: word(['set', 'add', 'replace', 'remove', 'drop', 'repair', 'refuse']),
      path: z
        .string()
        .describe(
          'An attribute; of what was not taken (`drop`), corrected (`repair`) or is why all was refused (`refuse`), the kind of the reason.',
        ),
      values: count().describe('How many, never which.'),
      words: z.string().nullable().describe('The kind of the reason in words.'),
    }),
  ),
  status: z.int().describe('0: something was changed, and there was no answer yet.'),
  scimType: z.string().nullable(),
  refusal: z
    .string()
    .nullable()
    .describe('Why it was refused, as the provider was told, without words of the service.'),
  durationMs: z.number().min(0),
  client: z.string().nullable(),
  credential: z
    .string()
    .describe(
      'Whose it was: `settings-1` is the first of `scim.tokens`, then `token-…`, `client-…`.',
    ),
});
/** One request of a provider as an operator is shown it. */
export type RequestView = JsonOf<typeof keptRequest>;

const sentFile = z.strictObject({
  content: z.base64(),
  name: z.string().min(1).max(255).optional(),
  type: z.string().min(1).max(255).optional(),
});
/** A file as an operator sends it. `content` is base64. */
export type SentFile = JsonOf<typeof sentFile>;

const named = z.record(z.string(), z.unknown());

/** The arguments of an operation of the service. Files travel beside the body, by the name that the body has for them. */
export const callBody = z.strictObject({
  path: named.optional(),
  query: named.optional(),
  body: named.optional(),
  everything: z
    .literal(true)
    .optional()
    .describe('Needed where an operation without any condition would change all there is.'),
  files: z
    .record(z.string(), z.array(sentFile).min(1))
    .optional()
    .describe('As base64; see docs/command-line.md#call-the-service.'),
});

/** The answer of the service to a call. */
export const callResult = z.strictObject({ result: anything() });

/** The failure of a call of the service. */
export const callFailure = z.strictObject({
  code: z.string().describe('A stable word, for programs.'),
  message: z.string(),
  operation: z.string(),
  status: z.int().nullable().describe('Of the answer of the service; null: there was none.'),
  retry: word(['later', 'never']),
  outcome: word(['not-sent', 'unknown', 'answered']),
  requestId: z.string().nullable(),
  retryAfterMs: count().nullable(),
  answer: anything().describe('The answer of the service; may be personal.'),
});
/** The failure of a call as JSON. */
export type ApiFailure = JsonOf<typeof callFailure>;
