import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { TestBridge } from '../../support/bridge.ts';
import { bridgeForTest } from '../../support/bridge.ts';
import { createSetClock } from '../../support/leaping-clock.ts';
import { OPS_TOKEN } from '../../support/operator.ts';

const READER_TOKEN = 'reader-token-of-a-test-bridge';
const MINUTE_MS = 60_000;
const OWN_PAGE = { 'x-scim-bridge-console': '1', 'sec-fetch-site': 'same-origin' };

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function ask(
  bridge: TestBridge,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  asked: Asked = {},
) {
  const answer = await request(new URL(path, bridge.baseUrl), {
    method,
    headers: { 'content-type': 'application/json', ...asked.headers },
    body: asked.body === undefined ? null : JSON.stringify(asked.body),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function signIn(bridge: TestBridge, token: string, headers = {}) {
  const asked = { headers: { ...OWN_PAGE, ...headers }, body: { token } };
  const answer = await ask(bridge, 'POST', '/console/session', asked);
  const setCookie = String(answer.headers['set-cookie'] ?? '');
  return { ...answer, setCookie, cookie: setCookie.split(';')[0] ?? '' };
}

async function readStatus(bridge: TestBridge, cookie: string, headers = {}) {
  return (await ask(bridge, 'GET', '/ops/status', { headers: { cookie, ...headers } })).status;
}

describe('signing in to the console', () => {
  const openBridge = async () => {
    const clock = createSetClock();
    const settings = { OPS_READER_TOKEN: READER_TOKEN };
    return [await bridgeForTest({ settings, clock }), clock.state] as const;
  };

  test('a token of an operator opens a session that opens /ops, until the person signs out', async () => {
    const [bridge] = await openBridge();
    const { status, setCookie, cookie } = await signIn(bridge, OPS_TOKEN);

    expect(status).toBe(201);
    expect(setCookie).toMatch(
      /^scim_bridge_session=scimbridge_session_\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect(await readStatus(bridge, cookie)).toBe(200);
    const { items } = (await bridge.ops('GET', '/sessions')).body;
    expect(items).toMatchObject([{ name: 'ops.token', for: 'operator' }]);

    const headers = { ...OWN_PAGE, cookie };
    await ask(bridge, 'DELETE', '/console/session', { headers });
    expect(await readStatus(bridge, cookie)).toBe(401);
  });

  test('the list of sessions goes on from its cursor, also among those of one moment', async () => {
    const [bridge] = await openBridge();
    for (let times = 0; times < 5; times += 1) await signIn(bridge, OPS_TOKEN);
    const whole = Object((await bridge.ops('GET', '/sessions')).body);
    const listed: unknown[] = [];
    let cursor = '';
    for (let pages = 0; pages < 4 && cursor !== 'null'; pages += 1) {
      const after = cursor === '' ? '' : `&cursor=${cursor}`;
      const { items, nextCursor } = Object(
        (await bridge.ops('GET', `/sessions?limit=2${after}`)).body,
      );
      listed.push(...items);
      cursor = String(nextCursor);
    }

    expect(whole).toMatchObject({ items: { length: 5 }, nextCursor: null });
    expect(listed).toEqual(whole.items);
    expect((await bridge.ops('GET', '/sessions?cursor=made-up')).status).toBe(400);
  });

  test('a change needs a header that no form can send, and no other page', async () => {
    const [bridge] = await openBridge();
    const { cookie } = await signIn(bridge, OPS_TOKEN);
    const pause = (headers: Record<string, string>) =>
      ask(bridge, 'POST', '/ops/pause', { headers: { cookie, ...headers }, body: {} });

    expect((await pause({})).status).toBe(403);
    expect((await pause({ ...OWN_PAGE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await bridge.ops('GET', '/status')).body.writes).toMatchObject({ paused: null });
    expect((await pause(OWN_PAGE)).status).toBe(200);
    const foreign = { headers: { 'sec-fetch-site': 'cross-site' }, body: { token: OPS_TOKEN } };
    expect((await ask(bridge, 'POST', '/console/session', foreign)).status).toBe(403);
  });

  test('a reader sees and may not act; a provider and a wrong token do not come in', async () => {
    const [bridge] = await openBridge();
    const { cookie } = await signIn(bridge, READER_TOKEN);

    expect(await readStatus(bridge, cookie)).toBe(200);
    const headers = { ...OWN_PAGE, cookie };
    expect((await ask(bridge, 'POST', '/ops/pause', { headers, body: {} })).status).toBe(403);
    expect((await signIn(bridge, bridge.token)).status).toBe(401);
    expect((await signIn(bridge, 'a-token-that-nobody-has')).status).toBe(401);
  });

  test('a session is no token: it opens nothing as one, and SCIM never', async () => {
    const [bridge] = await openBridge();
    const { cookie } = await signIn(bridge, OPS_TOKEN);
    const [, text = ''] = cookie.split('=');
    const headers = { authorization: `Bearer ${text}` };

    expect((await ask(bridge, 'GET', '/ops/status', { headers })).status).toBe(401);
    const scim = await bridge.request('GET', '/Users', undefined, {
      authorization: undefined,
      cookie,
    });
    expect(scim.status).toBe(401);
  });

  test('it ends half an hour after its person, and a page that refreshes itself does not keep it alive', async () => {
    const [bridge, clock] = await openBridge();
    const { cookie } = await signIn(bridge, OPS_TOKEN);
    const refresh = { 'x-scim-bridge-refresh': '1' };

    clock.aheadMs = 20 * MINUTE_MS;
    expect(await readStatus(bridge, cookie)).toBe(200);
    clock.aheadMs = 49 * MINUTE_MS;
    expect(await readStatus(bridge, cookie, refresh)).toBe(200);
    clock.aheadMs = 50 * MINUTE_MS;
    expect(await readStatus(bridge, cookie, refresh)).toBe(401);
  });

  test('it ends after twelve hours, however much it is used', async () => {
    const [bridge, clock] = await openBridge();
    const { cookie } = await signIn(bridge, OPS_TOKEN);

    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      clock.aheadMs = minutes * MINUTE_MS;
      expect(await readStatus(bridge, cookie)).toBe(200);
    }
    clock.aheadMs = 12 * 60 * MINUTE_MS;
    expect(await readStatus(bridge, cookie)).toBe(401);
  });

  test('it ends at once when its token is revoked, and when an operator ends it', async () => {
    const [bridge] = await openBridge();
    const made = await bridge.ops('POST', '/tokens', { name: 'ada', for: 'operator' });
    const first = await signIn(bridge, String(made.body.token));
    const second = await signIn(bridge, OPS_TOKEN);

    await bridge.ops('POST', '/tokens/ada/revoke');
    expect(await readStatus(bridge, first.cookie)).toBe(401);
    const [session] = Object(await bridge.ops('GET', '/sessions')).body.items;
    expect(session.name).toBe('ops.token');
    await bridge.ops('POST', `/sessions/${session.id}/revoke`);
    expect(await readStatus(bridge, second.cookie)).toBe(401);
    expect((await bridge.ops('POST', `/sessions/${session.id}/revoke`)).status).toBe(404);
  });
});

test('a browser that was given the address alone is led to the console, and a program is not', async () => {
  const bridge = await bridgeForTest();
  const read = (accept: string) => ask(bridge, 'GET', '/', { headers: { accept } });
  const page = await read('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');

  expect(page).toMatchObject({ status: 302, headers: { location: '/console/' } });
  for (const accept of ['*/*', 'application/scim+json, application/json'])
    expect((await read(accept)).status).toBe(404);
});
