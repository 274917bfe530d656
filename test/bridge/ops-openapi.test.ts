import { Validator } from '@seriousme/openapi-schema-validator';
import type { Router } from 'express';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonValue } from '../../src/domain/json.ts';
import { toOpsDocument } from '../../src/ops/document.ts';
import { createRouteRouter } from '../../src/ops/http/route.ts';
import { opsRoutes } from '../../src/ops/routes.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { getOpsRoute } from '../support/ops-routes.ts';
import { addGroup, addUser, findId, toUser, untilSettled } from '../support/provider.ts';
import { createSetClock } from '../support/set-clock.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS, sweep, untilSwept } from '../support/sweep.ts';

/** The machine may be busy. */
const PATIENT = { interval: 25 };

const clock = createSetClock();
let bridge: TestBridge;

beforeAll(async () => {
  bridge = await startTestBridge({
    settings: {
      ...SWEEP_SETTINGS,
      DRIFT_POLICY: '{"member.added":"repair"}',
      LIMITS_REPAIR: '1',
      // Nobody listens there.
      NOTIFY_RECEIVERS:
        '[{"name":"chat","url":"http://127.0.0.1:9/","format":"slack","events":["test"]}]',
      NOTIFY_HOSTS: '127.0.0.1',
      NOTIFY_PRIVATE_ADDRESSES: 'allow',
    },
    sandbox: { seed: { users: 2, groups: 1 } },
    clock,
  });
});

afterAll(() => bridge.stop());

/** A fast machine sends all of them within a second, which is more than the rate of operators. */
function takeTime(): void {
  clock.state.aheadMs += 50;
}

test('the description is a valid document of OpenAPI 3.1', async () => {
  const validator = new Validator();
  const valid = await validator.validate(JSON.parse(JSON.stringify(toOpsDocument())));

  expect(valid.errors).toBeUndefined();
  expect([valid.valid, validator.version]).toEqual([true, '3.1']);
});

test('every reference of the description leads somewhere, and no two requests have one name', () => {
  const text = JSON.stringify(toOpsDocument());
  const { components } = Object(toOpsDocument());
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);

  expect(new Set(names)).toEqual(new Set(Object.keys(components.schemas)));
  expect(new Set(ids).size).toBe(opsRoutes.length);
});

/** What a router serves, as the description writes it. */
function listServed(router: Router): string[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace(/(?<=.)\/$/, '');
    const methods = new Set(route.stack.map(({ method }) => method));
    return [...methods].map((method) => `${method} ${path}`);
  });
}

const toName = ({ method, path }: (typeof opsRoutes)[number]) => `${method} ${path}`;

test('what is described is served, and what is served is described', () => {
  const rows = opsRoutes.map((row) => ({ ...row, serve: () => [] }));
  const served = listServed(createRouteRouter(rows, undefined, () => undefined));

  expect(served.toSorted()).toEqual(opsRoutes.map(toName).toSorted());
});

/** Each request of the table, about somebody who is there, and the stream of news. */
function listAsked(key: string) {
  const names = { group: 'users', operation: 'retrieveCurrentUser' };
  const values = new Map(Object.entries({ key, id: key, ...names }));
  const asked = opsRoutes.map(({ method, path, body }) => ({
    method: method.toUpperCase(),
    path: path
      .replace('/providers/{id}', '/providers/default')
      .replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? key),
    body: body === undefined ? undefined : {},
    wrong: [{ bogus: 1 }, [1]],
  }));
  return [...asked, { method: 'GET', path: '/events', body: undefined, wrong: [] }];
}

/** Everything in the store, but for what comes with time: requests and notices that are told later, samples, signs of life. */
async function dump({ store }: TestBridge) {
  const tables = await store.read.introspection.getTables();
  const names = tables.map(({ name }) => name).filter((name) => !TIMELY.has(name));
  const rows = names.map((name) => sql`select * from ${sql.table(name)}`.execute(store.read));
  const isKept = (row: unknown) => Object(row).name !== 'alive';
  const parts = await Promise.all(rows);
  return parts.map((part, index) => [names[index], part.rows.filter(isKept)]);
}

const TIMELY = new Set(['acts', 'leader', 'notices', 'requests', 'samples']);

test('a request that says what nobody reads is refused and changes nothing, whatever it is', async () => {
  const id = await addUser(bridge, 'somebody');
  await untilSettled(bridge);
  const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: JsonValue) => {
    const url = new URL(`/ops${path}`, bridge.baseUrl).href;
    const { status, body: answer } = await bridge.request(method, url, body, headers);
    return [`${method} ${path} ${JSON.stringify(body)}`, status, answer.code];
  };
  const before = await dump(bridge);
  const calls = bridge.sandbox.calls.count();

  for (const { method, path, body, wrong } of listAsked(id)) {
    takeTime();
    const answers = [await ask(method, `${path}?bogus=1`, body)];
    for (const one of wrong) answers.push(await ask(method, path, one));
    expect(answers).toEqual(answers.map(([what]) => [what, 400, 'invalid']));
  }
  expect(await dump(bridge)).toEqual(before);
  expect(bridge.sandbox.calls.count()).toBe(calls);
});

test('an address that is not served, or not in this way, is told in the form of all problems', async () => {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const message = 'Nothing is served at this address.';
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/users/x/nothing'],
    ['POST', '/status'],
    ['GET', '/pause'],
    ['DELETE', '/users/x'],
  ] as const) {
    const url = new URL(`/ops${path}`, bridge.baseUrl).href;
    const { status, body } = await bridge.request(method, url, undefined, headers);
    expect([path, status, body]).toEqual([path, 404, { code: 'not-found', message }]);
  }
  const stranger = await bridge.request('GET', new URL('/', bridge.baseUrl).href);
  expect(stranger).toMatchObject({ status: 404, body: { status: '404', detail: message } });
});

/** Opens a session of the console. */
async function signIn(): Promise<void> {
  const answer = await fetch(new URL('/console/session', bridge.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-scim-bridge-console': '1' },
    body: JSON.stringify({ token: OPS_TOKEN }),
  });
  expect(answer.status).toBe(201);
}

test('every request below /ops is answered as it is described', async () => {
  const done = new Set<string>();
  async function ask(method: 'GET' | 'POST', path: string, body?: JsonValue) {
    takeTime();
    const answer = await askOps(bridge, method, path, body);
    if (answer.status < 300) done.add(toName(getOpsRoute(method, path)));
    return answer;
  }
  const ada = await addUser(bridge, 'ada', { externalId: 'x-1' });
  const group = await findId(bridge, { type: 'Groups', name: 'Group 001' });
  const other = await findId(bridge, { type: 'Users', name: 'user00001' });
  const torn = toUser('user00001', { emails: [{ value: 'user00002@example.com' }] });
  await bridge.request('POST', '/Users', torn);
  await ask('POST', `/users/${other}/adopt`);
  await ask('POST', `/groups/${group}/adopt`, {});
  bridge.sandbox.service.setActive('ada@example.com', false);
  const { id } = await sweep(bridge);
  for (const path of [
    ...[
      '/status',
      '/samples',
      '/openapi.json',
      '/recovery',
      '/users',
      '/groups',
      '/sweeps',
      ...['/drifts', '/unmanaged'],
      '/requests',
      '/acts',
      '/leavers',
      '/notifications',
      '/settings',
      '/sandbox',
    ],
    ...[`/users/${ada}`, `/groups/${group}`, `/users/${ada}/explain`, `/explain/${ada}`],
    ...[`/users/${ada}/timeline`, `/groups/${group}/timeline?limit=5`, `/timeline/${ada}`],
    ...[
      `/groups/${group}/explain`,
      `/groups/${group}/members`,
      `/sweeps/${id}`,
      '/plans/first-run',
    ],
  ]) {
    expect((await ask('GET', path)).status, path).toBe(200);
  }
  for (const path of [`/users/${ada}/look`, `/groups/${group}/look`]) {
    expect((await ask('POST', path)).status, path).toBe(200);
  }
  const person = { userName: 'ada@example.com' };
  expect((await ask('POST', '/census', person)).status).toBe(200);
  expect((await ask('POST', '/census?provider=x', person)).status).toBe(404);
  const asked = await ask('POST', '/sweeps');
  await untilSwept(bridge, String(asked.body.id));
  await ask('POST', '/pause', { reason: 'x' });
  await ask('POST', '/resume');
  await ask('POST', '/retry', { all: true });
  await ask('POST', '/notifications/test', {});
  await ask('POST', '/api/users/retrieveCurrentUser', {});
  const provider = { name: 'okta', domains: ['example.com'] };
  expect((await ask('POST', '/providers', provider)).status).toBe(201);
  expect((await ask('POST', '/providers', provider)).status).toBe(409);
  await ask('POST', '/providers/okta/change', { may: ['users.create'] });
  expect((await ask('GET', '/providers')).status).toBe(200);
  const row = { id: 'old-ada', userName: 'ada@example.com' };
  expect((await ask('POST', '/providers/okta/import-ids', row)).status).toBe(200);
  const switching = '/providers/default/switch?dryRun=true&to=';
  expect((await ask('POST', `${switching}okta`)).status).toBe(200);
  expect((await ask('POST', `${switching}nobody`)).status).toBe(404);
  expect((await ask('POST', '/providers/okta/delete')).status).toBe(200);
  expect((await ask('POST', '/providers/default/delete')).status).toBe(409);
  const made = await ask('POST', '/tokens', { name: 'okta', for: 'scim' });
  const taken = await ask('POST', '/tokens', { name: 'okta' });
  expect([made.status, taken.status]).toEqual([201, 409]);
  expect((await ask('GET', '/tokens')).status).toBe(200);
  await ask('POST', `/tokens/${made.body.id}/revoke`);
  await signIn();
  const { body: signedIn } = await ask('GET', '/sessions');
  await ask('POST', `/sessions/${Object(signedIn).items[0].id}/revoke`);
  expect((await ask('POST', '/clients', { name: 'entra' })).status).toBe(201);
  expect((await ask('POST', '/clients', { name: 'entra' })).status).toBe(409);
  expect((await ask('POST', '/clients/entra/rotate')).status).toBe(201);
  expect((await ask('POST', '/clients/entra/rotate', {})).status).toBe(409);
  expect((await ask('GET', '/clients?state=live')).status).toBe(200);
  await ask('POST', '/clients/entra/revoke');
  await untilSettled(bridge);
  expect((await ask('POST', `/users/${other}/release`)).status).toBe(200);
  expect((await ask('POST', `/users/${other}/release`)).status).toBe(409);
  expect((await ask('POST', `/groups/${group}/release`)).status).toBe(200);
  for (const path of [
    '/users/x',
    '/groups/x',
    '/sweeps/x',
    '/explain/x',
    '/users/x/explain',
    '/timeline/x',
  ]) {
    expect((await ask('GET', path)).status, path).toBe(404);
  }
  for (const path of [
    ...['/tokens/x/revoke', '/clients/x/revoke', '/clients/x/rotate'],
    ...['/users/x/release', '/groups/x/release', '/users/x/look', '/groups/x/look'],
    ...['/providers/x/change', '/providers/x/delete'],
  ]) {
    expect((await ask('POST', path)).status, path).toBe(404);
  }
  expect((await ask('POST', '/notifications/test', { receiver: 'x' })).status).toBe(404);
  const vera = await addUser(bridge, 'vera', { active: false });
  await bridge.request('DELETE', `/Users/${vera}`);
  await untilSettled(bridge);
  await ask('GET', '/users/vera@example.com/erasure');
  await ask('POST', '/users/vera@example.com/erase');
  expect((await ask('POST', '/users/ada@example.com/erase')).status).toBe(409);
  expect((await ask('GET', '/users/x/erasure')).status).toBe(404);
  const { service } = bridge.sandbox;
  const names = ['eve@example.com', 'fay@example.com', 'gus@example.com'];
  await addUser(bridge, 'eve');
  await addUser(bridge, 'fay');
  await addUser(bridge, 'gus');
  await addGroup(bridge, 'Pilots');
  for (const name of names) service.setActive(name, false);
  for (const name of names.slice(1)) service.addMember('Pilots', name);
  const held = await sweep(bridge);
  const { body } = await ask('GET', '/drifts?status=open&kind=user.deactivated');
  const drifts = (Array.isArray(body.items) ? body.items : [])
    .map((item) => Object(item))
    .filter(({ resource }) => names.includes(resource.name));
  const ids = drifts.map(({ id }) => String(id));
  const ignoring = { until: '2999-01-01T00:00:00Z', reason: 'leave', by: 'an operator' };
  await ask('POST', `/drifts/${ids[0]}/accept`);
  await ask('POST', `/drifts/${ids[1]}/ignore`, ignoring);
  await ask('POST', `/drifts/${ids[2]}/repair`);
  await ask('POST', '/drifts/decide', { decision: 'accept', ids, dryRun: true });
  await ask('GET', '/plans?status=held');
  await ask('GET', `/plans/${held.planId}/actions`);
  await ask('GET', `/plans/${held.planId}/parts`);
  await ask('POST', `/plans/${held.planId}/discard`);
  const { planId } = await sweep(bridge);
  const { hash } = (await ask('GET', `/plans/${planId}`)).body;
  await ask('POST', `/plans/${planId}/approve`, { hash: String(hash) });
  const readStatus = async () => (await ask('GET', `/plans/${planId}`)).body.status;
  await expect.poll(readStatus, PATIENT).toBe('applied');
  await ask('GET', `/plans/${planId}/undoing`);
  await ask('POST', `/plans/${planId}/undo`);
  const listApproved = async () => (await ask('GET', '/plans?status=approved')).body.items;
  await expect.poll(listApproved, PATIENT).toEqual([]);
  await untilSettled(bridge);
  expect((await ask('GET', '/plans/x/undoing')).status).toBe(404);
  for (const path of ['/plans/x/undo', '/plans/x/discard', '/drifts/x/repair']) {
    expect((await ask('POST', path)).status, path).toBe(404);
  }
  expect([...done].toSorted()).toEqual(opsRoutes.map(toName).toSorted());
});
