import type { Server } from 'node:http';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { listen, toPort } from '../../src/app/guarded-server.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const LOOPBACK = expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/);

test('whom and what an operator acts on is told by its id, and never by a name', async () => {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  const bridge = await bridgeForTest({ onLog });
  const token = await bridge.ops('POST', '/tokens', { name: 'okta', for: 'scim' });
  await bridge.ops('POST', '/tokens/okta/revoke');
  const { id: clientId } = (await bridge.ops('POST', '/clients', { name: 'entra' })).body;
  await bridge.ops('POST', '/clients/entra/rotate', {});
  const ada = await bridge.settled(bridge.addUser('ada'));
  await bridge.settled(bridge.request('DELETE', `/Users/${ada}`));
  await bridge.ops('POST', '/users/ada@example.com/erase');
  await bridge.ops('POST', '/users/stranger@example.com/erase');
  const eve = await bridge.settled(bridge.addUser('eve'));
  expect((await bridge.ops('POST', `/users/${eve}/adopt`, {})).status).toBe(409);
  await bridge.ops('POST', '/plans/somebody/approve', { hash: 'x' });
  const { body: swept } = await bridge.ops('POST', '/sweeps', {});

  const acts = log.filter(({ msg }) => msg === 'an operator decided something');
  expect(acts.map(({ route, target }) => [route, target])).toEqual([
    ['/ops/tokens', token.body.id],
    ['/ops/tokens/:id/revoke', token.body.id],
    ['/ops/clients', clientId],
    ['/ops/clients/:id/rotate', clientId],
    ['/ops/users/:user/erase', ada],
    ['/ops/users/:user/erase', undefined],
    ['/ops/users/:id/adopt', eve],
    ['/ops/plans/:id/approve', undefined],
    ['/ops/sweeps', swept.id],
  ]);
  expect(JSON.stringify(log)).not.toContain('@example.com');
});

test('what operators did is listed with who, with which credential, from where, on whom and how it ended', async () => {
  const bridge = await bridgeForTest();
  const { body: made } = await bridge.ops('POST', '/tokens', { name: 'grace', for: 'operator' });
  const asGrace = async (path: string, body: JsonObject) => {
    const url = new URL(`/ops${path}`, bridge.baseUrl).href;
    const headers = {
      authorization: `Bearer ${made.token}`,
      'content-type': 'application/json',
      'x-request-id': 'mine-7',
    };
    return bridge.request('POST', url, body, headers);
  };
  await asGrace('/pause', { reason: 'a look around' });
  await asGrace('/plans/nobody/discard', {});
  await asGrace('/api/users/retrieveCurrentUser', {});

  const { body: all } = await bridge.ops('GET', '/acts');
  const { body: ofGrace } = await bridge.ops('GET', '/acts?operator=grace&limit=2');
  const { body: rest } = await bridge.ops(
    'GET',
    `/acts?operator=grace&cursor=${ofGrace.nextCursor}`,
  );
  const { body: refused } = await bridge.ops('GET', '/acts?outcome=refused');
  const { body: ofToken } = await bridge.ops('GET', `/acts?target=${made.id}`);

  expect(all.items).toHaveLength(4);
  expect(ofGrace.items).toMatchObject([
    {
      act: 'api',
      outcome: 'done',
      target: null,
      after: { operation: 'users.retrieveCurrentUser', result: 'done' },
    },
    { act: 'plan discard', outcome: 'refused', status: 404, target: null },
  ]);
  expect(rest).toMatchObject({
    items: [
      {
        operator: 'grace',
        credential: made.id,
        address: LOOPBACK,
        act: 'pause',
        request: 'POST /ops/pause',
        requestId: 'mine-7',
        outcome: 'done',
        status: 200,
        before: { paused: false, reason: null },
        after: { paused: true, reason: 'a look around' },
      },
    ],
    nextCursor: null,
  });
  expect(refused.items).toHaveLength(1);
  expect(ofToken.items).toMatchObject([
    { operator: 'ops.token', act: 'token create', after: { name: 'grace', for: 'operator' } },
  ]);
  expect(JSON.stringify(all)).not.toContain(String(made.token).slice(-43));
});

test('on a port of their own requests of operators have ids, metrics and a line of the log as well', async () => {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  const settings = { OPS_PORT: '1' };
  const bridge = await bridgeForTest({ settings, onLog });
  const servers: Server[] = [];
  const app = bridge.bridge.opsApp;
  const { server, serve } = await listen({ host: '127.0.0.1', port: 0 }, servers);
  serve(app);
  const ask = (path: string) => {
    const url = `http://127.0.0.1:${toPort(server)}${path}`;
    const headers = { authorization: `Bearer ${OPS_TOKEN}` };
    return bridge.request('GET', url, undefined, { ...headers, 'x-request-id': 'mine-1' });
  };

  const status = await ask('/ops/status');
  const unknown = await ask('/ops/drifts/nobody');
  const metrics = await fetch(`http://127.0.0.1:${toPort(server)}/metrics`, {
    headers: { authorization: `Bearer ${OPS_TOKEN}` },
  });
  const text = await metrics.text();
  server.close();
  server.closeAllConnections();

  expect(status.headers['x-request-id']).toBe('mine-1');
  expect(text).toMatch(/http_request_duration_seconds_count\{.*route="\/ops\/status.*\} 1/);
  const lines = log.filter(({ msg }) => msg === 'request');
  expect(lines.map(({ requestId }) => requestId)).toContain('mine-1');
  expect(unknown.status).toBe(404);
});

test('signing in and out is kept with who, from where and which session; a stranger who guesses fills nothing', async () => {
  const bridge = await bridgeForTest();
  const own = { 'x-scim-bridge-console': '1', 'content-type': 'application/json' };
  const url = new URL('/console/session', bridge.baseUrl);
  const signIn = (token: string) =>
    request(url, { method: 'POST', headers: own, body: JSON.stringify({ token }) });
  for (let guess = 0; guess < 3; guess += 1) await signIn(`a-guess-${guess}`);
  const cookie = String((await signIn(OPS_TOKEN)).headers['set-cookie']).split(';')[0] ?? '';
  const { body: sessions } = await bridge.ops('GET', '/sessions');
  await request(url, { method: 'DELETE', headers: { ...own, cookie } });
  const { body } = await bridge.ops('GET', '/acts');

  const [session] = Object(sessions.items);
  expect(body.items).toMatchObject([
    { act: 'sign out', operator: 'ops.token', target: session.id },
    {
      ...{ act: 'sign in', operator: 'ops.token', address: LOOPBACK },
      ...{ outcome: 'done', target: session.id, after: { role: 'operator' } },
    },
    {
      ...{ act: 'sign in', operator: 'nobody', credential: null },
      ...{ outcome: 'refused', status: 401, after: { attempts: 1 } },
    },
  ]);
});
