import { Validator } from '@seriousme/openapi-schema-validator';
import type { Router } from 'express';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/domain/json.ts';
import { opsRoutes, toOpsDocument } from '../../src/ops/document.ts';
import { createRouteRouter } from '../../src/ops/http/route.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { createSetClock } from '../support/set-clock.ts';

const READER_TOKEN = 'reader-token-of-a-test-bridge';

const clock = createSetClock();
const bridge = forSuite(() =>
  startTestBridge({
    settings: { OPS_READER_TOKEN: READER_TOKEN },
    clock,
  }),
);

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

/** Each request of the table, about somebody who is there. */
function listAsked(key: string) {
  const names = { group: 'users', operation: 'retrieveCurrentUser' };
  const values = new Map(Object.entries({ key, id: key, ...names }));
  return opsRoutes.map(({ method, path, body }) => ({
    method: method.toUpperCase(),
    path: path
      .replace('/providers/{id}', '/providers/default')
      .replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? key),
    body: body === undefined ? undefined : {},
    wrong: [{ bogus: 1 }, [1]],
  }));
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
  const id = await bridge.addUser('somebody');
  await bridge.untilSettled();
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

test('each request is open to the role of its row, and to no stranger', async () => {
  const headers = { authorization: `Bearer ${READER_TOKEN}` };
  for (const { method, path, role } of opsRoutes) {
    takeTime();
    const url = new URL(`/ops${path.replace(/\{\w+\}/g, 'x')}`, bridge.baseUrl).href;
    const ask = (presented: Readonly<Record<string, string | undefined>>) =>
      bridge.request(method.toUpperCase(), url, undefined, presented);

    expect([path, (await ask({ authorization: undefined })).status]).toEqual([path, 401]);
    expect([path, (await ask(headers)).status === 403]).toEqual([path, role === 'operator']);
  }
});
