import type { Refusal } from './refusal.ts';
import type { ObservedUser, UserField } from './user.ts';

/** Code of the problem of an addition that waits for a free seat. */
export const NO_SEAT = 'no-seat';

/** Fields whose change may take or free a seat. */
export const SEAT_FIELDS = [
  'account',
  'active',
  'appsPermissions',
  'temporarilyInactive',
] as const satisfies readonly UserField[];

/** True for an account that takes a seat: by the service's own word, where its list has it. */
export function takesSeat(observed: ObservedUser | undefined): boolean {
  if (observed?.active !== true || observed.temporarilyInactive === true) return false;
  const { takesLicence, virtual, appsPermissions } = observed;
  return takesLicence ?? (virtual !== true && appsPermissions !== 0);
}

/**
 * Makes a check of refusals for lack of seats from entries of a setting: a status, such as `402`, or words that the
 * service's own contain, in any case. No entry: every refusal is an ordinary one.
 */
export function createSeatRefusals(entries: readonly string[]): (refusal: Refusal) => boolean {
  const statuses = new Set(entries.filter(isStatus).map(Number));
  const words = entries.filter((entry) => !isStatus(entry)).map((entry) => entry.toLowerCase());
  return ({ status, words: said }) => {
    if (status === undefined) return false;
    const text = said.toLowerCase();
    return statuses.has(status) || words.some((each) => text.includes(each));
  };
}

function isStatus(entry: string): boolean {
  return /^4\d\d$/.test(entry);
}

/** Seats of the service, as far as they are known. */
export interface Seats {
  /** All seats, by the settings; undefined: nobody has said. */
  readonly total: number | undefined;
  /** Accounts that were seen to take one. */
  readonly used: number;
  /** People who wait for one. */
  readonly waiting: number;
}

/** Number of free seats; undefined: not known. While somebody waits, the service has said that there is none. */
export function countFreeSeats({ total, used, waiting }: Seats): number | undefined {
  if (waiting > 0) return 0;
  return total === undefined ? undefined : Math.max(total - used, 0);
}

/** Sums over samples: `x` in days, `y` the seats that are taken. */
export interface SeatSums {
  readonly count: number;
  readonly sumX: number;
  readonly sumY: number;
  readonly sumXX: number;
  readonly sumXY: number;
  readonly spanMs: number;
}

/** Days until the seats run out by the trend; undefined: the number is not known, or nothing grows. */
export function toDaysLeft(seats: Seats, sums: SeatSums): number | undefined {
  const free = countFreeSeats(seats);
  if (free === undefined) return undefined;
  if (free === 0) return 0;
  const trend = toDailyTrend(sums);
  return trend === undefined || trend <= 0 ? undefined : free / trend;
}

/** Time that samples have to cover for a trend, in milliseconds. */
const TREND_MIN_MS = 3_600_000;

/** Seats that the trend takes in a day, by least squares; undefined: the samples cover too short a time. */
function toDailyTrend({ count, sumX, sumY, sumXX, sumXY, spanMs }: SeatSums): number | undefined {
  const spread = count * sumXX - sumX * sumX;
  if (spanMs < TREND_MIN_MS || spread <= 0) return undefined;
  return (count * sumXY - sumX * sumY) / spread;
}
