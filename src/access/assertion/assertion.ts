import { hash } from 'node:crypto';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { ExpectedClaim, PublicKey, Trust } from '../../domain/credential.ts';
import { ASSERTION_ALGORITHMS } from '../../domain/credential.ts';
import { findCredential, parseTrust } from '../../store/credentials.ts';
import type { Store } from '../../store/store.ts';
import type { Row } from '../../store/tables.ts';
import type { Presented } from '../networks.ts';
import { comesFromOwn } from '../networks.ts';
import type { PresentedAssertion } from '../oauth/parse-request.ts';
import { NO_CLIENT } from '../oauth/parse-request.ts';
import { Refusal } from '../refusal.ts';
import type { IssuerKeys } from './issuer-keys.ts';

/** A wrong assertion. The caller is shown the same words whatever is wrong. @see RFC 7521 §4.2.1 */
export class AssertionRefused extends Refusal {
  /** Why, for the log of the bridge alone. */
  readonly reason: string;
  /** The client that it was presented for; undefined: none that is known. */
  readonly clientId: string | undefined;
  constructor(reason: string, clientId?: string, cause?: unknown) {
    super(401, 'invalid_client', NO_CLIENT, { cause });
    this.reason = reason;
    this.clientId = clientId;
  }
}

export interface AssertionDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly issuerKeys: IssuerKeys;
  /** Audiences of a client that signs for itself: the address for tokens, and that of the bridge. */
  readonly ownAudiences: readonly string[];
}

/** Reasons that are found without looking at the signature. */
const BEFORE_SIGNATURE: readonly string[] = [
  ...['malformed', 'type', 'critical', 'algorithm', 'unknown-client', 'no-trust', 'unknown-key'],
];

/** How far the clock of an issuer may be from that of the store, in milliseconds. */
const SKEW_MS = 30_000;
/** Longest assertion, and longest id of one, in characters. */
const ASSERTION_MAX = 12_288;
const ID_MAX = 512;
/** Types that a token for a client to prove itself may have; none is one of them. @see RFC 7519 §5.1 */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'client-authentication+jwt'];

/**
 * Proves the client by an assertion. `used` has to be new when the access token is made; undefined: it may be taken
 * again. @throws AssertionRefused, the same whatever is wrong; IssuerUnreadable; StoreError @see RFC 7523 §3
 */
export async function proveAssertion(
  deps: AssertionDeps,
  presented: PresentedAssertion,
  res: Presented,
): Promise<{ clientId: string; used: Row<'used_assertions'> | undefined }> {
  let known: string | undefined;
  try {
    const { kid } = readHeader(presented.assertion);
    const id = parseClientId(presented);
    const client = await findCredential(deps.store.read, 'client', id);
    if (client === undefined || client.revoked_at !== null)
      throw new AssertionRefused('unknown-client');
    known = `client-${id}`;
    const trust = parseTrust(client);
    if (trust === undefined) throw new AssertionRefused('no-trust');
    const proven = await prove(deps, { id, trust, kid, text: presented.assertion });
    if (!comesFromOwn(client, known, res)) throw new AssertionRefused('network');
    return proven;
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error;
    if (BEFORE_SIGNATURE.includes(error.reason)) await spendVerification();
    throw new AssertionRefused(error.reason, known, error.cause);
  }
}

/** @throws AssertionRefused for what is no assertion, or has a wrong header */
function readHeader(text: string) {
  if (text.length > ASSERTION_MAX || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) {
    throw new AssertionRefused('malformed');
  }
  const header = decode(() => decodeProtectedHeader(text));
  const { typ } = header;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  if (TYPES.includes(type)) return header;
  throw new AssertionRefused('type');
}

/** The subject is not proven yet: it only selects the keys that are tried. */
function parseClientId({ clientId, assertion }: PresentedAssertion): string {
  const named = clientId ?? String(decode(() => decodeJwt(assertion)).sub);
  const [, id] = /^client-([0-9a-f]{16})$/.exec(named) ?? [];
  if (id === undefined) throw new AssertionRefused('unknown-client');
  return id;
}

function decode<Decoded>(read: () => Decoded): Decoded {
  try {
    return read();
  } catch (cause) {
    throw new AssertionRefused('malformed', undefined, cause);
  }
}

/** An assertion, and what its client trusts. */
interface Proof {
  readonly id: string;
  readonly trust: Trust;
  /** Key that the header names. */
  readonly kid: string | undefined;
  readonly text: string;
}

async function prove(
  { clock, issuerKeys, ownAudiences }: AssertionDeps,
  { id, trust, kid, text }: Proof,
): ReturnType<typeof proveAssertion> {
  const { issuer: signer, keys: source } = trust;
  const issuer = signer ?? `client-${id}`;
  const options = {
    issuer,
    audience: [...(trust.audiences.length === 0 ? ownAudiences : trust.audiences)],
    ...(signer === null && { subject: issuer }),
    requiredClaims: ['exp'],
  };
  const verifyBy = async (keys: readonly PublicKey[]) => {
    const now = clock.now();
    const claims = await verify(text, keys, { ...options, currentDate: new Date(now) });
    return assertClaims(claims, trust, now);
  };
  // A newer key may have signed: one that is not there, or any if the header names none.
  const mayBeNewer = ({ reason }: AssertionRefused) =>
    reason === 'unknown-key' || (reason === 'signature' && kid === undefined);
  const { once, endsAt } = await (source.kind === 'given'
    ? verifyBy(source.keys)
    : issuerKeys.withKeys({ issuer, source }, verifyBy, (error) =>
        error instanceof AssertionRefused ? mayBeNewer(error) : false,
      ));
  if (once === undefined) return { clientId: id, used: undefined };
  const digest = hash('sha256', JSON.stringify([issuer, once]));
  return { clientId: id, used: { digest, client_id: id, expires_at: Math.ceil(endsAt) } };
}

/** The claim that is taken once, and the end (epoch milliseconds). @throws AssertionRefused */
function assertClaims(claims: JWTPayload, trust: Trust, now: number) {
  const get = (name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);
  // Another audience beside ours is a token for somebody else as well.
  if (Array.isArray(claims.aud) && claims.aud.length > 1) throw new AssertionRefused('audience');
  const isThere = ({ name, values }: ExpectedClaim) => values.some((value) => get(name) === value);
  if (!trust.claims.every(isThere)) throw new AssertionRefused('claim');
  const endsAt = assertShort(claims, trust.lifetimeMs, now) + SKEW_MS;
  if (trust.once === null) return { once: undefined, endsAt };
  const once = get(trust.once);
  const isId = typeof once === 'string' && once !== '' && once.length <= ID_MAX;
  if (!isId) throw new AssertionRefused('no-id');
  return { once, endsAt };
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

/** Verifies the signature by the key that the header names, or by the only one that fits. @throws AssertionRefused */
async function verify(
  text: string,
  keys: readonly PublicKey[],
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const algorithms = [...ASSERTION_ALGORITHMS];
  const strict = { ...options, algorithms, clockTolerance: SKEW_MS / 1_000 };
  try {
    return (await jwtVerify(text, createLocalJWKSet({ keys: [...keys] }), strict)).payload;
  } catch (cause) {
    const { code } = Object(cause);
    const what = cause instanceof errors.JWTClaimValidationFailed ? cause.claim : String(code);
    throw new AssertionRefused(REASONS[what] ?? 'signature', undefined, cause);
  }
}

/** Reasons by the codes of the library, and by claims; all else that can go wrong is the fault of a signature or key. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWKS_NO_MATCHING_KEY: 'unknown-key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'unknown-key',
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

/** Takes as long as a verification, so that time does not tell which client or key is known (key of RFC 7515 §A.3). */
async function spendVerification(): Promise<void> {
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
