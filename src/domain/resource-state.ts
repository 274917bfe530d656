import type { Cells } from './cell.ts';

/** Knowledge of a managed user or group, or of one whose removal is still under way. */
export interface ResourceState<Field extends string> {
  readonly cells: Cells<Field>;
  readonly version: number;
  readonly deleted: boolean;
  /** The outcome of a call is unknown: look before anything else. */
  readonly mustLook: boolean;
  /** Under which names a create may have left it in the service. */
  readonly sentCreates: readonly SentCreate[];
}

/** Names that a create left with: until its outcome is known, the account or group is looked for by these. */
export interface SentCreate {
  /** The userName of a user, the name of a group. */
  readonly name: string;
  readonly address?: string;
}

/** When a user or group was seen. Times are epoch milliseconds; absent: never. */
export interface Sightings {
  /** Last shown by a list: of company users, or of groups by REST, which shows a group by itself as well. */
  readonly listedAt?: number;
  /** Last shown by SCIM. */
  readonly shownAt?: number;
  /** Last found not to be there. */
  readonly goneAt?: number;
  /** Time of the observation, and which read or call it came from. */
  readonly at: number;
  readonly by: string;
}

function toFacts({ at: _a, by: _b, listedAt: _l, shownAt: _s, goneAt: _g, ...facts }: Sightings) {
  return new Map<string, unknown>(Object.entries(facts));
}

/** True when the newer sighting shows every fact of the older one. */
export function confirms(newer: Sightings, older: Sightings): boolean {
  const shown = toFacts(newer);
  return toFacts(older)
    .entries()
    .every(([fact, value]) => shown.get(fact) === value);
}

/** True when the newer sighting would change nothing but the times of the older one. */
export function isTheSame(newer: Sightings, older: Sightings): boolean {
  const isSeenAlike =
    newer.by === older.by &&
    (newer.listedAt === undefined) === (older.listedAt === undefined) &&
    (newer.shownAt === undefined) === (older.shownAt === undefined);
  return isSeenAlike && !isGone(older) && confirms(newer, older) && confirms(older, newer);
}

/** True for a user or group that the service was found not to have since it was last seen. */
export function isGone(observed: Pick<Sightings, 'at' | 'goneAt'> | undefined): boolean {
  return observed?.goneAt !== undefined && observed.goneAt >= observed.at;
}
