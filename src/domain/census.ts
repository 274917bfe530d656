/** Keys by which a census knows a person again, the surest first. */
export const MATCH_KEYS = ['externalId', 'userName', 'email'] as const;

/** One of these keys. */
export type MatchKey = (typeof MATCH_KEYS)[number];

/**
 * Kinds of findings of a census. `only-…`: in this one of provider, bridge and service alone. `not-…`: in the other two.
 * `duplicate`: one is two. `of-other`: another provider manages the person.
 */
export const CENSUS_KINDS = [
  'only-provider',
  'only-bridge',
  'only-service',
  'not-provider',
  'not-bridge',
  'not-service',
  'differs',
  'duplicate',
  'of-other',
] as const;

/** One of these kinds. */
export type CensusKind = (typeof CENSUS_KINDS)[number];
