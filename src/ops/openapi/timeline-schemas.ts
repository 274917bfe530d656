import { z } from 'zod';
import { anything, moment, named, resourceType, word } from './kinds.ts';

/** What led to the state of a person or group. */
export const timeline = z.strictObject({
  type: resourceType(),
  id: z.string(),
  name: z.string(),
  managed: word(['created', 'adopted', 'no']),
  deleted: z.boolean(),
  items: z.array(
    z.strictObject({
      at: moment(),
      source: word(['provider', 'bridge', 'audit', 'seen', 'drift']),
      text: z.string().describe('What happened, a short sentence.'),
      others: z.array(named).describe('The groups of a person, the people of a group.'),
      detail: z
        .record(z.string(), anything())
        .describe('The same for programs; what is in it follows from the source.'),
    }),
  ),
  more: z.boolean().describe('There is more before the first of them.'),
});
