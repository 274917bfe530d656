import { z } from 'zod';
import { count, type JsonOf } from './kinds.ts';

const free = count()
  .nullable()
  .describe('0 while somebody waits for one; null: not known, see `seats.total`.');

/** Seats of the service, as far as they are known. */
export const seats = z.strictObject({
  total: count().nullable().describe('`seats.total`; null: not set.'),
  used: count().describe('Accounts that were seen to take one.'),
  waiting: count().describe('People who wait for a free one.'),
  free,
  daysLeft: z
    .number()
    .nullable()
    .describe(
      'Until they run out if as many more are taken as in the last two days; null: not known, or they do not.',
    ),
});
/** Seats of the service as an operator is shown them. */
export type SeatsView = JsonOf<typeof seats>;

/** Seats that a plan needs. */
export const planSeats = z.strictObject({
  needs: count().describe('For accounts that it creates or activates.'),
  frees: count().describe('By accounts that it deactivates or deletes.'),
  has: free,
});
/** Seats that a plan needs, beside those that there are. */
export type PlanSeats = JsonOf<typeof planSeats>;
