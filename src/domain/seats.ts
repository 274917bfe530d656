import type { ObservedUser } from './kinds.ts';
import type { Refusal } from './values.ts';

/** Code of the problem of an addition that waits for a free seat. */
export const NO_SEAT = 'no-seat';

/** True for an account that takes a seat: by the service's own word, where its list has it. */
export function takesSeat(observed: ObservedUser | undefined): boolean {
  if (observed?.active !== true || observed.temporarilyInactive === true) return false;
  const { takesLicence, virtual, appsPermissions } = observed;
  return takesLicence ?? (virtual !== true && appsPermissions !== 0);
}

/** Makes a check of refusals for lack of seats: by status (`402`), or by words in the service's text; none: never. */
export function createSeatRefusals(entries: readonly string[]): (refusal: Refusal) => boolean {
  const statuses = new Set(entries.filter(isStatus).map(Number));
  const words = entries.filter((entry) => !isStatus(entry)).map((entry) => entry.toLowerCase());
  return ({ status, words: said }) => {
    if (status === undefined) return false;
    const text = said.toLowerCase();
    return statuses.has(status) || words.some((each) => text.includes(each));
  };
}

const isStatus = (entry: string) => /^4\d\d$/.test(entry);

/** Number of free seats; null: not known, because `total` is 0. While a user waits for a seat there is none: the service has refused one. */
export function countFreeSeats(seats: Readonly<Record<'total' | 'used' | 'waiting', number>>) {
  const { total, used, waiting } = seats;
  if (waiting > 0) return 0;
  return total === 0 ? null : Math.max(total - used, 0);
}
