import type { KeySource, Trust } from '../../domain/credential.ts';
import { Refusal } from '../refusal.ts';
import { parseKeys } from './issuer-keys.ts';

/** What an operator says of the assertions of a client; `jwks` is a key set (RFC 7517 §5). */
interface TrustWish {
  readonly issuer?: string | undefined;
  readonly audiences?: readonly string[] | undefined;
  readonly claims?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly jwksUri?: string | undefined;
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  readonly once?: string | null | undefined;
}

const CLAIMS_MAX = 20;
const KEYS_TEXT_MAX = 65_536;
/** Claims that are compared anyway. */
const OWN_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat'];

const refuse = (words: string) => new Refusal(400, 'invalid', words);

/** Makes a trust of what an operator says. @param lifetimeMs longest validity of an assertion @throws Refusal 400 where it would trust others too */
export function toTrust(wish: TrustWish, lifetimeMs: number): Trust {
  const { issuer = null, audiences = [], once = 'jti' } = wish;
  const claims = Object.entries(wish.claims ?? {}).map(([name, values]) => ({ name, values }));
  const own = claims.find(({ name }) => OWN_CLAIMS.includes(name));
  if (own !== undefined) throw refuse(`\`claims\`: ${own.name} is compared anyway.`);
  if (claims.length > CLAIMS_MAX) throw refuse(`\`claims\` has at most ${CLAIMS_MAX}.`);
  if (issuer !== null && audiences.length === 0)
    throw refuse('An issuer signs for many: `audiences` is needed, to say which are for you.');
  if (issuer !== null && claims.length === 0)
    throw refuse('An issuer signs for many: `claims` is needed, to say who of them it is.');
  return { issuer, audiences, claims, keys: toSource(wish), lifetimeMs, once };
}

function toSource({ issuer, jwksUri, jwks }: TrustWish): KeySource {
  if (jwksUri !== undefined && jwks !== undefined)
    throw refuse('Keys are at `jwksUri`, or given as `jwks`: one of both.');
  if (jwks !== undefined) return { kind: 'given', keys: parseGiven(jwks) };
  if (jwksUri !== undefined) return { kind: 'address', url: parseAddress('jwksUri', jwksUri) };
  if (issuer === undefined)
    throw refuse('A client that signs for itself needs keys: `jwksUri`, or `jwks`.');
  parseAddress('issuer', issuer);
  return { kind: 'issuer' };
}

function parseGiven(jwks: NonNullable<TrustWish['jwks']>) {
  if (JSON.stringify(jwks).length > KEYS_TEXT_MAX) throw refuse('`jwks` is too large.');
  try {
    return parseKeys(jwks);
  } catch {
    throw refuse('`jwks` is {"keys": […]} with public keys: RSA, EC or OKP.');
  }
}

function parseAddress(name: string, text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.hash === '' && url.username === '' && url.password === '') return text;
  throw refuse(`\`${name}\` is an https:// address without credentials.`);
}
