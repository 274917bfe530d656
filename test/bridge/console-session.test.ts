import { request } from 'undici';
import { expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const bridge = forSuite(() => startTestBridge({ settings: { TRUST_PROXY: '1' } }));

const toUrl = (path: string) => new URL(path, bridge.baseUrl).href;
const signIn = (headers: Record<string, string>) =>
  bridge.request(
    'POST',
    toUrl('/console/session'),
    { token: OPS_TOKEN },
    {
      ...{ 'x-scim-bridge-console': '1', 'content-type': 'application/json', ...headers },
    },
  );

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
});

test.each([
  '/ops/status',
  '/ops/nowhere',
  '/metrics',
  '/healthz',
  '/console/',
  '/scim/v2/Users',
  '/oauth/token',
])('no browser guesses the type of %s', async (path) => {
  const { headers } = await request(toUrl(path));
  expect(headers['x-content-type-options']).toBe('nosniff');
});
