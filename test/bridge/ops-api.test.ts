import { Validator } from '@seriousme/openapi-schema-validator';
import type { Router } from 'express';
import sql, { raw } from 'sql-template-tag';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { createRouteRouter } from '../../src/ops/http/route.ts';
import { opsRoutes, toOpsDocument } from '../../src/ops/router.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, listTableNames } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createSetClock } from '../support/leaping-clock.ts';
import { makeLives } from '../support/lives.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import type { TestAnswer } from '../support/provider.ts';
import { admit, replace, toUser } from '../support/provider.ts';
import { copyStore, makeStoreFile } from '../support/take-store.ts';

describe('ops api', () => {
  const OPS_TOKEN = 'token-of-an-operator';
  const settings = { OPS_TOKEN };
  const deactivate = { Operations: [replace('active', false)] };

  const bridge = bridgeForSuite({ settings, onLog: (line) => lines.push(line) });
  let lines: JsonObject[] = [];

  beforeEach(() => {
    lines = [];
    bridge.sandbox.calls.reset();
    bridge.sandbox.faults.clear();
  });

  function callApi(
    operation: string,
    args: JsonObject = {},
    of: TestBridge = bridge,
  ): Promise<TestAnswer> {
    const url = new URL(`/ops/api/${operation.replace('.', '/')}`, of.baseUrl).href;
    const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' };
    return of.request('POST', url, args, headers);
  }

  test('an operation is called with the token of the bridge, and its answer is the result', async () => {
    const { sandbox } = bridge;
    const made = await callApi('groups.createGroup', { body: { name: 'Pilots' } });
    const { uid } = sandbox.service.getGroup('Pilots');
    const read = await callApi('groups.getGroup', { path: { uid } });

    expect(made).toMatchObject({ status: 200, body: { result: { name: 'Pilots', uid } } });
    expect(read.body).toEqual(made.body);
    expect(read.headers['cache-control']).toBe('no-store');
  });

  test('what would change everything is sent only when that is said', async () => {
    const id = 'cards.batchUpdateForCards';
    const attributes = { owner_id: 7 };
    const vague = [{}, { attributes }, { attributes, everything: true }].map((body) => ({ body }));
    for (const args of [...vague, {}, { everything: false, body: { attributes } }])
      expect(await callApi(id, args)).toMatchObject({ status: 400 });
    expect(bridge.sandbox.calls.recent()).toEqual([]);

    // The sandbox has no cards, so that a call that was sent is answered 404.
    const some = { body: { board_id: 3, attributes } };
    for (const args of [some, { everything: true, body: { attributes } }])
      expect(await callApi(id, args)).toMatchObject({ status: 502, body: { status: 404 } });
    const elsewhere = { everything: true, body: { name: 'Pilots' } };
    expect((await callApi('groups.createGroup', elsewhere)).status).toBe(400);
  });

  test('an unknown operation is 404 with the nearest names, wrong arguments are 400, and neither is sent', async () => {
    const unknown = await callApi('groups.getGrup', {});
    const missing = await callApi('groups.getGroup', {});
    const extra = await callApi('groups.getGroup', { path: { uid: 'g' }, headers: {} });
    const nobody = await callApi('groups.updateGroup', {
      path: { uid: '\0' },
      body: { name: 'x' },
    });

    expect(unknown).toMatchObject({ status: 404, body: { code: 'unknown-operation' } });
    expect(unknown.body.near).toContain('groups.getGroup');
    expect(missing.status).toBe(400);
    expect(missing.body.message).toBe('groups.getGroup: path.uid is missing');
    for (const answer of [extra, nobody])
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid' } });
    expect(bridge.sandbox.calls.count()).toBe(0);
  });

  test('what the service refuses is 502 with its status and words, what it does not answer 503', async () => {
    const args = { body: { name: 'Cooks' } };
    bridge.sandbox.faults.add({ operation: 'groups.createGroup', fault: failing(402, 'message') });
    const refused = await callApi('groups.createGroup', args);
    bridge.sandbox.faults.clear();
    const cut = { kind: 'reset', at: 'mid-answer' } as const;
    bridge.sandbox.faults.add({ operation: 'groups.createGroup', fault: cut });
    const lost = await callApi('groups.createGroup', args);

    const refusal = {
      ...{ code: 'not-permitted', operation: 'groups.createGroup', status: 402 },
      ...{ retry: 'never', outcome: 'answered', answer: { message: expect.any(String) } },
    };
    const loss = { code: 'connection', status: null, retry: 'later', outcome: 'unknown' };
    expect(refused).toMatchObject({ status: 502, body: refusal });
    expect(lost).toMatchObject({ status: 503, body: loss });
  });

  test('the log says which operation was called from where and how it ended, and nothing of what was in it', async () => {
    await callApi('groups.createGroup', { body: { name: 'Secret squadron' } });
    await callApi('groups.getGroup', { path: { uid: 'unheard-of' } });

    const told = lines.filter(({ msg }) => msg === 'an operator called the service');
    const where = { requestId: expect.any(String), remoteAddress: expect.stringContaining('127.') };
    expect(told).toMatchObject([
      { ...where, operation: 'groups.createGroup', result: 'done' },
      { ...where, operation: 'groups.getGroup', result: 'not-found' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Secret squadron|unheard-of/);
  });

  test('whom an operator changed is looked at, so that the next write of the provider puts right what it names', async () => {
    const { service } = bridge.sandbox;
    const ada = await bridge.addUser('ada');
    const pilots = await bridge.settled(bridge.addGroup('Crew', [ada]));
    const { id } = service.getUser('ada@example.com');
    const { uid } = service.getGroup('Crew');

    await callApi('scim.updateUser', { path: { user_id: id }, body: deactivate });
    const left = { path: { group_uid: uid, user_id: id } };
    await callApi('groupUsers.removeUserFromGroup', left);
    await bridge.untilSettled();
    const isActiveNow = service.getUser('ada@example.com').active;
    const membersNow = service.members('Crew');
    // What is wanted has not changed.
    expect((await bridge.send('GET', `/Users/${ada}`)).body.active).toBe(true);
    expect(await bridge.readMemberIds(pilots)).toEqual([ada]);

    await bridge.patch(`/Users/${ada}`, replace('active', true));
    await bridge.settled(bridge.patch(`/Groups/${pilots}`, admit(ada)));

    expect([isActiveNow, membersNow]).toEqual([false, []]);
    expect(service.getUser('ada@example.com').active).toBe(true);
    expect(service.members('Crew')).toEqual(['ada@example.com']);
  });

  test('a crash right after a call by an operator is no restored backup', async () => {
    const url = makeStoreFile();
    const { sandbox, live } = await makeLives({ settings });
    const asAtTheCrash = await live(
      async (bridge) => {
        await bridge.settled(bridge.addUser('ada'));
        const { id } = sandbox.service.getUser('ada@example.com');
        const args = { path: { user_id: id }, body: deactivate };
        await callApi('scim.updateUser', args, bridge);
        return copyStore(url);
      },
      { DATABASE_URL: url },
    );

    const life = async (bridge: TestBridge) => {
      const read = async () => (await bridge.ops('GET', '/recovery')).body.detection;
      await expect.poll(read).toEqual({ kind: 'current' });
    };
    await live(life, { DATABASE_URL: asAtTheCrash });
  });

  test('no answer below /ops has a secret of the settings in it', async () => {
    const bridge = await bridgeForTest({ settings: SECRETS });
    const answers = [];
    for (const { method, path } of opsRoutes) {
      if (method !== 'get' || path.includes('{')) continue;
      const url = new URL(`/ops${path}`, bridge.baseUrl).href;
      const headers = { authorization: `Bearer ${SECRETS.OPS_TOKEN}` };
      const { status, body } = await bridge.request('GET', url, undefined, headers);
      answers.push({ path, status, text: JSON.stringify(body) });
    }

    const settingsAnswer = answers.find(({ path }) => path === '/settings');
    expect(settingsAnswer).toMatchObject({ status: 200, text: expect.stringContaining('(hidden') });
    for (const secret of Object.values(SECRETS))
      expect(answers.filter(({ text }) => text.includes(secret))).toEqual([]);
  });

  const SECRETS = {
    OPS_TOKEN: 'secret-of-an-operator',
    OPS_READER_TOKEN: 'secret-of-a-reader',
    OPS_COMMAND_TOKEN: 'secret-of-commands',
  };
});

const READER_TOKEN = 'reader-token-of-a-test-bridge';

const clock = createSetClock();
const bridge = bridgeForSuite({ settings: { OPS_READER_TOKEN: READER_TOKEN }, clock });

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

function listServed(router: Router): string[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const methods = new Set(route.stack.map(({ method }) => method));
    return [...methods].map((method) => `${method} ${path}`);
  });
}

const toName = ({ method, path }: (typeof opsRoutes)[number]) => `${method} ${path}`;

test('what is described is served, and what is served is described', () => {
  const rows = opsRoutes.map((row) => ({ ...row, serve: () => [] }));
  const served = listServed(createRouteRouter(rows, Object({}), () => undefined));

  expect(served.toSorted()).toEqual(opsRoutes.map(toName).toSorted());
});

function listAsked(key: string) {
  const names = { group: 'users', operation: 'retrieveCurrentUser' };
  const values = new Map(Object.entries({ key, id: key, ...names }));
  return opsRoutes.map(({ method, path, body, filters = {} }) => ({
    method: method.toUpperCase(),
    path: path
      .replace(/^\/providers\/\{\w+\}/, '/providers/default')
      .replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? key),
    body: body === undefined ? undefined : {},
    filter: Object.keys(filters)[0],
    wrong: [{ bogus: 1 }, [1]],
  }));
}

/** Everything in the store, but for what comes with time: requests and notices that are told later, signs of life. */
async function dump({ store }: TestBridge) {
  const names = (await listTableNames(store.read)).filter((name) => !TIMELY.has(name));
  const rows = names.map((name) => store.read.run(sql`select * from ${raw(name)}`));
  const isKept = (row: unknown) => Object(row).name !== 'alive';
  const parts = await Promise.all(rows);
  return parts.map((part, index) => [names[index], part.rows.filter(isKept)]);
}

const TIMELY = new Set(['acts', 'leader', 'notices', 'requests']);

test('a request that says what nobody reads is refused and changes nothing, whatever it is', async () => {
  const id = await bridge.settled(bridge.addUser('somebody'));
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

test('an operator who asks for what nobody could be called is told so', async () => {
  for (const key of ['a%00b', encodeURIComponent('\u{1D160}'.repeat(150))]) {
    for (const { method, path, filter, body: hasBody } of listAsked(key)) {
      if (!path.includes(key) && filter === undefined && hasBody === undefined) continue;
      takeTime();
      const query = filter === undefined ? '' : `?${filter}=${key}`;
      const body = method === 'GET' ? undefined : { hash: '\u0000', reason: '\u0000' };
      const url = new URL(`/ops${path}${query}`, bridge.baseUrl).href;
      const headers = { authorization: `Bearer ${OPS_TOKEN}` };
      const { status } = await bridge.request(method, url, body, headers);
      expect({ method, path, status }).toMatchObject({ status: expect.toBeOneOf([400, 404]) });
    }
  }
});

test('an address that is not served, or not in this way, is told in the form of all problems', async () => {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const message = 'Nothing is served at this address.';
  const asked = ['GET /nothing', 'GET /users/x/nothing', 'POST /status', 'GET /pause'];
  for (const one of [...asked, 'DELETE /users/x']) {
    const [method = '', path = ''] = one.split(' ');
    const url = new URL(`/ops${path}`, bridge.baseUrl).href;
    const { status, body } = await bridge.request(method, url, undefined, headers);
    expect([path, status, body]).toEqual([path, 404, { code: 'not-found', message }]);
  }
  // A proxy that resolves a way up takes these for SCIM.
  for (const path of ['/', '/ops/explain/..%2f..%2fscim%2fv2', '/console/..%2Fscim%2Fv2']) {
    const stranger = await bridge.request('GET', new URL(path, bridge.baseUrl).href);
    expect(stranger).toMatchObject({ status: 404, body: { status: '404', detail: message } });
  }
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

const ada = 'ada@example.com';

const look = (bridge: TestBridge, path: string, body: JsonObject = {}) =>
  bridge.ops('POST', `/${path}/look`, body);

const runLook = (bridge: TestBridge, ...args: string[]) => runner(bridge)('look', ...args);

describe('a look at one', () => {
  const bridge = bridgeForSuite({
    settings: { LIMITS_REPAIR: '1', LIMITS_REPAIR_PERCENT: '100' },
  });

  test('user takes one call, says what differs, stores it, and changes nothing', async () => {
    const { service, calls } = bridge.sandbox;
    const id = await bridge.settled(bridge.addUser('ada'));
    service.updateUser(ada, { fullName: 'Somebody Else' });
    calls.reset();

    const { status, body } = await look(bridge, `users/${id}`);
    const text = (await runLook(bridge, ada)).text;

    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'user', id, gone: false });
    const sides = { desired: { name: 'Ada Example' }, observed: { name: 'Somebody Else' } };
    expect(body.differences).toMatchObject([{ kind: 'user.renamed', status: 'open', ...sides }]);
    const told = 'user.renamed (renamed user): wanted {"name":"Ada Example"}';
    expect(text).toContain(`Differences: 1\n  ${told}`);
    expect(await bridge.listDrifts()).toEqual([`user.renamed ${ada}`]);
    expect(calls.counts()).toEqual({ 'scim.getUser': { 200: 2 } });
  });

  test('group takes two calls, and its members are repaired too', async () => {
    const cyd = 'cyd@example.com';
    const { service, calls } = bridge.sandbox;
    const [first, second] = await bridge.addPeople('cyd', 'dan');
    const id = await bridge.settled(bridge.addGroup('Pilots', [first, second]));
    service.unlink('Pilots', cyd);
    calls.reset();

    const { body } = await look(bridge, `groups/${id}`);
    const count = calls.count();
    const { body: repaired } = await look(bridge, `groups/${id}`, { repair: true });

    expect(count).toBe(2);
    const differences = [{ kind: 'member.removed', member: { id: first, name: cyd } }];
    expect(body).toMatchObject({ differences, repair: null });
    expect(repaired).toMatchObject({ differences, repair: { exceeded: [] } });
    await expect.poll(() => service.members('Pilots')).toEqual([cyd, 'dan@example.com']);
  });

  test('is not repaired where a limit would be exceeded', async () => {
    const { service } = bridge.sandbox;
    const [eva] = await bridge.addPeople('eva', 'fay', 'gus');
    const id = await bridge.settled(bridge.addGroup('Cooks', [eva]));
    for (const name of ['fay', 'gus']) service.link('Cooks', `${name}@example.com`);

    const { body } = await look(bridge, `groups/${id}`, { repair: true });

    expect(body).toMatchObject({
      differences: [{ kind: 'member.added' }, { kind: 'member.added' }],
      repair: { planId: null, exceeded: [expect.stringContaining('removeMember: 2')] },
    });
    await bridge.untilSettled();
    expect(service.members('Cooks')).toHaveLength(3);
  });
});

test('who is not in the service, was just written or cannot be asked for is told so', async () => {
  const bridge = await bridgeForTest({ settings: { DRIFT_SETTLE: '60s' } });
  const inactive = await bridge.send('POST', '/Users', toUser('idle', { active: false }));
  const id = await bridge.settled(bridge.addUser('ada'));

  const unknown = await look(bridge, 'users/nobody');
  const idle = await look(bridge, `users/${inactive.body.id}`);
  const written = await look(bridge, `users/${id}`);

  expect(unknown).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(idle).toMatchObject({ status: 409, body: { code: 'not-linked' } });
  expect(written).toMatchObject({ status: 409, body: { code: 'just-written' } });
  expect((await runLook(bridge, 'nobody')).code).toBe(1);
});
