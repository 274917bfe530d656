/** What a credential opens: SCIM, or what operators ask, for reading alone or for everything. */
export type Purpose = 'scim' | 'reader' | 'operator';

/** Who presented something valid. */
export interface Credential {
  /** Stable, and never a secret: `settings-1` (the place among `scim.tokens`), `token-…`, `client-…`. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly purpose: Purpose;
}

/**
 * Whose a presented token is; undefined: nobody's, or not valid any more.
 * @throws StoreError when it could not be looked up, which is no "undefined"
 */
export type FindCredential = (presented: string) => Promise<Credential | undefined>;
