/**
 * Result of a look after a call of the same run was answered "not there". `found`: the same answer again is a refusal.
 * `gone`: its replacement is not looked for at once again.
 */
export type Missed = 'found' | 'gone';

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

/** True for a user or group that the service was found not to have since it was last seen. */
export function isGone(observed: Pick<Sightings, 'at' | 'goneAt'> | undefined): boolean {
  return observed?.goneAt !== undefined && observed.goneAt >= observed.at;
}
