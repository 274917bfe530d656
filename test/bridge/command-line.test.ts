import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import type { Person } from '../support/command.ts';
import { runAlone, runner } from '../support/command.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const ada = 'ada@example.com';

function run(bridge: TestBridge, args: string, person?: Person) {
  return runner(bridge, person)(...args.split(' '));
}

async function addDrifted(bridge: TestBridge): Promise<string> {
  const [id] = await bridge.addPeople('ada', 'bob');
  await bridge.settled(bridge.addGroup('Pilots', [id]));
  bridge.sandbox.service.updateUser(ada, { active: false });
  await bridge.sweep();
  return id;
}

const bridge = bridgeForSuite();
let id: string;
beforeAll(async () => {
  id = await addDrifted(bridge);
});

test('status tells how the bridge is, what waits and what differs, and by its exit code whether there is something to do', async () => {
  const well = await run(bridge, 'status --exit-code');
  await bridge.ops('POST', '/pause', {});
  const paused = await run(bridge, 'status --exit-code');
  const json = await run(bridge, 'status --json');
  await bridge.ops('POST', '/resume');

  expect(well.text).toContain('scim-bridge 1.2.3 on sqlite');
  expect(well.text).toMatch(/last sweep +complete, ended .*Z, 3 people and 1 group/);
  expect(well.text).toMatch(/differences +1 open/);
  expect(well.text).toMatch(/first read +finished/);
  expect(paused).toMatchObject({ code: 2, text: expect.stringContaining('writes-paused') });
  const { body } = await bridge.ops('GET', '/status');
  expect(Object.keys(JSON.parse(json.text))).toEqual(Object.keys(body));
});

test('settings prints those of the running bridge, or those of the command, and says whose they are', async () => {
  const env = { SCIM_WRITE_WAIT: '7s' };
  const ask = (...args: string[]) => runner(bridge, { env: env })('settings', ...args);
  const [running, here, json] = [await ask(), await ask('--here'), await ask('--json')];

  expect(running.text).toMatch(/^Settings of the bridge that answers at http:\/\/127.0.0.1:\d+:\n/);
  expect(running.text).toMatch(/^scim\.writeWait +3s +default$/m);
  expect(here.text).toMatch(/^Settings of this environment and file; a running bridge may have/);
  expect(here.text).toMatch(/^scim\.writeWait +7s +environment SCIM_WRITE_WAIT$/m);
  const { body } = await bridge.ops('GET', '/settings?limit=1000');
  expect(JSON.parse(json.text)).toEqual(body);
});

test('users, groups, drifts, requests and acts list what the bridge knows, as a table or as the request answers it', async () => {
  const drifted = await run(bridge, 'users --drifted');
  const groups = await run(bridge, 'groups --search pilots');
  const drifts = await run(bridge, `drifts --kind user.deactivated --of ${id}`);
  const byName = await run(bridge, `drifts --of ${ada} --json`);
  const byId = await run(bridge, `drifts --of ${id} --json`);
  const ofBob = await run(bridge, 'drifts --of BOB@example.com');
  const none = await run(bridge, 'drifts --status contested');
  const readRequests = async () =>
    JSON.parse((await run(bridge, `requests --of ${id} --json`)).text).items;
  // They are stored behind the answers.
  await expect
    .poll(readRequests)
    .toMatchObject([{ method: 'POST', resource: { id }, status: 201 }]);
  const ofGroups = await run(bridge, 'requests --type group --json');
  const strange = await run(bridge, 'requests --type team');
  const first = await run(bridge, 'users --managed --limit 1');
  const json = await run(bridge, 'users --managed --limit 1 --json');
  const acts = await run(bridge, 'acts --outcome done');
  const wrong = await run(bridge, 'users --limit none');
  const unknown = await run(bridge, 'drifts --status sometimes');

  expect(drifted.text).toContain(ada);
  expect(drifted.text).not.toContain('bob@example.com');
  expect(groups.text).toMatch(/^ID +NAME +MANAGED/);
  expect(groups.text).toContain('Pilots');
  expect(drifts.text).toMatch(/user\.deactivated +ada@example\.com +\{"active":true\}/);
  for (const { text } of [none, ofBob]) expect(text).toBe('There is nothing to list.\n');
  expect(byName.text).toContain('user.deactivated');
  expect(byName.text).toBe(byId.text);
  expect(first.text).toContain('There are more than these 1: --limit');
  const { body } = await bridge.ops('GET', '/users?managed=true&limit=1');
  expect(JSON.parse(json.text)).toEqual(body);
  expect(acts.text).toContain('sweep');
  expect(JSON.parse(ofGroups.text).items).toMatchObject([{ resource: { type: 'group' } }]);
  expect([wrong.code, unknown.code, strange.code]).toEqual([64, 64, 64]);
});

test('a list of nobody is a mistake, and an empty one speaks of no more than its filters let through', async () => {
  const forgotten = randomUUID();
  const mistaken = [
    await run(bridge, 'drifts --of ghost@example.com'),
    await run(bridge, 'requests --of ghost@example.com'),
  ];
  const [differs, written, done] = [
    await run(bridge, `drifts --of ${forgotten}`),
    await run(bridge, `requests --of ${forgotten}`),
    await run(bridge, 'acts --of some-plan'),
  ];
  const ofNobody = await run(bridge, 'requests --credential nobody');
  const byNobody = await run(bridge, 'acts --operator nobody');

  const unknown = expect.stringContaining('Nothing has this id or name.');
  for (const one of mistaken) expect(one).toMatchObject({ code: 1, text: unknown });
  expect(differs).toMatchObject({ code: 0, text: 'There is nothing to list.\n' });
  for (const { text } of [written, ofNobody]) expect(text).toBe('There is nothing to list.\n');
  for (const { text } of [done, byNobody]) expect(text).toBe('There is nothing to list.\n');
});

test('at 80 columns no line of a list is longer, and every list says when it is empty and prints JSON of one shape', async () => {
  const settings = { LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' };
  const bridge = await bridgeForTest({ settings });
  const lists = ['token', 'client', 'session', 'plan', 'notifications'].map(
    (name) => `${name} list`,
  );
  for (const list of lists) {
    const { code, text } = await run(bridge, list);
    const sentence = expect.stringMatching(/^[A-Z].*\.\n$/);
    expect({ list, code, text }).toMatchObject({ code: 0, text: sentence });
    const json = await run(bridge, `${list} --json --limit 5`);
    const none = { items: [], nextCursor: null };
    expect({ list, json: JSON.parse(json.text) }).toEqual({ list, json: none });
  }
  await run(bridge, 'token create okta-in-production --expires never');
  await run(bridge, 'client create entra-in-production');
  const id = await addDrifted(bridge);
  await bridge.ops('POST', '/pause', {});
  const others = ['users', 'groups', 'drifts', 'requests', 'acts', 'status', `explain ${id}`];
  for (const list of [...lists, ...others]) {
    const { text } = await run(bridge, list, { columns: 80, hasColours: false });
    const isTable = !/^(status|explain)/.test(list);
    const most = Math.max(...text.split('\n').map(({ length }) => length));
    if (isTable) expect({ list, isFitting: most <= 80 }).toEqual({ list, isFitting: true });
    expect(text).not.toBe('');
  }
});

test.each([
  ['drifts ignore x', '--until: is missing'],
  ['drifts ignore x --until yesterday --reason y', '--until: A date such as'],
  ['drifts ignore x --until 2027-02-30 --reason y', '--until: A date such as'],
  ['leavers --since 2027-02-30', '--since is a date'],
  ['client create x --lifetime 5m', 'needs keys: --jwks-uri, or --jwks-file'],
  ['token create token-x', '<name>: 1 to 64 letters'],
])('%s is wrong usage, in words of the command', async (args, words) => {
  expect(await run(bridge, args)).toMatchObject({ code: 64, err: expect.stringContaining(words) });
});

test('a name with control characters does not reach the terminal as it is', async () => {
  await bridge.addGroup('Pi\u001b[31mlots\u0007\nof\u009bdoom');
  const { text } = await run(bridge, 'groups');
  const csv = await run(bridge, 'groups --csv');

  expect(text).toContain('Pilots of doom');
  expect(csv.out).not.toMatch(/(?![\r\n])\p{Cc}/u);
});

test('a question comes before what is dangerous: no leaves all as it is, and where nobody can be asked --yes is wanted', async () => {
  await run(bridge, 'token create okta');
  const nobody = await run(bridge, 'token revoke okta');
  const no = await run(bridge, 'token revoke okta', { columns: 80, answer: 'n' });
  const kept = await run(bridge, 'token list');
  const yes = await run(bridge, 'token revoke okta', { columns: 80, answer: 'y' });
  const gone = await run(bridge, 'token list');

  expect(nobody).toMatchObject({ code: 64, text: expect.stringContaining('--yes') });
  expect(no).toMatchObject({ code: 0, text: 'Nothing was done.\n' });
  expect(no.asked).toEqual(['End the token okta? Who presents it is refused from then on. [y/N] ']);
  expect(kept.text).toContain('okta');
  expect(yes).toMatchObject({ code: 0, text: expect.stringContaining('is revoked') });
  expect(gone.text).toBe('There is nothing to list.\n');
});

test('session lists who is signed in to the console, and ends a sign-in', async () => {
  const url = new URL('/console/session', bridge.baseUrl);
  const headers = { 'x-scim-bridge-console': '1', 'content-type': 'application/json' };
  const body = JSON.stringify({ token: OPS_TOKEN });
  for (let times = 0; times < 2; times += 1) await fetch(url, { method: 'POST', headers, body });
  const listed = await run(bridge, 'session list');
  const first = await run(bridge, 'session list --limit 1');
  const nobody = await run(bridge, 'session revoke grace --yes');
  const [id] = listed.text.match(/session-\S+/) ?? [];
  const ended = await run(bridge, `session revoke ${id} --yes`);
  const left = await run(bridge, 'session list --json');
  const acts = await run(bridge, 'acts');

  expect(listed.text.match(/session-\S+ +ops\.token +operator /g)).toHaveLength(2);
  expect(nobody.code).toBe(1);
  expect(first.text).toContain('There are more than these 1');
  expect(ended.text).toBe(`${id} is signed out.\n`);
  expect(JSON.parse(left.text).items).toHaveLength(1);
  expect(acts.text).toContain('session revoke');
});

test('a person asks with a token of their own, whatever the token of the bridge is', async () => {
  const { body } = await bridge.ops('POST', '/tokens', { name: 'grace', for: 'operator' });
  const env = { OPS_TOKEN: 'not-that-of-the-bridge', OPS_COMMAND_TOKEN: String(body.token) };
  expect(await run(bridge, 'pause', { env })).toMatchObject({ code: 0 });
  const { text } = await run(bridge, 'acts --operator grace');
  await bridge.ops('POST', '/resume');

  expect(text).toContain(' pause ');
});

const runAny = (...args: string[]) => runAlone(args, {});

test.each(['status', 'drifts', 'token list', 'explain ada', 'erase ada --yes'])(
  'without a bridge %s is 1 and says what to set',
  async (args) => {
    const world = { OPS_URL: 'http://127.0.0.1:9' };
    const noToken = await runAlone(args.split(' '), world);
    const nobody = await runAlone(args.split(' '), { ...world, OPS_TOKEN });

    expect(noToken).toMatchObject({ code: 1, text: expect.stringContaining('set OPS_TOKEN') });
    expect(nobody).toMatchObject({ code: 1, text: expect.stringContaining('OPS_URL') });
  },
);

test('a command or an option that does not exist is refused, and named', async () => {
  for (const args of [['token', 'bogus'], ['bogus']]) {
    const text = expect.stringMatching(/unknown command 'bogus'/);
    expect(await runAny(...args)).toMatchObject({ code: 64, text });
  }
  const near = expect.stringMatching(/unknown command 'user'\n\(Did you mean users\?\)/);
  expect(await runAny('user', '--limit', '3')).toMatchObject({ code: 64, text: near });
  const refused = { code: 64, text: expect.stringMatching(/unknown option '--port'/) };
  expect(await runAny('sandbox', '--port', '18200')).toMatchObject(refused);
  expect(await runAny('--port', '18200', 'status')).toMatchObject(refused);
  expect(await runAny('settings', 'too', 'many')).toMatchObject({ code: 64, out: '' });
});

test('an option says what its part of the request means, and which word stands for null', async () => {
  expect((await runAny('provider', 'create', '--help')).out).toMatch(/<list> +mail .*; any$/m);
});
