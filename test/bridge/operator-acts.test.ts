import type { Server } from 'node:http';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { listen, toPort } from '../../src/app/guarded-server.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { opsRoutes } from '../../src/ops/routes.ts';
import { ACT_WORDS } from '../../src/ops/timeline/act-log.ts';
import { withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const LOOPBACK = expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/);
/** The machine may be busy. */
const PATIENT = { interval: 10 };

test('what an operator decides is kept and told with the name of the token', async () => {
  const log: JsonObject[] = [];
  const settings = {
    ...SWEEP_SETTINGS,
    DRIFT_POLICY: '{"member.added":"repair"}',
    LIMITS_REMOVE_MEMBER_COUNT: '0',
  };
  const onLog = (line: JsonObject) => void log.push(line);
  await withTestBridge({ settings, onLog }, async (bridge) => {
    const { body: made } = await askOps(bridge, 'POST', '/tokens', {
      name: 'grace',
      for: 'operator',
    });
    const text = String(made.token);
    const asGrace = async (path: string, body?: JsonObject) => {
      const url = new URL(`/ops${path}`, bridge.baseUrl).href;
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
      return (await bridge.request(method, url, body, headers)).body;
    };
    const eve = await addUser(bridge, 'eve');
    await addUser(bridge, 'fay');
    const pilots = await addGroup(bridge, 'Pilots');
    await untilSettled(bridge);
    bridge.sandbox.service.addMember('Pilots', 'eve@example.com');
    const { planId } = await sweep(bridge);
    const held = await asGrace(`/plans/${planId}`);
    const approved = await asGrace(`/plans/${planId}/approve`, { hash: String(held.hash) });
    const readPlan = async () => (await asGrace(`/plans/${planId}`)).status;
    await expect.poll(readPlan, PATIENT).toBe('applied');
    bridge.sandbox.service.addMember('Pilots', 'fay@example.com');
    await sweep(bridge);
    const { items } = await asGrace('/drifts?status=open&kind=member.added');
    const [drift] = Array.isArray(items) ? items.map((item) => Object(item)) : [];
    await asGrace(`/drifts/${drift?.id}/ignore`, { until: '2999-01-01', reason: 'leave' });
    const { items: ignored } = await asGrace('/drifts?status=ignored');
    await asGrace('/api/users/retrieveCurrentUser', {});
    await asGrace(`/plans/${planId}/discard`, {});
    const listActsOf = async (id: unknown) =>
      (await askOps(bridge, 'GET', `/acts?target=${id}`)).body.items;
    const decisions = await listActsOf(planId);
    const [ofEve, ofPilots] = [await listActsOf(eve), await listActsOf(pilots)];

    expect(ofEve).toEqual(decisions);
    expect(ofPilots).toMatchObject([
      { act: 'discarded a plan', target: planId },
      { act: 'left a difference alone', target: drift?.id },
      { act: 'approved a plan', target: planId },
    ]);
    expect(decisions).toMatchObject([
      {
        outcome: 'refused',
        before: { status: 'applied', waiting: 0 },
        after: { status: 'applied', waiting: 0 },
      },
      {
        outcome: 'done',
        before: { status: 'held', waiting: 1 },
        after: { status: 'approved' },
      },
    ]);
    expect([held.decidedBy, approved.decidedBy]).toEqual([null, 'grace']);
    expect(ignored).toMatchObject([{ note: { text: 'leave', by: 'grace' } }]);
    const acts = log.filter(({ operator }) => operator === 'grace');
    expect(acts.map(({ msg, route, operation }) => [msg, route ?? operation])).toEqual([
      ['an operator decided something', '/ops/plans/:id/approve'],
      ['an operator decided something', '/ops/drifts/:id/ignore'],
      ['an operator called the service', 'users.retrieveCurrentUser'],
      ['an operator decided something', '/ops/plans/:id/discard'],
    ]);
    expect(acts.slice(0, 2).map(({ target }) => target)).toEqual([planId, drift?.id]);
    expect(acts.map(({ remoteAddress }) => remoteAddress)).toEqual(acts.map(() => LOOPBACK));
    expect(JSON.stringify(log)).not.toContain(text.slice(-43));
  });
});

test('an act that found nothing to do says so, and no state of what is not there', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    const answers = [
      await askOps(bridge, 'POST', '/resume'),
      await askOps(bridge, 'POST', '/pause', { reason: 'one' }),
      await askOps(bridge, 'POST', '/pause', { reason: 'one' }),
      await askOps(bridge, 'POST', '/resume'),
      await askOps(bridge, 'POST', `/plans/${nobody}/approve`, { hash: 'x' }),
      await askOps(bridge, 'POST', `/plans/${nobody}/discard`),
      await askOps(bridge, 'POST', `/drifts/${nobody}/accept`),
    ];
    const { items } = (await askOps(bridge, 'GET', '/acts')).body;

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 404, 404]);
    const acts: unknown[] = Array.isArray(items) ? items : [];
    expect(
      acts
        .slice(0, 7)
        .map((one) => Object(one))
        .map(({ act, after }) => [act, after]),
    ).toEqual([
      ['accepted a difference', null],
      ['discarded a plan', null],
      ['approved a plan', null],
      ['ended the pause of all changes', { paused: false, reason: null }],
      ['asked for a pause, which there was already', { paused: true, reason: 'one' }],
      ['paused all changes', { paused: true, reason: 'one' }],
      ['asked for the end of a pause that there was not', { paused: false, reason: null }],
    ]);
  });
});

test('whom and what an operator acts on is told by its id, and never by a name', async () => {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  await withTestBridge({ settings: SWEEP_SETTINGS, onLog }, async (bridge) => {
    const token = await askOps(bridge, 'POST', '/tokens', { name: 'okta', for: 'scim' });
    await askOps(bridge, 'POST', '/tokens/okta/revoke');
    const client = await askOps(bridge, 'POST', '/clients', { name: 'entra' });
    const { id: clientId } = client.body;
    await askOps(bridge, 'POST', '/clients/entra/rotate', {});
    const ada = await addUser(bridge, 'ada');
    await untilSettled(bridge);
    await bridge.request('DELETE', `/Users/${ada}`);
    await untilSettled(bridge);
    await askOps(bridge, 'POST', '/users/ada@example.com/erase');
    await askOps(bridge, 'POST', '/users/stranger@example.com/erase');
    await askOps(bridge, 'POST', '/plans/somebody/approve', { hash: 'x' });
    const { body: swept } = await askOps(bridge, 'POST', '/sweeps', {});

    const acts = log.filter(({ msg }) => msg === 'an operator decided something');
    expect(acts.map(({ route, target }) => [route, target])).toEqual([
      ['/ops/tokens/', token.body.id],
      ['/ops/tokens/:id/revoke', token.body.id],
      ['/ops/clients/', clientId],
      ['/ops/clients/:id/rotate', clientId],
      ['/ops/users/:key/erase', ada],
      ['/ops/users/:key/erase', undefined],
      ['/ops/plans/:id/approve', undefined],
      ['/ops/sweeps/', swept.id],
    ]);
    expect(JSON.stringify(log)).not.toContain('@example.com');
  });
});

test('what operators did is listed with who, with which credential, from where, on whom and how it ended', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const { body: made } = await askOps(bridge, 'POST', '/tokens', {
      name: 'grace',
      for: 'operator',
    });
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
    await asGrace('/drifts/nobody/accept', {});
    await asGrace('/api/users/retrieveCurrentUser', {});

    const { body: all } = await askOps(bridge, 'GET', '/acts');
    const { body: ofGrace } = await askOps(bridge, 'GET', '/acts?operator=grace&limit=2');
    const { body: rest } = await askOps(
      bridge,
      'GET',
      `/acts?operator=grace&cursor=${ofGrace.nextCursor}`,
    );
    const { body: refused } = await askOps(bridge, 'GET', '/acts?outcome=refused');
    const { body: ofToken } = await askOps(bridge, 'GET', `/acts?target=${made.id}`);

    expect(all.items).toHaveLength(4);
    expect(ofGrace.items).toMatchObject([
      {
        act: 'called the service',
        outcome: 'done',
        target: null,
        after: { operation: 'users.retrieveCurrentUser', result: 'done' },
      },
      { act: 'accepted a difference', outcome: 'refused', status: 404, target: null },
    ]);
    expect(rest).toMatchObject({
      items: [
        {
          operator: 'grace',
          credential: made.id,
          address: LOOPBACK,
          act: 'paused all changes',
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
      { operator: 'ops.token', act: 'made a token', after: { name: 'grace', for: 'operator' } },
    ]);
    expect(JSON.stringify(all)).not.toContain(String(made.token).slice(-43));
  });
});

for (const { trusted, address } of [
  { trusted: 'none', address: LOOPBACK },
  { trusted: '1', address: '203.0.113.7' },
  { trusted: 'loopback,10.0.0.0/8', address: '203.0.113.7' },
  { trusted: '10.0.0.0/8', address: LOOPBACK },
]) {
  test(`with TRUST_PROXY=${trusted} an act from behind a proxy on this machine has the address ${address === LOOPBACK ? 'of the proxy' : 'that it tells'}`, async () => {
    const settings = { ...SWEEP_SETTINGS, TRUST_PROXY: trusted };
    await withTestBridge({ settings }, async (bridge) => {
      const url = new URL('/ops/pause', bridge.baseUrl).href;
      const headers = {
        authorization: `Bearer ${SWEEP_SETTINGS.OPS_TOKEN}`,
        'x-forwarded-for': '198.51.100.1, 203.0.113.7',
      };
      await bridge.request('POST', url, {}, headers);
      const { body } = await askOps(bridge, 'GET', '/acts');

      expect(body.items).toMatchObject([{ act: 'paused all changes', address }]);
    });
  });
}

test('every request that does more than read has words for what an operator did', () => {
  const asked = opsRoutes.filter(({ method }) => method === 'post');
  const routes = asked.map(({ path }) => `POST /ops${path.replace(/\{(\w+)\}/g, ':$1')}`);
  const signIns = [
    'POST /console/session',
    'DELETE /console/session',
    'GET /console/oidc/callback',
  ];

  expect(Object.keys(ACT_WORDS).toSorted()).toEqual([...routes, ...signIns].toSorted());
});

test('on a port of their own requests of operators have ids, metrics and a line of the log as well', async () => {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  const settings = { ...SWEEP_SETTINGS, OPS_PORT: '1' };
  await withTestBridge({ settings, onLog }, async (bridge) => {
    const limits = { requestMs: 9_000, answerMs: 9_000, idleMs: 9_000, connectionsMax: 9 };
    const servers: Server[] = [];
    const app = bridge.bridge.opsApp;
    const { server } = await listen({ host: '127.0.0.1', port: 0, limits, app }, servers);
    const ask = (path: string) => {
      const url = `http://127.0.0.1:${toPort(server)}${path}`;
      const headers = { authorization: `Bearer ${SWEEP_SETTINGS.OPS_TOKEN}` };
      return bridge.request('GET', url, undefined, { ...headers, 'x-request-id': 'mine-1' });
    };

    const status = await ask('/ops/status');
    const unknown = await ask('/ops/drifts/nobody');
    const metrics = await fetch(`http://127.0.0.1:${toPort(server)}/metrics`, {
      headers: { authorization: `Bearer ${SWEEP_SETTINGS.OPS_TOKEN}` },
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
});

test('signing in and out is kept with who, from where and which session; a stranger who guesses fills nothing', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const own = { 'x-scim-bridge-console': '1', 'content-type': 'application/json' };
    const url = new URL('/console/session', bridge.baseUrl);
    const signIn = (token: string) =>
      request(url, { method: 'POST', headers: own, body: JSON.stringify({ token }) });
    for (let guess = 0; guess < 8; guess += 1) await signIn(`a-guess-${guess}`);
    const answer = await signIn(SWEEP_SETTINGS.OPS_TOKEN);
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
    const { body: sessions } = await askOps(bridge, 'GET', '/sessions');
    await request(url, { method: 'DELETE', headers: { ...own, cookie } });
    const { body } = await askOps(bridge, 'GET', '/acts');

    const [session] = Object(sessions.items);
    expect(body.items).toMatchObject([
      { act: 'signed out of the console', operator: 'ops.token', target: session.id },
      {
        ...{ act: 'signed in to the console', operator: 'ops.token', address: LOOPBACK },
        ...{ outcome: 'done', target: session.id, after: { role: 'operator' } },
      },
      {
        ...{ act: 'signed in to the console', operator: 'nobody', credential: null },
        ...{ outcome: 'refused', status: 401, after: { attempts: 1 } },
      },
    ]);
  });
});
