/** What a credential opens: SCIM, or what operators ask, for reading alone or for everything. */
export type Purpose = (typeof PURPOSES)[number];

/** Every purpose. */
export const PURPOSES = ['scim', 'reader', 'operator'] as const;

/** Who presented something valid. */
export interface Credential {
  /** Stable, and never a secret: `settings-1` (the place among `scim.tokens`), `token-…`, `client-…`. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly purpose: Purpose;
}
