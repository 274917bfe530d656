import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { opsRoutes } from '../../src/ops/document.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { replace, type TestAnswer, toMembers, toPatch } from '../support/provider.ts';
import { copyStore, makeStoreFile } from '../support/store-file.ts';

const OPS_TOKEN = 'token-of-an-operator';
const settings = { OPS_TOKEN };
const deactivate = { Operations: [replace('active', false)] };

const bridge = forSuite(() => startTestBridge({ settings, onLog: (line) => lines.push(line) }));
let lines: JsonObject[] = [];

beforeEach(() => {
  lines = [];
  bridge.sandbox.calls.reset();
  bridge.sandbox.faults.clear();
});

/** Calls an operation as an operator does. */
function callApi(
  operation: string,
  args: JsonObject = {},
  {
    headers = {},
    of = bridge,
  }: { headers?: Readonly<Record<string, string>>; of?: TestBridge } = {},
): Promise<TestAnswer> {
  const url = new URL(`/ops/api/${operation.replace('.', '/')}`, of.baseUrl).href;
  const presented = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' };
  return of.request('POST', url, args, { ...presented, ...headers });
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
  for (const args of [
    {},
    { body: {} },
    { body: { attributes } },
    { everything: false, body: { attributes } },
    { body: { attributes, everything: true } },
  ]) {
    expect(await callApi(id, args)).toMatchObject({ status: 400 });
  }
  expect(bridge.sandbox.calls.recent()).toEqual([]);

  // The sandbox has no cards, so that a call that was sent is answered 404.
  for (const args of [
    { body: { board_id: 3, attributes } },
    { everything: true, body: { attributes } },
  ]) {
    expect(await callApi(id, args)).toMatchObject({ status: 502, body: { status: 404 } });
  }
  const elsewhere = { everything: true, body: { name: 'Pilots' } };
  expect((await callApi('groups.createGroup', elsewhere)).status).toBe(400);
});

test('an unknown operation is 404 with the nearest names, wrong arguments are 400, and neither is sent', async () => {
  const unknown = await callApi('groups.getGrup', {});
  const missing = await callApi('groups.getGroup', {});
  const extra = await callApi('groups.getGroup', { path: { uid: 'g' }, headers: {} });

  expect(unknown).toMatchObject({ status: 404, body: { code: 'unknown-operation' } });
  expect(unknown.body.near).toContain('groups.getGroup');
  expect(missing.status).toBe(400);
  expect(missing.body.message).toBe('groups.getGroup: path.uid is missing');
  expect(extra).toMatchObject({ status: 400, body: { code: 'invalid' } });
  expect(bridge.sandbox.calls.count()).toBe(0);
});

test('what the service refuses is 502 with its status and words, what it does not answer 503', async () => {
  const args = { body: { name: 'Cooks' } };
  const fault = { kind: 'status', status: 402, body: 'message' } as const;
  bridge.sandbox.faults.add({ operation: 'groups.createGroup', fault });
  const refused = await callApi('groups.createGroup', args);
  bridge.sandbox.faults.clear();
  bridge.sandbox.faults.add({
    operation: 'groups.createGroup',
    fault: { kind: 'reset', at: 'mid-answer' },
  });
  const lost = await callApi('groups.createGroup', args);

  expect(refused).toMatchObject({
    status: 502,
    body: {
      code: 'not-permitted',
      operation: 'groups.createGroup',
      status: 402,
      retry: 'never',
      outcome: 'answered',
      answer: { message: expect.any(String) },
    },
  });
  expect(lost).toMatchObject({
    status: 503,
    body: { code: 'connection', status: null, retry: 'later', outcome: 'unknown' },
  });
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
  const pilots = await bridge.addGroup('Crew', [ada]);
  await bridge.untilSettled();
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

  const active = toPatch(replace('active', true));
  const admit = toPatch({ op: 'add', path: 'members', value: toMembers([ada]) });
  await bridge.send('PATCH', `/Users/${ada}`, active);
  await bridge.send('PATCH', `/Groups/${pilots}`, admit);
  await bridge.untilSettled();

  expect([isActiveNow, membersNow]).toEqual([false, []]);
  expect(service.getUser('ada@example.com').active).toBe(true);
  expect(service.members('Crew')).toEqual(['ada@example.com']);
});

test('a crash right after a call by an operator is no restored backup', async () => {
  const url = makeStoreFile();
  const { sandbox, live } = await makeLives({ settings });
  const asAtTheCrash = await live(
    async (bridge) => {
      await bridge.addUser('ada');
      await bridge.untilSettled();
      const { id } = sandbox.service.getUser('ada@example.com');
      await callApi('scim.updateUser', { path: { user_id: id }, body: deactivate }, { of: bridge });
      return copyStore(url);
    },
    { DATABASE_URL: url },
  );

  const found = await live(
    async (bridge) => {
      const url = new URL('/ops/recovery', bridge.baseUrl).href;
      const read = async () => {
        const headers = { authorization: `Bearer ${OPS_TOKEN}` };
        return (await bridge.request('GET', url, undefined, headers)).body.detection;
      };
      await expect.poll(read, { interval: 10 }).not.toBeNull();
      return read();
    },
    { DATABASE_URL: asAtTheCrash },
  );

  expect(found).toEqual({ kind: 'current' });
});

test('no answer below /ops has a secret of the settings in it', async () => {
  const bridge = await forTest(startTestBridge({ settings: SECRETS }));
  const paths = opsRoutes
    .filter(({ method, path }) => method === 'get' && !path.includes('{'))
    .map(({ path }) => path);
  const answers = [];
  for (const path of paths) {
    const url = new URL(`/ops${path}`, bridge.baseUrl).href;
    const headers = { authorization: `Bearer ${SECRETS.OPS_TOKEN}` };
    const { status, body } = await bridge.request('GET', url, undefined, headers);
    answers.push({ path, status, text: JSON.stringify(body) });
  }

  const settingsAnswer = answers.find(({ path }) => path === '/settings');
  expect(settingsAnswer).toMatchObject({ status: 200, text: expect.stringContaining('(hidden') });
  for (const [name, secret] of Object.entries(SECRETS))
    expect(
      answers.filter(({ text }) => text.includes(secret)),
      name,
    ).toEqual([]);
});

const SECRETS = {
  OPS_TOKEN: 'secret-of-an-operator',
  OPS_READER_TOKEN: 'secret-of-a-reader',
  OPS_COMMAND_TOKEN: 'secret-of-commands',
};
