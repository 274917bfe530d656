import { z } from 'zod';
import { count, type JsonOf, moment } from './kinds.ts';

const sample = z.strictObject({
  at: moment(),
  calls: count().describe('Calls to the service in a minute.'),
  due: count().describe('Users and groups of which something is to be done.'),
  drifts: count().describe('Differences that wait for a decision, of what is managed.'),
  stuck: count().describe('Users and groups whose acknowledged change is refused.'),
  requests: count().describe(
    'Requests of providers in a minute, as the log of requests keeps them.',
  ),
  refused: count().describe('Those of them that were refused.'),
});

/** The past of the bridge as numbers, for charts. */
export const samples = z.strictObject({
  everyMs: count().describe('Time that each entry covers.'),
  callsMax: count().nullable().describe('Calls that may leave in a minute; null: any number.'),
  leavers: z
    .strictObject({ count: count(), p50Ms: count(), p95Ms: count(), slowestMs: count() })
    .nullable()
    .describe(
      'Time from a request that takes access away until the service holds it; null: there was none.',
    ),
  items: z.array(sample).describe('The oldest first; minutes without a leader are left out.'),
});
/** The past of the bridge as an operator is shown it. */
export type SamplesAnswer = JsonOf<typeof samples>;
