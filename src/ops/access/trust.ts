import { parseKeys } from '../../access/assertion/issuer-keys.ts';
import type { ExpectedClaim, KeySource, Trust } from '../../domain/trust.ts';
import { InvalidRequest } from '../http/errors.ts';
import type { TrustBody, TrustView } from '../schemas/trust.ts';
import { parseLifetime } from './credential.ts';

const LIFETIME = { min: '10s', max: '24h', otherwise: '5m' } as const;
/** Claim that is unique by its definition. @see RFC 7519 §4.1.7 */
const ONCE = 'jti';
const CLAIMS_MAX = 20;
const KEYS_TEXT_MAX = 65_536;
/** Claims that are compared anyway. */
const OWN_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat'];

/** Reads what the assertions of a new client have to say. @throws InvalidRequest */
export function parseTrust(body: TrustBody): Trust {
  const { issuer = null, audiences = [], lifetime, once = ONCE } = body;
  const claims = parseClaims(body);
  if (issuer !== null && audiences.length === 0) {
    throw new InvalidRequest('An issuer signs for many: audiences says which tokens are for you.');
  }
  if (issuer !== null && claims.length === 0) {
    throw new InvalidRequest('An issuer signs for many: claims says who of them it is.');
  }
  const lifetimeMs = parseLifetime(lifetime, LIFETIME, 'lifetime');
  return { issuer, audiences, claims, keys: parseSource(body), lifetimeMs, once };
}

function parseClaims({ claims = {} }: TrustBody): ExpectedClaim[] {
  const expected = Object.entries(claims).map(([name, values]) => ({ name, values }));
  const own = expected.find(({ name }) => OWN_CLAIMS.includes(name));
  if (own !== undefined) throw new InvalidRequest(`${own.name} is compared in any case.`);
  if (expected.length > CLAIMS_MAX) throw new InvalidRequest(`claims has at most ${CLAIMS_MAX}.`);
  return expected;
}

function parseSource({ issuer, jwksUri, jwks }: TrustBody): KeySource {
  if (jwksUri !== undefined && jwks !== undefined) {
    throw new InvalidRequest('Keys are at jwksUri, or given as jwks: one of both.');
  }
  if (jwks !== undefined) return { kind: 'given', keys: parseGiven(jwks) };
  if (jwksUri !== undefined) return { kind: 'address', url: parseAddress('jwksUri', jwksUri) };
  if (issuer === undefined) {
    throw new InvalidRequest('A client that signs for itself needs its keys: jwksUri, or jwks.');
  }
  parseAddress('issuer', issuer);
  return { kind: 'issuer' };
}

function parseGiven(jwks: NonNullable<TrustBody['jwks']>) {
  if (JSON.stringify(jwks).length > KEYS_TEXT_MAX) throw new InvalidRequest('jwks is too large.');
  try {
    return parseKeys(jwks);
  } catch {
    throw new InvalidRequest('jwks is {"keys": […]} with public keys: RSA, EC or OKP.');
  }
}

function parseAddress(name: string, text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.hash === '' && url.username === '' && url.password === '') return text;
  throw new InvalidRequest(`${name} is an https:// address without credentials.`);
}

/** The trust of a client as an operator is shown it. */
export function toTrustView({ lifetimeMs, keys, claims, audiences, ...rest }: Trust): TrustView {
  return {
    ...rest,
    audiences: [...audiences],
    claims: claims.map(({ name, values }) => ({ name, values: [...values] })),
    keysFrom: keys.kind,
    jwksUri: keys.kind === 'address' ? keys.url : null,
    keyIds: keys.kind === 'given' ? keys.keys.map(({ kid }) => kid ?? null) : [],
    lifetimeSeconds: lifetimeMs / 1_000,
  };
}

/** The same for the acts of operators. */
export function toTrustState({ audiences, claims, keyIds, ...trust }: TrustView) {
  return {
    ...trust,
    audiences: [...audiences],
    claims: claims.map(({ name, values }) => ({ name, values: [...values] })),
    keyIds: [...keyIds],
  };
}
