import { z } from 'zod';
import { textList, wholeNumber } from '../kinds.ts';

/** Words of services for "no seat is free"; each is long enough to mean nothing else. */
const REFUSALS = [
  ...['402', 'no seats', 'no free seat', 'seat limit', 'not enough seats'],
  ...['no licences', 'no licenses', 'no free licen', 'not enough licen'],
  ...['licence limit', 'license limit', 'licences limit', 'licenses limit', 'limit of licen'],
  ...['user limit', 'users limit', 'limit of users'],
].join(', ');

/** Seats (licences) of the service. */
export const seatsSchema = z.strictObject({
  total: wholeNumber({ min: 0, max: 10_000_000 })
    .prefault(0)
    .describe(
      'How many seats the company has bought; 0 means not known. Plans, metrics and the forecast use it. The bridge refuses nothing because of it. See [writes.md](writes.md#seats).',
    ),
  refusals: textList('statuses such as 402, or words of the service, separated by commas')
    .prefault(REFUSALS)
    .describe(
      'Statuses, or words of its answer, by which the service says that no seat is free. Such an addition waits. Without an entry it is refused like any other change.',
    ),
});
