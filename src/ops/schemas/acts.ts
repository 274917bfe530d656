import { z } from 'zod';
import { anything, type JsonOf, moment, word } from './kinds.ts';

/** States before and after an act. */
const state = (meaning: string) => z.record(z.string(), anything()).nullable().describe(meaning);

/** One act of an operator. */
export const act = z.strictObject({
  id: z.string(),
  at: moment(),
  operator: z.string().describe('The name of the credential.'),
  credential: z.string().nullable().describe('Its id.'),
  address: z.string().nullable().describe('The address of the client; see `trustProxy`.'),
  act: z.string().describe('What was done, in words.'),
  request: z.string().nullable().describe('The method and the pattern of the route.'),
  requestId: z.string().nullable(),
  target: z
    .string()
    .nullable()
    .describe(
      'The id of the user, group, drift, plan, token or client, or the name of the provider; null: there is none.',
    ),
  outcome: word(['done', 'refused', 'failed']),
  status: z
    .int()
    .nullable()
    .describe('Of the answer; null: something was changed, and there was no answer yet.'),
  before: state('What the act changed, before it; null: nothing is known of it.'),
  after: state('The same after it.'),
});
/** An act of an operator as operators are shown it. */
export type ActView = JsonOf<typeof act>;
