import { createLocalJWKSet, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { ExpectedClaim } from '../../domain/trust.ts';
import { ASSERTION_ALGORITHMS, type PublicKey } from '../../domain/trust.ts';
import { OAuthError } from '../oauth/errors.ts';
import { NO_CLIENT } from '../oauth/parse-request.ts';

/** Reason why an assertion is not taken, for the log of the bridge alone. */
type RefusalReason =
  | ('malformed' | 'type' | 'critical' | 'algorithm')
  | ('unknown-client' | 'no-trust' | 'unknown-key' | 'signature')
  | ('issuer' | 'audience' | 'subject' | 'claim' | 'no-id' | 'replayed')
  | ('no-expiry' | 'expired' | 'not-yet-valid' | 'too-long-lived');

/** A wrong assertion. The caller is shown the same words whatever is wrong. @see RFC 7521 §4.2.1 */
export class AssertionRefused extends OAuthError {
  readonly reason: RefusalReason;
  /** The client that it was presented for; undefined: none that is known. */
  readonly clientId: string | undefined;
  constructor(reason: RefusalReason, clientId?: string, options?: { cause?: unknown }) {
    super('invalid_client', NO_CLIENT, options);
    this.reason = reason;
    this.clientId = clientId;
  }
}

/** Content that an assertion has to have. */
export interface Expectation {
  readonly issuer: string;
  /** One of them is the audience, alone. */
  readonly audiences: readonly string[];
  /** undefined: any, unless `claims` names it. */
  readonly subject: string | undefined;
  readonly claims: readonly ExpectedClaim[];
  /** Longest validity, in milliseconds. */
  readonly lifetimeMs: number;
  /** Claim that tells one assertion from all others; null: none has to. */
  readonly once: string | null;
}

/** How far the clock of an issuer may be from that of the store, in milliseconds. */
const SKEW_MS = 30_000;
/** Longest assertion, and longest id of one, in characters. */
const ASSERTION_MAX = 12_288;
const ID_MAX = 512;
/** Keys that are tried if the header does not say which one it is. */
const TRIED_MAX = 10;
/** Types that a token for a client to prove itself may have; none is one of them. @see RFC 7519 §5.1 */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'client-authentication+jwt'];

/**
 * Verifies that one of the keys has signed an assertion that says what is expected, at `now` (epoch milliseconds).
 * Returns the claim that `once` names, and the end (epoch milliseconds).
 * @throws AssertionRefused; `unknown-key`: none of the keys is the one of the header. @see RFC 7523 §3
 */
export async function verifyAssertion(
  text: string,
  keys: readonly PublicKey[],
  expected: Expectation,
  now: number,
): Promise<{ readonly id: string | undefined; readonly endsAt: number }> {
  const { issuer, audiences, subject, claims, lifetimeMs, once } = expected;
  const verified = await verify(text, keys, {
    issuer,
    audience: [...audiences],
    ...(subject !== undefined && { subject }),
    requiredClaims: ['exp'],
    currentDate: new Date(now),
  });
  const get = (name: string) => (Object.hasOwn(verified, name) ? verified[name] : undefined);
  // Another audience beside ours is a token for somebody else as well.
  if (Array.isArray(verified.aud) && verified.aud.length > 1)
    throw new AssertionRefused('audience');
  const isThere = ({ name, values }: ExpectedClaim) => values.some((value) => get(name) === value);
  if (!claims.every(isThere)) throw new AssertionRefused('claim');
  const endsAt = assertShort(verified, lifetimeMs, now) + SKEW_MS;
  const id = once === null ? undefined : get(once);
  if (once !== null && !isId(id)) throw new AssertionRefused('no-id');
  return { id: isId(id) ? id : undefined, endsAt };
}

/** True if the header of an assertion names its key. @throws AssertionRefused for what is none, or has a wrong header */
export function namesKey(text: string): boolean {
  if (text.length > ASSERTION_MAX || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) {
    throw new AssertionRefused('malformed');
  }
  try {
    const { kid, typ } = decodeProtectedHeader(text);
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
    if (TYPES.includes(type)) return kid !== undefined;
  } catch (cause) {
    throw new AssertionRefused('malformed', undefined, { cause });
  }
  throw new AssertionRefused('type');
}

/**
 * Takes as long as a verification does, if there is nothing to verify: so the time says no more than the words whether a
 * client or a key is known. The signature and its key are the example of RFC 7515 §A.3.
 */
export async function spendVerification(): Promise<void> {
  await verify(EXAMPLE, [EXAMPLE_KEY], { currentDate: new Date(0) });
}

const EXAMPLE = [
  'eyJhbGciOiJFUzI1NiJ9',
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
].join('.');
const EXAMPLE_KEY: PublicKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

type Options = Parameters<typeof jwtVerify>[2];

async function verify(
  text: string,
  keys: readonly PublicKey[],
  given: Options,
): Promise<JWTPayload> {
  const algorithms = [...ASSERTION_ALGORITHMS];
  const options = { ...given, algorithms, clockTolerance: SKEW_MS / 1_000 };
  try {
    return (await jwtVerify(text, createLocalJWKSet({ keys: [...keys] }), options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw toRefused(error);
    return tryEach(text, error, options);
  }
}

/** Tries the keys that fit a header which names none. */
async function tryEach(
  text: string,
  fitting: InstanceType<typeof errors.JWKSMultipleMatchingKeys>,
  options: Options,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of fitting) {
    tried += 1;
    if (tried > TRIED_MAX) break;
    try {
      return (await jwtVerify(text, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw toRefused(error);
    }
  }
  throw new AssertionRefused('signature');
}

/** Reasons by the codes of the library, and by claims; all else that can go wrong is the fault of a signature or key. */
const REASONS: Readonly<Record<string, RefusalReason>> = {
  ERR_JWKS_NO_MATCHING_KEY: 'unknown-key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'critical',
  ERR_JWS_INVALID: 'malformed',
  ERR_JWT_INVALID: 'malformed',
  ERR_JWT_EXPIRED: 'expired',
  iss: 'issuer',
  aud: 'audience',
  sub: 'subject',
  nbf: 'not-yet-valid',
  exp: 'no-expiry',
  iat: 'malformed',
};

function toRefused(cause: unknown): AssertionRefused {
  const { code } = Object(cause);
  const what = cause instanceof errors.JWTClaimValidationFailed ? cause.claim : String(code);
  return new AssertionRefused(REASONS[what] ?? 'signature', undefined, { cause });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ID_MAX;
}

/** The end, in epoch milliseconds. @throws AssertionRefused for a validity that is too long, or begins later */
function assertShort({ exp = 0, iat, nbf }: JWTPayload, lifetimeMs: number, now: number): number {
  if (iat !== undefined && iat * 1_000 - SKEW_MS > now) throw new AssertionRefused('not-yet-valid');
  const ends = exp * 1_000;
  // It counts from when it was made; where nothing says so, what is left of it counts.
  const begins = (iat ?? nbf ?? exp) * 1_000;
  const isLong = ends - now > lifetimeMs + SKEW_MS || ends - begins > lifetimeMs;
  if (isLong || !Number.isFinite(ends)) throw new AssertionRefused('too-long-lived');
  return ends;
}
