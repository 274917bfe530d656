import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { freePort } from '../support/free-port.ts';
import { makeKey, signText, startIssuer, type TestIssuer, toClaims } from '../support/issuer.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

let answer: () => Promise<object>;
const tokens: Server = createServer(async (_req, res) => {
  res.setHeader('Content-Type', 'application/json').end(JSON.stringify(await answer()));
});
afterAll(() => void tokens.close());

/** A bridge whose operators sign in with an issuer that answers from its own token endpoint. */
async function setUp(): Promise<{ bridge: TestBridge; issuer: TestIssuer }> {
  const issuer = await startIssuer();
  if (!tokens.listening) await once(tokens.listen(0, '127.0.0.1'), 'listening');
  issuer.description = {
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `http://127.0.0.1:${Object(tokens.address()).port}/token`,
    id_token_signing_alg_values_supported: ['ES256'],
    response_types_supported: ['code'],
  };
  const port = await freePort();
  const bridge = await startTestBridge({
    port,
    settings: {
      ...{ ...SWEEP_SETTINGS, CONSOLE_URL: `http://127.0.0.1:${port}`, OIDC_ISSUER: issuer.url },
      ...{ OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret-of-the-console' },
      OIDC_OPERATOR_GROUPS: 'operators',
    },
  });
  onTestFinished(() => bridge.stop());
  return { bridge, issuer };
}

interface SignIn {
  readonly claims?: object;
  readonly sign?: (claims: object) => Promise<string>;
}

/** Signs in as the issuer says, and tells where that leads. */
async function signIn({ bridge, issuer }: Awaited<ReturnType<typeof setUp>>, how: SignIn = {}) {
  const begun = await request(new URL('/console/oidc', bridge.baseUrl));
  const asked = new URL(String(begun.headers.location)).searchParams;
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const claims = {
    ...toClaims(Date.now(), { iss: issuer.url, aud: 'console', nonce: asked.get('nonce') }),
    ...{ sub: 'ada', preferred_username: 'ada', groups: ['operators'], ...how.claims },
  };
  answer = async () => ({
    ...{ access_token: 'a', token_type: 'Bearer', expires_in: 60 },
    id_token: await (how.sign ?? issuer.sign)(claims),
  });
  const url = new URL(`/console/oidc/callback?code=c&state=${asked.get('state')}`, bridge.baseUrl);
  return request(url, { headers: { cookie } });
}

const readActs = async (bridge: TestBridge) =>
  Object((await askOps(bridge, 'GET', '/acts')).body).items;

test('who signs in is whom an ID token names that the issuer has signed', async () => {
  const set = await setUp();
  const other = await makeKey('first');
  const forged = await signIn(set, { sign: (claims) => signText(JSON.stringify(claims), other) });
  expect(forged.headers.location).toBe('/console/?refused=failed');
  expect(forged.headers['set-cookie']).not.toContain('scim_bridge_session=');

  const right = await signIn(set);
  expect(right.headers.location).toBe('/console/');
  expect(await readActs(set.bridge)).toMatchObject([
    { act: 'signed in to the console', operator: 'ada', outcome: 'done' },
    { act: 'signed in to the console', operator: 'nobody', outcome: 'refused' },
  ]);
});

test('a name of the issuer is one short line beside the credential, and no name of another one', async () => {
  const set = await setUp();
  const name = `ops.token\n\u202eforged${'x'.repeat(20_000)}`;
  await signIn(set, { claims: { preferred_username: name } });
  const long = await signIn(set, { claims: { sub: 'x'.repeat(256) } });

  expect(long.headers.location).toBe('/console/?refused=failed');
  const [, act] = await readActs(set.bridge);
  expect(act).toMatchObject({ credential: 'oidc-ada', outcome: 'done' });
  expect(act.operator).toMatch(/^ops\.token forgedx{1,90}$/);
});
