/** Keys by which a census knows a person again, the surest first. */
export const MATCH_KEYS = ['externalId', 'userName', 'email'] as const;

/** Kinds of findings. `only-…`: in this one alone. `not-…`: in both others. `duplicate`: one is two. */
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
