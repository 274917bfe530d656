import { request } from 'undici';
import { expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { freePort } from '../support/free-port.ts';
import { makeKey, signText, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { forTest } from '../support/lifetimes.ts';
import { beginSignIn, type SignIn, toOidcSettings } from '../support/oidc.ts';

/** A bridge whose operators sign in with an issuer. */
async function setUp(): Promise<{ bridge: TestBridge; issuer: TestIssuer }> {
  const [issuer, port] = [await startIssuer(), await freePort()];
  const bridge = await forTest(startTestBridge({ port, settings: toOidcSettings(issuer, port) }));
  return { bridge, issuer };
}

/** Signs in as the issuer says, and tells where that leads. */
async function signIn({ bridge, issuer }: Awaited<ReturnType<typeof setUp>>, how?: SignIn) {
  const { path, headers } = await beginSignIn(bridge, issuer, how);
  return request(new URL(path, bridge.baseUrl), { headers });
}

const readActs = async (bridge: TestBridge) =>
  Object((await bridge.ops('GET', '/acts')).body).items;

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

test('who comes back with another state, in another browser or with the ID token of another sign-in is not signed in', async () => {
  const set = await setUp();
  const { path, headers } = await beginSignIn(set.bridge, set.issuer);
  const comeBack = (to: string, sent: Readonly<Record<string, string>>) =>
    request(new URL(to, set.bridge.baseUrl), { headers: sent });
  const answers = [
    await comeBack(path.replace(/state=.*/, 'state=another'), headers),
    await comeBack(path, {}),
    await signIn(set, { claims: { nonce: 'another' } }),
  ];

  const refused = '/console/?refused=failed';
  expect(answers.map(({ headers }) => headers.location)).toEqual(answers.map(() => refused));
});
