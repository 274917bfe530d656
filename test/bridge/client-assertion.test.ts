import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import { request } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  APP,
  AUDIENCE,
  makeClient,
  present,
  presentRight,
  SETTINGS,
  TYPE,
  toJson,
  toRight,
  WHO,
} from '../support/assertions.ts';
import type { TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import type { TokenAnswer } from '../support/credentials.ts';
import { askWith, postTokenForm } from '../support/credentials.ts';
import { makeKey, signText, startIssuer } from '../support/issuer.ts';
import { createLeapingClock, createSetClock } from '../support/leaping-clock.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { makeStoreFile, makeStoreUrl, readStoreBytes } from '../support/take-store.ts';
import { listWrong } from '../support/wrong-assertions.ts';

describe('sign-in without a shared secret', () => {
  const openBridge = async (options: TestBridgeOptions = {}) => {
    const issuer = await forTest(startIssuer());
    const settings = { ...SETTINGS, DATABASE_URL: await makeStoreUrl(), ...options.settings };
    return [await bridgeForTest({ ...options, settings }), issuer] as const;
  };

  const openFile = async () => {
    const url = makeStoreFile();
    return [...(await openBridge({ settings: { DATABASE_URL: url } })), url] as const;
  };

  test('an assertion as Entra makes it opens SCIM, as its provider, and is nowhere in the store', async () => {
    const [bridge, issuer, url] = await openFile();
    await bridge.ops('POST', '/providers', { name: 'entra' });
    const claims = { appid: [APP], sub: ['somebody', WHO.sub] };
    // 65 minutes, and no id: what Microsoft's guide shows.
    const means = { issuer: issuer.url, audiences: [AUDIENCE], claims };
    const trust = { ...means, lifetime: '75m', once: null };
    const body = { name: 'entra-app', provider: 'entra', trust };
    const made = await bridge.ops('POST', '/clients', body);
    const { jti: _, ...right } = toRight(issuer);
    const assertion = await issuer.sign({ ...right, exp: Number(right.iat) + 3_900 });
    const first = await present(bridge, String(made.body.id), assertion);
    const again = await present(bridge, String(made.body.id), assertion);
    const users = await askWith(bridge, first.body.access_token);
    const posted = await bridge.request(
      'POST',
      '/Users',
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@example.com' },
      { authorization: `Bearer ${String(again.body.access_token)}` },
    );
    const listed = await bridge.ops('GET', '/clients');
    const owned = await bridge.ops('GET', '/users');
    const acts = await bridge.ops('GET', '/acts');

    expect(made.body).toMatchObject({ secret: null, secrets: [], provider: 'entra' });
    expect([first.status, again.status, users.status, posted.status]).toEqual([200, 200, 200, 201]);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'scim' });
    expect(first.headers['cache-control']).toBe('no-store');
    expect(listed.body.items).toMatchObject([
      {
        id: made.body.id,
        lastUsedAt: expect.any(String),
        trust: { issuer: issuer.url, keysFrom: 'issuer', lifetimeSeconds: 4_500, once: null },
      },
    ]);
    expect(JSON.stringify(owned.body.items)).toContain('"provider":"entra"');
    expect(JSON.stringify(acts.body.items)).toContain(AUDIENCE);
    expect(readStoreBytes(url)).not.toContain(assertion.slice(-40));
  });

  test('a public library finds the bridge by its metadata, and proves itself with a key of its own', async () => {
    const [bridge, _, file] = await openFile();
    const key = await makeKey('own', 'PS256');
    const body = { name: 'own', trust: { jwks: { keys: [{ ...key.shown, d: 'private' }] } } };
    const made = await bridge.ops('POST', '/clients', toJson(body));
    const client = { client_id: String(made.body.id) };
    const url = new URL(new URL(bridge.baseUrl).origin);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const found = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(url, found);
    const prove = oauth.PrivateKeyJwt({ key: key.privateKey, kid: 'own' });
    const args = [server, client, prove, new URLSearchParams({ scope: 'scim' }), insecure] as const;
    const response = await oauth.clientCredentialsGrantRequest(...args);
    const token = await oauth.processClientCredentialsResponse(server, client, response);

    expect(server).toMatchObject({
      issuer: url.origin,
      token_endpoint: `${url.origin}/oauth/token`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: ['scim'],
    });
    expect(server.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(server.token_endpoint_auth_signing_alg_values_supported).not.toContain('HS256');
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3_600 });
    const headers = { authorization: `Bearer ${token.access_token}` };
    expect((await bridge.request('GET', '/Users', undefined, headers)).status).toBe(200);
    expect(readStoreBytes(file)).not.toContain('"private"');
    const posted = await request(found.url, { method: 'POST' });
    await posted.body.dump();
    expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET']);
  });

  test('wrong assertions of every kind are answered alike, and none of them takes the right one away', async () => {
    const lines: JsonObject[] = [];
    const clock = createLeapingClock(4);
    const options = { clock, onLog: (line: JsonObject) => void lines.push(line) };
    const [bridge, issuer] = await openBridge(options);
    issuer.keys.push(await makeKey('rsa', 'RS256'), await makeKey('enc', 'ES256', 'enc'));
    const id = await makeClient(bridge, issuer, { jwksUri: issuer.jwksUri });
    const rows = await listWrong(bridge, issuer, id);
    const wrong = { client_id: id, client_secret: 'scimbridge_wrong' };
    const secret = await postTokenForm(bridge, wrong);
    const toText = ({ status, headers, body }: TokenAnswer) =>
      JSON.stringify([status, headers['www-authenticate'], headers['cache-control'], body]);
    const wanted = toText(secret);
    // Together, because those with an unknown key wait for one reading of the keys.
    const answers = rows.map(async ([why, { client = id, type = TYPE, assertion }]) => {
      const form = { client_assertion_type: type, client_assertion: await assertion() };
      const answer = await postTokenForm(bridge, { ...(client && { client_id: client }), ...form });
      return { why, text: toText(answer) };
    });
    const differing = (await Promise.all(answers)).filter(({ text }) => text !== wanted);

    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(secret).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(differing).toEqual([]);
    expect((await presentRight(bridge, id, issuer)).status).toBe(200);
    const told = lines.filter(({ msg }) => msg === 'an assertion of a client was not taken');
    expect(told.length).toBe(10);
    const text = JSON.stringify(lines);
    for (const word of [WHO.sub, APP, AUDIENCE, 'eyJ']) expect(text).not.toContain(word);
  });

  test('a signature is verified for each wrong assertion, also where there is no client and no key', async () => {
    const [bridge, issuer] = await openBridge();
    issuer.keys.push(await makeKey('rsa', 'RS256'), await makeKey('enc', 'ES256', 'enc'));
    const id = await makeClient(bridge, issuer, { jwksUri: issuer.jwksUri });
    const verify = vi.spyOn(crypto.subtle, 'verify');
    onTestFinished(() => verify.mockRestore());
    const count = async (client: string, assertion: string) => {
      verify.mockClear();
      expect((await present(bridge, client, assertion)).status).toBe(401);
      return verify.mock.calls.length;
    };
    const right = await issuer.sign(toRight(issuer));
    const nobody = await signText(JSON.stringify(toRight(issuer)), await makeKey('nobody'));
    const stranger = await signText(JSON.stringify(toRight(issuer)), await makeKey('first'));

    expect([
      await count('client-0000000000000000', right),
      await count(id, 'x'),
      await count(id, nobody),
      await count(id, stranger),
    ]).toEqual([1, 1, 1, 1]);
  });

  test('the log says why an assertion is not taken, for which client', async () => {
    const lines: JsonObject[] = [];
    const [bridge, issuer] = await openBridge({ onLog: (line) => lines.push(line) });
    const id = await makeClient(bridge, issuer);
    const wrong = await issuer.sign({ ...toRight(issuer), appid: 'another' });
    await present(bridge, id, wrong);
    await present(bridge, id, wrong);
    await present(bridge, 'client-0000000000000000', wrong);

    const requestId = expect.any(String);
    const told = lines.filter(({ msg }) => msg === 'an assertion of a client was not taken');
    expect(told).toMatchObject([
      { level: 'warn', credential: id, reason: 'claim', attempts: 1, requestId },
      { reason: 'unknown-client', attempts: 1 },
    ]);
    expect(told[1]).not.toHaveProperty('credential');
  });

  test('an assertion is taken once, also after a restart and by another clock; its successor is taken', async () => {
    const clock = createSetClock();
    const issuer = await forTest(startIssuer());
    const service = await forTest(startSandbox());
    const settings = { ...SETTINGS, DATABASE_URL: await makeStoreUrl() };
    const first = await startTestBridge({ service, settings, clock });
    const id = await makeClient(first, issuer);
    const assertion = await issuer.sign(toRight(issuer));
    const scope = { scope: 'admin', client_assertion_type: TYPE, client_assertion: assertion };
    const wrongScope = await postTokenForm(first, { client_id: id, ...scope });
    const taken = await present(first, id, assertion);
    const again = await present(first, id, assertion);
    await first.stop();
    expect([wrongScope.status, taken.status, again.status]).toEqual([400, 200, 401]);

    const second = await startTestBridge({ service, settings, clock });
    const later = await present(second, id, assertion);
    // Its end and what clocks may differ by, less a second: the entry is still there.
    clock.state.aheadMs = 329_000;
    const last = await present(second, id, assertion);
    const next = await present(second, id, await issuer.sign(toRight(issuer, clock.now())));
    const token = await askWith(second, taken.body.access_token);
    await second.stop();
    expect([later.status, last.status, next.status, token.status]).toEqual([401, 401, 200, 200]);
  });
});

const [issuer, jwksUri] = ['https://a.example', 'https://127.0.0.1/'];
const refusedTrusts: readonly [why: string, trust: object, words: string][] = [
  [
    'an issuer without an audience',
    { issuer, claims: { a: ['b'] } },
    'An issuer signs for many: `a',
  ],
  ['an issuer without a claim', { issuer, audiences: ['x'] }, 'An issuer signs for many: `claims'],
  ['a client without keys', {}, 'A client that signs for itself'],
  ['keys in two places', { jwksUri: issuer, jwks: { keys: [] } }, 'Keys are at `jwksUri`'],
  ['keys without a key', { jwks: { keys: [] } }, '`jwks` is {"keys"'],
  ['a shared key', { jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, '`jwks` is {"keys"'],
  ['keys that are no web address', { jwksUri: 'file:///etc/passwd' }, '`jwksUri` is an https://'],
  ['an address with a password', { jwksUri: 'https://a:b@127.0.0.1/' }, '`jwksUri` is an https://'],
  [
    'a claim that is compared anyway',
    { jwksUri, claims: { exp: ['1'] } },
    '`claims`: exp is compared',
  ],
  ['a day and more', { jwksUri, lifetime: '25h' }, '`lifetime` is a duration'],
  ['a word too much', { jwksUri, key: 'x' }, '`trust`: Unrecognized key'],
  ['a claim without values', { jwksUri, claims: { a: [] } }, '`trust.claims.a`: Too small'],
];

test('a trust that would let in more than one means is refused', async () => {
  const bridge = await bridgeForTest({ settings: SETTINGS });
  for (const [why, trust, words] of refusedTrusts) {
    const { status, body } = await bridge.ops('POST', '/clients', toJson({ name: 'x', trust }));
    expect([status, body.code], why).toEqual([400, 'invalid']);
    expect(String(body.message).startsWith(words), `${why}: ${body.message}`).toBe(true);
  }
  const jwks = { keys: [(await makeKey('own')).shown] };
  const both = toJson({ name: 'x', expires: '730d', trust: { jwks } });
  const unnamed = toJson({ name: 'x', trust: { jwksUri: 'https://keys.example.com/' } });
  expect((await bridge.ops('POST', '/clients', both)).status).toBe(400);
  const refused = await bridge.ops('POST', '/clients', unnamed);
  expect([refused.status, refused.body.code]).toEqual([409, 'host-refused']);
  expect((await bridge.ops('GET', '/clients')).body.items).toEqual([]);
});

test('a bridge with a path of its own shows its metadata behind that path too', async () => {
  const { baseUrl } = await bridgeForTest({ publicUrl: 'https://example.com/bridge' });
  const read = async (path: string) => {
    const { statusCode, body } = await request(new URL(path, baseUrl));
    return { status: statusCode, body: Object(await body.json()) };
  };
  const wellKnown = '/.well-known/oauth-authorization-server';
  const plain = await read(wellKnown);
  const own = await read(`${wellKnown}/bridge`);
  const other = await read(`${wellKnown}/other`);

  expect(plain).toEqual(own);
  expect(own.body.token_endpoint).toBe('https://example.com/bridge/oauth/token');
  expect(other.status).toBe(404);
});

test('scim-bridge client create with a trust makes a client, which is listed with what it trusts and proves itself', async () => {
  const issuer = await forTest(startIssuer());
  const settings = { ...SETTINGS, DATABASE_URL: await makeStoreUrl() };
  const folder = makeFolder();
  const [file, noFile] = [join(folder, 'keys.json'), join(folder, 'none.json')];
  writeFileSync(file, JSON.stringify({ keys: [(await makeKey('own')).shown] }));
  const bridge = await bridgeForTest({ settings });
  const command = runner(bridge, { env: settings });
  const run = (...args: string[]) => command('client', 'create', ...args);
  const claims = ['--claim', `appid=${APP}`, '--claim', 'sub=a', '--claim', `sub=${WHO.sub}`];
  const trust = ['--issuer', issuer.url, '--audience', AUDIENCE, '--lifetime', '75m'];
  const made = await run('entra', ...trust, ...claims, '--once', 'never');
  const ownMade = await run('own', '--jwks-file', file);
  const wrong = await run('x', '--jwks-file', noFile);
  const noClaim = await run('x', '--issuer', issuer.url, '--claim', 'appid');
  const noHost = await run('x', '--jwks-uri', 'https://keys.example.com/');
  const id = /^client_id +(\S+)$/m.exec(made.text)?.[1] ?? '';

  expect([made.code, ownMade.code, wrong.code, noClaim.code, noHost.code]).toEqual([
    ...[0, 0, 64, 64, 1],
  ]);
  expect(made.text).toMatch(new RegExp(`proven by +assertions of ${issuer.url}`));
  expect(made.text).not.toMatch(/client_secret|only time/);
  expect(ownMade.text).toMatch(/proven by +assertions of its own/);
  expect(noHost.text).toContain('OAUTH_KEY_HOSTS does not name');
  const listed = await command('client', 'list');
  expect(listed.text).toMatch(new RegExp(`^client-\\w+ +entra +assertions of ${issuer.url}`, 'm'));
  expect(listed.text).toMatch(/^client-\w+ +own +assertions of its own/m);
  expect((await presentRight(bridge, id, issuer)).status).toBe(200);
  await command('client', 'revoke', 'own', '--yes');
  const all = (await command('client', 'list', '--all')).text;
  expect(all).toMatch(/^client-\w+ +own +revoked 2/m);
  expect(all).toMatch(/^client-\w+ +entra +assertions of /m);
});
