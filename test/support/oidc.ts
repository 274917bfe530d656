import { request } from 'undici';
import type { TestBridge } from './bridge.ts';
import { type TestIssuer, toClaims } from './issuer.ts';

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
