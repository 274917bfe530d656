/** Area that a credential opens: SCIM, or of the operators' interface the metrics alone, reading, or everything. */
export type Purpose = (typeof PURPOSES)[number];

/** Every purpose. */
export const PURPOSES = ['scim', 'metrics', 'reader', 'operator'] as const;

/** Way in which requests of a provider are read: with every repair, or refused what `REPAIRS` has refused. */
export type Profile = (typeof PROFILES)[number];

/** Every profile. */
export const PROFILES = ['lenient', 'strict'] as const;

/** Valid credential that a request presented. */
export interface Credential {
  /** Stable, and never a secret: `settings-1` (the place among `scim.tokens`), `token-…`, `client-…`. */
  readonly id: string;
  /** Name given by an operator. */
  readonly name: string;
  readonly purpose: Purpose;
  /** Matters for SCIM alone. */
  readonly profile: Profile;
  /** The provider that presents it; matters for SCIM alone. */
  readonly provider: string;
}
