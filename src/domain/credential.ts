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

/** A public key as an issuer shows it. @see RFC 7517 §4 */
export type PublicKey = { readonly kty: 'RSA' | 'EC' | 'OKP'; readonly key_ops?: string[] } & {
  readonly [Name in 'kid' | 'alg' | 'use' | 'crv' | 'n' | 'e' | 'x' | 'y']?: string;
};

/** Place of the keys of an issuer: its own description, an address, or the store. */
export type KeySource =
  | { readonly kind: 'issuer' }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'given'; readonly keys: readonly PublicKey[] };

/** A claim that an assertion has to have, with one of these values exactly. */
export interface ExpectedClaim {
  readonly name: string;
  readonly values: readonly string[];
}

/** Content that an assertion of a client has to have, and whose keys sign it. */
export interface Trust {
  /** `iss`, exactly; null: the client signs for itself, and its id is `iss` and `sub` (RFC 7523 §3). */
  readonly issuer: string | null;
  /** One of them is `aud`, exactly; none: the address for tokens, or that of the bridge. */
  readonly audiences: readonly string[];
  readonly claims: readonly ExpectedClaim[];
  readonly keys: KeySource;
  /** Longest validity of an assertion, in milliseconds. */
  readonly lifetimeMs: number;
  /** Claim that no two assertions share, which so admits each once; null: each is good until it ends. */
  readonly once: string | null;
}

/** Algorithms that an assertion may be signed with: those with a private key alone. @see RFC 7518 §3.1, RFC 9864 */
export const ASSERTION_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
