import type { ExpectedClaim } from '../../domain/trust.ts';
import type { RefusalReason } from './refused.ts';

/** Claims of an assertion whose signature is right. */
export type Claims = Readonly<Record<string, unknown>>;

/** Content that the claims have to have. */
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

/** Result of a check; `id` is what `once` names. Times are epoch milliseconds. */
type ClaimsCheck =
  | { readonly kind: 'right'; readonly id: string | undefined; readonly endsAt: number }
  | { readonly kind: 'wrong'; readonly reason: RefusalReason };

/** Longest id of an assertion, in characters. */
const ID_MAX = 512;

/** Compares claims with what is expected at `now` (epoch milliseconds): exactly, so that no longer, shorter or nested value fits. @see RFC 7523 §3 */
export function checkClaims(claims: Claims, expected: Expectation, now: number): ClaimsCheck {
  const { once } = expected;
  const reason = findStranger(claims, expected) ?? findWrongTime(claims, expected, now);
  if (reason !== undefined) return { kind: 'wrong', reason };
  const id = once === null ? undefined : get(claims, once);
  if (once !== null && !isId(id)) return { kind: 'wrong', reason: 'no-id' };
  const endsAt = Number(get(claims, 'exp')) * 1_000 + SKEW_MS;
  return { kind: 'right', id: isId(id) ? id : undefined, endsAt };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ID_MAX;
}

function findStranger(claims: Claims, expected: Expectation): RefusalReason | undefined {
  const { issuer, audiences, subject } = expected;
  if (get(claims, 'iss') !== issuer) return 'issuer';
  if (!audiences.some((audience) => isAlone(get(claims, 'aud'), audience))) return 'audience';
  if (subject !== undefined && get(claims, 'sub') !== subject) return 'subject';
  const isThere = ({ name, values }: ExpectedClaim) =>
    values.some((value) => get(claims, name) === value);
  return expected.claims.every(isThere) ? undefined : 'claim';
}

/** A list of one counts as its entry (RFC 7519 §4.1.3); others beside it are a token for somebody else as well. */
function isAlone(value: unknown, expected: string): boolean {
  return (
    value === expected || (Array.isArray(value) && value.length === 1 && value[0] === expected)
  );
}

function findWrongTime(
  claims: Claims,
  { lifetimeMs }: Expectation,
  now: number,
): RefusalReason | undefined {
  const [exp, nbf, iat] = ['exp', 'nbf', 'iat'].map((name) => get(claims, name));
  if (!isTime(exp)) return 'no-expiry';
  if ([nbf, iat].some((time) => time !== undefined && !isTime(time))) return 'malformed';
  const begins = [iat, nbf].filter(isTime).map((seconds) => seconds * 1_000);
  const ends = exp * 1_000;
  if (ends + SKEW_MS <= now) return 'expired';
  if (begins.some((begin) => begin - SKEW_MS > now)) return 'not-yet-valid';
  // It counts from when it was made; where nothing says so, what is left of it counts.
  const isLong = ends - now > lifetimeMs + SKEW_MS || ends - (begins[0] ?? ends) > lifetimeMs;
  return isLong ? 'too-long-lived' : undefined;
}

/** @see RFC 7519 §2 (NumericDate: seconds since 1970, also with fractions) */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The claim of this name; names of prototypes are claims like others. */
function get(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
