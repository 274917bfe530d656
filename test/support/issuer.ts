import { randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { request } from 'undici';
import type { TestBridge } from './bridge.ts';
import { serve } from './local-server.ts';

/** A pair of keys, and the public one as it is shown. */
export type TestKey = Awaited<ReturnType<typeof makeKey>>;

/** Makes a pair of keys; without a `kid` they are shown without one. */
export async function makeKey(kid: string | undefined, alg = 'ES256', use = 'sig') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const shown: JWK = { ...(await exportJWK(publicKey)), ...(kid && { kid }), use, alg };
  return { kid, alg, privateKey, shown };
}

/** Signs any text, with any header. */
export async function signText(
  text: string | Uint8Array,
  { privateKey, alg, kid }: TestKey,
  header: object = {},
): Promise<string> {
  const payload = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const protectedHeader = { alg, typ: 'JWT', ...(kid && { kid }), ...header };
  return new CompactSign(payload)
    .setProtectedHeader(protectedHeader)
    .sign(privateKey, { crit: { 'http://example.com/known': true } });
}

/** How the next requests are answered. */
export type IssuerMood =
  | { readonly kind: 'up' }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'silent' };

/** An issuer of assertions with a description and keys, on loopback. */
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

/** Starts an issuer; its `iss` is its address. */
export async function startIssuer() {
  const server = await serve((req, res) => {
    issuer.asked.push(String(req.url));
    const { mood } = issuer;
    if (mood.kind === 'silent') return;
    if (mood.kind === 'status') return res.writeHead(mood.status, mood.headers).end('{"keys":[]}');
    if (mood.kind === 'text') return res.end(mood.text);
    if (req.url === '/keys')
      return res.end(JSON.stringify({ keys: issuer.keys.map(({ shown }) => shown) }));
    if (req.url === '/token') {
      const tokens = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
      res.setHeader('Content-Type', 'application/json');
      return res.end(JSON.stringify({ ...tokens, id_token: issuer.idToken }));
    }
    if (req.url !== '/.well-known/openid-configuration') return res.writeHead(404).end();
    const { url, jwksUri, description } = issuer;
    return res.end(JSON.stringify({ issuer: url, jwks_uri: jwksUri, ...description }));
  });
  const { url } = server;
  const issuer = {
    ...server,
    jwksUri: `${url}/keys`,
    asked: [] as string[],
    description: {} as object,
    mood: { kind: 'up' } as IssuerMood,
    idToken: '',
    /** The keys that it shows; the first one signs. */
    keys: [await makeKey('first')],
    sign(claims: object): Promise<string> {
      const [key] = issuer.keys;
      if (key === undefined) throw new Error('the issuer has no key');
      return signText(JSON.stringify(claims), key);
    },
  };
  return issuer;
}

/** Claims of a right assertion, by this time in milliseconds. */
export function toClaims(now: number, more: object): Record<string, unknown> {
  const iat = Math.floor(now / 1_000);
  return { iat, nbf: iat, exp: iat + 300, jti: randomUUID(), ...more };
}

/** Settings of a bridge whose operators sign in with the issuer, which is told its endpoints. @param port of the bridge */
export function toOidcSettings(issuer: TestIssuer, port: number) {
  issuer.description = {
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    id_token_signing_alg_values_supported: ['ES256'],
    response_types_supported: ['code'],
  };
  return {
    ...{ CONSOLE_URL: `http://127.0.0.1:${port}`, OIDC_ISSUER: issuer.url },
    ...{ OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret-of-the-console' },
    OIDC_OPERATOR_GROUPS: 'operators',
  };
}

/** What is special about who signs in. */
export interface SignIn {
  readonly claims?: object;
  readonly sign?: (claims: object) => Promise<string>;
}

/** Signs in at the issuer; gives the request that leads back to the bridge. */
export async function beginSignIn(
  { baseUrl }: Pick<TestBridge, 'baseUrl'>,
  issuer: TestIssuer,
  { claims, sign = issuer.sign }: SignIn = {},
) {
  const begun = await request(new URL('/console/oidc', baseUrl));
  const asked = new URL(String(begun.headers.location)).searchParams;
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  issuer.idToken = await sign({
    ...toClaims(Date.now(), { iss: issuer.url, aud: 'console', nonce: asked.get('nonce') }),
    ...{ sub: 'ada', preferred_username: 'ada', groups: ['operators'], ...claims },
  });
  const path = `/console/oidc/callback?code=c&state=${asked.get('state')}`;
  return { method: 'GET', path, headers: { cookie } };
}
