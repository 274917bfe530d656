import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { newSecret } from '../../src/access/secret-text.ts';
import { expectScimError } from '../support/attack.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { runAlone, runner } from '../support/command.ts';
import { askWith, makeToken } from '../support/credentials.ts';
import { freePort } from '../support/free-port.ts';
import type { SignIn, TestIssuer } from '../support/issuer.ts';
import { beginSignIn, makeKey, signText, startIssuer, toOidcSettings } from '../support/issuer.ts';
import { createSetClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { sendRaw } from '../support/send-raw.ts';
import { makeStoreUrl } from '../support/take-store.ts';

const bridge = forSuite(async () => {
  // Each of them is tried at many addresses, which would otherwise be slowed.
  return startTestBridge({ settings: { ACCESS_FAILED_DELAY_MAX: '0' } });
});

describe('credentials', () => {
  const token = 'token-of-a-test-bridge';
  const pair = `${token}:${token}`;
  const wrong: { what: string; authorization: string | undefined }[] = [
    { what: 'missing', authorization: undefined },
    { what: 'empty', authorization: '' },
    { what: 'a scheme without a token', authorization: 'Bearer' },
    { what: 'another token', authorization: 'Bearer another-token-of-a-bridge' },
    { what: 'the beginning of the token', authorization: `Bearer ${token.slice(0, -1)}` },
    { what: 'the token twice', authorization: `Bearer ${token} ${token}` },
    { what: 'another scheme', authorization: `Basic ${token}` },
    { what: 'the token as a name and password', authorization: `Basic ${btoa(pair)}` },
    { what: 'letters beyond ASCII', authorization: `Bearer ${'\u00fc\u00df\u00e9'.repeat(5)}` },
    { what: '12,000 characters', authorization: `Bearer ${'x'.repeat(12_000)}` },
    { what: 'a thousand schemes', authorization: 'Bearer '.repeat(1_000) },
  ];
  for (const { what, authorization } of wrong) {
    test(`${what}: 401 with a challenge, for every route, also one that does not exist`, async () => {
      for (const path of ['/Users', '/Users/1', '/ServiceProviderConfig', '/Nope', '']) {
        const url = `${bridge.baseUrl}${path}`;
        const answer = await bridge.request('GET', url, undefined, { authorization });

        expectScimError(answer, 401);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
        expect(answer.text).not.toContain(token);
      }
    });
  }

  for (const authorization of [`Bearer ${token}`, token, `bearer   ${token}`, `BEARER ${token} `]) {
    test(`accepted: ${authorization}`, async () => {
      const { status } = await bridge.request('GET', '/Users', undefined, { authorization });

      expect(status).toBe(200);
    });
  }

  test('credentials are judged before the body is read', async () => {
    const headers = { authorization: 'Bearer wrong' };

    const answer = await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body: '{' });

    expectScimError(answer, 401);
  });
});

describe('console session', () => {
  const bridge = bridgeForSuite({ settings: { TRUST_PROXY: '1' } });

  const toUrl = (path: string) => new URL(path, bridge.baseUrl).href;
  const signIn = (headers: Record<string, string>) => {
    const own = { 'x-scim-bridge-console': '1', 'content-type': 'application/json', ...headers };
    return bridge.request('POST', toUrl('/console/session'), { token: OPS_TOKEN }, own);
  };

  test('over HTTPS no other host of the domain can set the cookie of a session', async () => {
    const answer = await signIn({ origin: 'https://bridge.example.com' });
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-scim_bridge_session=[^;]+; Path=\/;.*; Secure$/);
    const text = cookie.split(';')[0] ?? '';
    const tossed = `scim_bridge_session=nonsense; ${text}`;
    const { statusCode } = await request(toUrl('/ops/status'), { headers: { cookie: tossed } });
    expect(statusCode).toBe(200);

    const plain = await signIn({ origin: 'http://localhost:8080' });
    expect(String(plain.headers['set-cookie'])).toMatch(/^scim_bridge_session=/);
  });

  test.each(['evil', '203.0.113.9\tforged', '<script>', 'a'.repeat(5_000)])(
    'text that is no address is never told as one: %s',
    async (text) => {
      await signIn({ 'x-forwarded-for': text });
      const { body } = await bridge.ops('GET', '/acts?limit=1');
      expect(Object(body).items[0].address).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
    },
  );

  test('what a trusted proxy says of an address is believed', async () => {
    await signIn({ 'x-forwarded-for': '203.0.113.9' });
    const { body } = await bridge.ops('GET', '/acts?limit=1');
    expect(Object(body).items[0].address).toBe('203.0.113.9');
  });

  test('a reader is not given the token of the sandbox', async () => {
    const { body } = await bridge.ops('POST', '/tokens', { name: 'eve', for: 'reader' });
    const headers = { authorization: `Bearer ${body.token}` };
    const asReader = await bridge.request('GET', toUrl('/ops/sandbox'), undefined, headers);
    expect(asReader.body).toEqual({ url: bridge.sandbox.url, token: null });
    expect((await bridge.ops('GET', '/sandbox')).body.token).toBe(bridge.sandbox.token);
    const env = { OPS_COMMAND_TOKEN: String(body.token) };
    expect((await runner(bridge, { env })('sandbox', 'state')).err).toContain('role operator');
  });

  const pages = ['/ops/status', '/ops/nowhere', '/metrics', '/healthz', '/console/'];
  test.each([...pages, '/scim/v2/Users', '/oauth/token'])(
    'no browser guesses the type of %s',
    async (path) => {
      expect((await request(toUrl(path))).headers['x-content-type-options']).toBe('nosniff');
    },
  );
});

async function setUp(): Promise<{ bridge: TestBridge; issuer: TestIssuer }> {
  const [issuer, port] = [await forTest(startIssuer()), await freePort()];
  const bridge = await bridgeForTest({ port, settings: toOidcSettings(issuer, port) });
  return { bridge, issuer };
}

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

  expect((await signIn(set)).headers.location).toBe('/console/');
  expect(await readActs(set.bridge)).toMatchObject([
    { act: 'sign in', operator: 'ada', outcome: 'done' },
    { act: 'sign in', operator: 'nobody', outcome: 'refused' },
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

const DAY_MS = 24 * 3_600_000;

describe('named tokens', () => {
  test('one that was made opens SCIM at once, and is told by its name', async () => {
    const bridge = await bridgeForTest();
    const { id, text } = await makeToken(bridge, { name: 'okta', expires: '90d' });
    const bare = { authorization: text };
    const answers = [
      await askWith(bridge, text),
      await bridge.request('GET', '/Users', undefined, bare),
      await bridge.request('GET', '/Users/nobody', undefined, bare),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(text).toMatch(/^scimbridge_token_[0-9a-f]{16}_[\w-]{43}$/);
    const readUse = async () => (await bridge.listOps('/tokens')).at(0)?.lastUsedAt;
    await expect.poll(readUse).toMatch(/^\d{4}-/);
    const [token] = await bridge.listOps('/tokens');
    expect(token).toMatchObject({ id, name: 'okta', for: 'scim', createdBy: 'settings-operator' });
    const [created, expires] = [token?.createdAt, token?.expiresAt].map(String).map(Date.parse);
    expect(Number(expires) - Number(created)).toBe(90 * DAY_MS);
    const readLog = async () => (await bridge.ops('GET', '/requests')).body.items;
    await expect.poll(readLog).toMatchObject([{ credential: id }]);
  });

  test('unknown, wrong, expired and revoked ones are answered alike, and expiry goes by the clock of the store', async () => {
    const clock = createSetClock();
    const bridge = await bridgeForTest({ clock });
    const short = await makeToken(bridge, { name: 'short', expires: '1d' });
    const long = await makeToken(bridge, { name: 'long', expires: 'never' });
    const gone = await makeToken(bridge, { name: 'gone' });
    const valid = [short, long, gone].map(({ text }) => askWith(bridge, text));
    expect((await Promise.all(valid)).map(({ status }) => status)).toEqual([200, 200, 200]);

    clock.state.aheadMs = DAY_MS + 1;
    await bridge.ops('POST', '/tokens/gone/revoke');
    const wrong = long.text.replace(/.{43}$/, newSecret('token').text.slice(-43));
    const texts = [newSecret('token').text, wrong, short.text, gone.text, 'anything-else-at-all'];
    const answers = await Promise.all(texts.map((text) => askWith(bridge, text)));

    const challenge = 'Bearer realm="scim", error="invalid_token"';
    for (const { status, text, headers } of answers) {
      const seen = [status, text, headers['www-authenticate']];
      expect(seen).toEqual([401, answers[0]?.text, challenge]);
    }
    expect((await askWith(bridge, long.text)).status).toBe(200);
  });

  test('what expires within 30 days is told, by name to operators alone, until it is revoked', async () => {
    const bridge = await bridgeForTest();
    await makeToken(bridge, { name: 'okta-now', expires: '29d' });
    await makeToken(bridge, { name: 'okta-later', expires: '31d' });
    await makeToken(bridge, { name: 'okta-ever', expires: 'never' });
    await bridge.ops('POST', '/clients', { name: 'entra' });
    const url = new URL('/readyz', bridge.baseUrl).href;
    const before = await bridge.request('GET', url);
    await bridge.ops('POST', '/tokens/okta-now/revoke');
    const after = await bridge.request('GET', url);

    expect(before.status).toBe(200);
    expect(before.body.reasons).toMatchObject([{ code: 'credential-expires' }]);
    expect(before.text).toContain('1 token or secret');
    expect(before.text).not.toContain('okta');
    expect(after.body.reasons).toEqual([]);
  });
});

test('scim-bridge token makes tokens in the store before the first start, and asks the bridge once it runs', async () => {
  const DATABASE_URL = await makeStoreUrl();
  const alone = (...args: string[]) => runAlone(['token', ...args], { DATABASE_URL });
  const made = await alone('create', 'okta', '--expires', 'never');
  const ops = await alone('create', 'ada', '--for', 'operator', '--json');
  const twice = await alone('create', 'okta');
  const text = /scimbridge_token_\S+/.exec(made.text)?.[0] ?? '';
  const operator = JSON.parse(ops.out);
  const elsewhere = { UPSTREAM_URL: 'http://x.invalid', UPSTREAM_TOKEN: 'x' };
  const unnamed = await runAlone(['token', 'create', 'okta'], elsewhere);

  expect([made.code, ops.code, twice.code]).toEqual([0, 0, 1]);
  expect(made.err).toMatch(/^Made in \S+\. A bridge with another store does not know it\.$/m);
  expect(unnamed.err).toContain('data/bridge.db: set OPS_URL');
  expect(twice.text).toContain('Another token has this name');
  expect(operator).toMatchObject({ name: 'ada', for: 'operator', createdBy: 'command' });

  const bridge = await bridgeForTest({ settings: { DATABASE_URL } });
  const run = runner(bridge, { env: { OPS_TOKEN: operator.token } });
  await bridge.addUser('ada');
  const listed = await run('token', 'list');
  expect(listed.text).toMatch(/okta +scim +never expires +never\n/);
  expect(listed.text).not.toContain('scimbridge_');
  expect((await askWith(bridge, text)).status).toBe(200);
  const taken = await run('token', 'create', 'okta');
  const revoked = await run('token', 'revoke', 'okta', '--yes');
  const unknown = await run('token', 'revoke', 'okta', '--yes');

  expect([taken.code, revoked.code, unknown.code]).toEqual([1, 0, 1]);
  expect(taken.text).toContain('Another token has this name');
  expect(revoked.text).toMatch(/^okta \(token-[0-9a-f]{16}\) is revoked\.\n$/);
  expect((await askWith(bridge, text)).status).toBe(401);
  expect((await run('token', 'list', '--all')).text).toContain('revoked');
  expect((await run('token', 'list')).text).not.toContain('okta');
});
