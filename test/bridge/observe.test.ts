import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forTest } from '../support/lifetimes.ts';
import { describeService, type Lives, makeLives } from '../support/lives.ts';
import { readPlan } from '../support/pilots.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const OBSERVE = { MODE: 'observe' };
const setFamilyName = (value: string) => toPatch(replace('name.familyName', value));
const setActive = (value: boolean) => toPatch(replace('active', value));

/** A company that has user00001 … user00003 and Group 001 with them, a board with rights, and staff with an admin. */
async function makeCompany(url: string): Promise<Lives> {
  const lives = await makeLives({
    // A write that waited for the service would take longer than the test may.
    settings: { DATABASE_URL: url, SCIM_WRITE_WAIT: '60s' },
    sandbox: { seed: { users: 3, groups: 1 } },
  });
  const { service } = lives.sandbox;
  service.createGroup({ name: 'Board', permissions: 16 });
  service.createGroup({ name: 'Staff' });
  service.link('Staff', 'user00003@example.com', 'admin');
  return lives;
}

/** What a provider sends on its first day: somebody new, somebody who is there, one to go, a new group. */
async function sendFirstDay(bridge: TestBridge): Promise<{ ada: string; first: string }> {
  const ada = await bridge.addUser('ada');
  const first = await bridge.addUser('user00001', {
    name: { givenName: 'Una', familyName: 'One' },
  });
  const second = await bridge.findId({ type: 'Users', name: 'user00002' });
  await bridge.send('PATCH', `/Users/${second}`, setActive(false));
  await bridge.send('POST', '/Users', toUser('idle', { active: false }));
  await bridge.addGroup('Pilots', [ada, first]);
  return { ada, first };
}

async function readReasons(bridge: TestBridge): Promise<JsonObject[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason)) : [];
}

async function readFirstRun(bridge: TestBridge, query = ''): Promise<JsonObject> {
  return (await bridge.ops('GET', `/plans/first-run${query}`)).body;
}

function listItems({ items }: JsonObject): JsonObject[] {
  return Array.isArray(items) ? items.map((item) => Object(item)) : [];
}

function describeItems(view: JsonObject): string[] {
  return listItems(view).map(({ outcome, type, name }) => `${outcome} ${type} ${name}`);
}

function describeChanges(view: JsonObject): string[] {
  return listItems(view).flatMap(({ name, changes }) =>
    [changes].flat().map((change) => {
      const { kind, count, desired } = Object(change);
      return `${name} ${kind} ${count} ${JSON.stringify(desired)}`;
    }),
  );
}

async function untilPlanned(bridge: TestBridge) {
  const read = async () => (await readFirstRun(bridge)).phase;
  await expect.poll(read).toBe('waiting');
  return readPlan(bridge, (await readFirstRun(bridge)).planId);
}

function decide(bridge: TestBridge, { id, hash }: JsonObject, how: 'approve' | 'discard') {
  const body = how === 'approve' ? { hash: hash ?? '' } : {};
  return bridge.ops('POST', `/plans/${String(id)}/${how}`, body);
}

/** What became of the actions of a decided plan, once nothing is held any more. */
async function untilFollowed(bridge: TestBridge, { id }: JsonObject): Promise<string[]> {
  const read = async () => (await readFirstRun(bridge)).phase;
  await expect.poll(read).toBe('none');
  await bridge.untilSettled();
  const { actions } = await readPlan(bridge, id);
  return Array.isArray(actions) ? actions.map((action) => String(Object(action).status)) : [];
}

describe('observe mode', () => {
  test('everything that providers send is accepted at once, nothing in the service is changed, and reads go on', async () => {
    const lives = await makeCompany(await makeStoreUrl());
    const { calls, service } = lives.sandbox;
    const before = describeService(lives.sandbox);

    await lives.live(async (bridge) => {
      await sendFirstDay(bridge);
      await bridge.ops('POST', '/pause');
      const { body: paused } = await bridge.ops('POST', '/resume');
      const { body: status } = await bridge.ops('GET', '/status');
      const shown = await bridge.send('GET', '/Users?filter=userName eq "ada@example.com"');

      expect(shown.body.totalResults).toBe(1);
      expect(paused).toEqual({ mode: 'observe', paused: null, waiting: 4 });
      expect(status).toMatchObject({
        status: 'degraded',
        failingCount: 0,
        writes: { mode: 'observe', paused: null, waiting: 4 },
      });
      expect(await readReasons(bridge)).toMatchObject([
        {
          code: 'observe-mode',
          detail: expect.stringContaining('4 people and groups are accepted, not applied'),
        },
      ]);

      service.updateUser('user00001@example.com', { fullName: 'Somebody Else' });
      service.updateUser('user00003@example.com', { active: false });
      const { body } = await bridge.ops('POST', '/sweeps');
      expect(await bridge.untilSwept(String(body.id))).toMatchObject({ status: 'complete' });
      expect(await bridge.listDrifts()).toEqual([]);
      // By then a worker would have taken what waits, had anybody tried.
      const { body: due } = await bridge.ops('GET', '/users?due=true');
      expect(due.items).toMatchObject([0, 1, 2].map(() => ({ attempts: 0 })));
      service.updateUser('user00001@example.com', { fullName: String(before.people[1]?.fullName) });
      service.updateUser('user00003@example.com', { active: true });
    }, OBSERVE);

    expect(calls.count({ mutating: true })).toBe(0);
    expect(describeService(lives.sandbox)).toEqual(before);
  });

  test('the first run tells who matches, would be adopted, made, is disputed or privileged, page by page', async () => {
    const lives = await makeCompany(await makeStoreUrl());
    const settings = { ...OBSERVE, PROTECT_USERS: 'user00003@*' };

    await lives.live(async (bridge) => {
      await sendFirstDay(bridge);
      const staff = await bridge.request('POST', '/Groups', toGroup('Staff'));
      const emails = [{ value: 'user00002@example.com', type: 'work' }];
      const disputed = await bridge.request('POST', '/Users', toUser('user00003', { emails }));
      const view = await readFirstRun(bridge);

      expect([staff.status, disputed.status]).toEqual([409, 409]);
      expect(view).toMatchObject({ phase: 'observing', planId: null, nextCursor: null });
      expect(describeChanges(view)).toEqual([
        'user00001@example.com user.rename 1 {"name":"Una One"}',
        'user00002 user.deactivate 1 {"active":false}',
        'Pilots member.add 2 null',
      ]);
      expect(view.kinds).toEqual({ 'user.rename': 1, 'user.deactivate': 1, 'member.add': 2 });
      expect(describeItems(view).toSorted()).toEqual([
        'adopt user user00001@example.com',
        'adopt user user00002',
        'create group Pilots',
        'create user ada@example.com',
        'disputed user user00003@example.com',
        'inactive user idle@example.com',
        'privileged group Board',
        'privileged group Staff',
        'privileged user owner',
        'privileged user user00003',
      ]);
      expect(view.counts).toEqual({
        'user.adopt': 2,
        'user.create': 1,
        'user.inactive': 1,
        'user.privileged': 2,
        'user.disputed': 1,
        'group.create': 1,
        'group.privileged': 2,
      });
      const pages: string[] = [];
      for (let query: string | undefined = '?limit=3'; query !== undefined; ) {
        const page = await readFirstRun(bridge, query);
        expect(listItems(page).length).toBeLessThanOrEqual(3);
        pages.push(...describeItems(page));
        query = page.nextCursor === null ? undefined : `?limit=3&cursor=${page.nextCursor}`;
      }
      expect(pages).toEqual(describeItems(view));
      expect((await bridge.ops('GET', '/plans/first-run?cursor=users')).status).toBe(400);
    }, settings);
  });

  test('the first run tells each change of each field, also of whom a POST takes over, and the plan has the same', async () => {
    const lives = await makeCompany(await makeStoreUrl());
    const { service } = lives.sandbox;
    service.createGroup({ name: 'Cooks' });
    service.link('Cooks', 'user00003@example.com');
    const kinds = await lives.live(async (bridge) => {
      const licence = { [USER_EXTENSION]: { appsPermissions: 5 } };
      await bridge.addUser('user00001', { active: false });
      const second = await bridge.addUser('user00002', licence);
      const third = await bridge.addUser('user00003');
      const cooks = await bridge.addGroup('Cooks', [second]);
      await bridge.patch(`/Groups/${cooks}`, replace('displayName', 'Chefs'));
      const path = `members[value eq "${third}"]`;
      await bridge.patch(`/Groups/${cooks}`, { op: 'remove', path });
      await bridge.send('DELETE', `/Users/${third}`);
      const shown = await runner(bridge)('plan', 'show', '--first-run');
      for (const text of ['deactivate 1 user: active → not active', 'change the licence of 1 user'])
        expect(shown.text).toContain(text);
      return (await readFirstRun(bridge)).kinds;
    }, OBSERVE);

    expect(kinds).toMatchObject({
      ...{ 'user.deactivate': 2, 'user.rename': 2, 'user.access': 1 },
      ...{ 'group.rename': 1, 'member.add': 1, 'member.remove': 1 },
    });
    await lives.live(async (bridge) => {
      expect(Object((await untilPlanned(bridge)).counts).kinds).toEqual(kinds);
    });
  });

  test('going live is one plan of what was accepted, and nothing else: approved, it is done; new writes do not wait for it', async () => {
    const lives = await makeCompany(await makeStoreUrl());
    const { calls, service } = lives.sandbox;
    const { first } = await lives.live(async (bridge) => {
      const ids = await sendFirstDay(bridge);
      // Nobody asked for this, so no plan may undo it.
      service.updateUser('user00001@example.com', { active: false });
      return ids;
    }, OBSERVE);

    const hash = await lives.live(async (bridge) => {
      const plan = await untilPlanned(bridge);
      await bridge.untilSettled();
      expect(calls.count({ mutating: true })).toBe(0);
      expect(Object(plan.counts).kinds).toEqual({
        'group.create': 1,
        'member.add': 2,
        'user.create': 1,
        'user.deactivate': 1,
        'user.rename': 1,
      });
      expect(await readReasons(bridge)).toMatchObject([
        { code: 'recovery', detail: expect.stringContaining('while the bridge observed is held') },
      ]);
      await bridge.addUser('eve');
      expect(service.findUser('eve@example.com')).toBeDefined();
      expect(service.findUser('ada@example.com')).toBeUndefined();
      return plan.hash;
    });

    await lives.live(async (bridge) => {
      const plan = await untilPlanned(bridge);
      expect(plan.hash).toBe(hash);
      const wrong = await decide(bridge, { ...plan, hash: 'another' }, 'approve');
      const approved = await decide(bridge, plan, 'approve');
      const ends = await untilFollowed(bridge, plan);

      expect(wrong).toMatchObject({ status: 409, body: { code: 'other-plan' } });
      expect(approved).toMatchObject({ status: 200, body: { source: 'first-run' } });
      expect(ends).toHaveLength(6);
      expect(ends).not.toContain('dropped');
      expect(service.getUser('ada@example.com').active).toBe(true);
      expect(service.getUser('user00002@example.com').active).toBe(false);
      expect(service.getUser('user00001@example.com')).toMatchObject({
        fullName: 'Una One',
        active: false,
      });
      expect(service.members('Pilots')).toEqual(['ada@example.com', 'user00001@example.com']);
      expect(await readReasons(bridge)).toEqual([]);
      await bridge.send('PATCH', `/Users/${first}`, setFamilyName('Two'));
      expect(service.getUser('user00001@example.com').fullName).toBe('Una Two');
    });
  });

  test('a live bridge with changes on their way does not observe before they are made', async () => {
    const lives = await makeCompany(await makeStoreUrl());
    const { faults } = lives.sandbox;
    const down = faults.add({ operation: 'scim.addUser', fault: { kind: 'status', status: 503 } });
    await lives.live((bridge) => bridge.addUser('ada'), { SCIM_WRITE_WAIT: '10ms' });
    down.remove();

    const start = lives.live(async () => undefined, OBSERVE);
    await expect(start).rejects.toMatchObject({
      code: 'work-due',
      message: expect.stringContaining('start with MODE=live until nothing waits'),
    });
  });
});

test('an operator’s own call that would change the service is refused while observing, and reads pass', async () => {
  const bridge = await forTest(startTestBridge({ settings: { ...OBSERVE } }));
  const made = await bridge.ops('POST', '/api/groups/createGroup', { body: { name: 'New' } });
  const read = await bridge.ops('POST', '/api/groups/getListOfGroups', {});

  expect(made).toMatchObject({
    status: 503,
    body: { code: 'observe-mode', outcome: 'not-sent', retry: 'later' },
  });
  expect(read.status).toBe(200);
  expect(bridge.sandbox.service.findGroup('New')).toBeUndefined();
});

const PEOPLE = 3;
const NOBODY = { users: 3, groups: 1 };

/** A company of three, and a bridge that was told of more while it observed. */
async function observePeople(url: string, sandbox: SandboxOptions = {}): Promise<Lives> {
  const lives = await makeLives({
    settings: settingsOf(url),
    sandbox: { seed: NOBODY, ...sandbox },
  });
  await lives.live((bridge) => bridge.addUsers(PEOPLE), { MODE: 'observe' });
  return lives;
}

/** Approves the plan of the first run, and waits until it is done. */
async function goLive({ sandbox }: Lives, bridge: TestBridge): Promise<void> {
  const readPlanned = async () => (await bridge.ops('GET', '/plans/first-run')).body;
  await expect.poll(async () => (await readPlanned()).phase).toBe('waiting');
  const { id, hash } = await readPlan(bridge, (await readPlanned()).planId);
  sandbox.calls.reset();
  const approved = await bridge.ops('POST', `/plans/${String(id)}/approve`, { hash: hash ?? '' });
  expect(approved.status).toBe(200);
  const read = async () => (await bridge.ops('GET', '/recovery')).body.phase;
  await expect.poll(read).toBe('none');
  await bridge.untilSettled();
}

function listAddresses({ sandbox }: Lives): string[] {
  return sandbox.service.users().map(({ email }) => email);
}

function settingsOf(url: string) {
  return { DATABASE_URL: url, SCIM_WRITE_WAIT: '60s' };
}

describe('going live', () => {
  test('costs one call a new person where the service takes the name with it', async () => {
    const lives = await observePeople(await makeStoreUrl());

    await lives.live((bridge) => goLive(lives, bridge));

    expect(lives.sandbox.calls.counts()).toEqual({ 'scim.addUser': { 201: PEOPLE } });
    expect(listAddresses(lives)).toContain(`person${PEOPLE}@example.com`);
  });

  test('costs two calls a new person where the service takes the name only afterwards', async () => {
    const shape = { createName: 'ignored' } as const;
    const lives = await observePeople(await makeStoreUrl(), { shape });

    await lives.live((bridge) => goLive(lives, bridge));

    expect(lives.sandbox.calls.counts()).toEqual({
      'scim.addUser': { 201: PEOPLE },
      'scim.updateUser': { 200: PEOPLE },
    });
  });

  test('tells how far the service is read while the plan is made', async () => {
    const paged = { ...settingsOf(await makeStoreUrl()), UPSTREAM_PAGE_SIZE: '1' };
    const lives = await makeLives({ settings: paged, sandbox: { seed: NOBODY } });
    await lives.live((bridge) => bridge.addUsers(1), { MODE: 'observe' });
    lives.sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' }, skip: 2 });

    await lives.live(async (bridge) => {
      const show = (...args: string[]) => runner(bridge)(...args);
      const read = async () => Object((await bridge.ops('GET', '/recovery')).body).reading;
      await expect.poll(read).toMatchObject({ step: 'users', read: 2, expected: 4 });
      const texts = [await show('plan', 'show'), await show('plan', 'show', '--first-run')];
      lives.sandbox.faults.clear();
      await expect.poll(read).toBe(null);

      for (const { text } of texts) expect(text).toContain('reading users, 2 of 4 so far');
    });
  });
});

const settings = { SCIM_WRITE_WAIT: '60s' };
async function readReasonCodes(bridge: TestBridge): Promise<unknown[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}

async function readWrites(bridge: TestBridge): Promise<JsonObject> {
  return Object((await bridge.ops('GET', '/status')).body.writes);
}

test('a pause lets no change leave, across a restart, answers providers at once, and at its end everything is done', async () => {
  const lives = await makeLives({ settings: { ...settings, DATABASE_URL: await makeStoreUrl() } });
  const { calls, service } = lives.sandbox;
  const ids = await lives.live(async (bridge) => {
    const first = await bridge.addUser('ada');
    calls.reset();
    const { body } = await bridge.ops('POST', '/pause', { reason: 'the auditors are here' });
    expect(body).toMatchObject({
      mode: 'live',
      paused: { reason: 'the auditors are here' },
      waiting: 0,
    });
    await bridge.send('PATCH', `/Users/${first}`, setActive(false));
    return { first, second: await bridge.addUser('bob') };
  });

  await lives.live(async (bridge) => {
    await bridge.addUser('carl');
    const { body: due } = await bridge.ops('GET', '/users?due=true');
    expect(await readWrites(bridge)).toMatchObject({
      paused: { reason: 'the auditors are here' },
      waiting: 3,
    });
    expect(await readReasonCodes(bridge)).toEqual(['writes-paused']);
    expect(due.items).toMatchObject([0, 1, 2].map(() => ({ attempts: 0, problem: null })));
    expect(calls.count({ mutating: true })).toBe(0);

    const { body } = await bridge.ops('POST', '/resume');
    await bridge.untilSettled();

    expect(body).toMatchObject({ paused: null });
    expect(await readReasonCodes(bridge)).toEqual([]);
    expect(service.getUser('ada@example.com').active).toBe(false);
    expect(service.findUser('bob@example.com')).toBeDefined();
    expect(service.findUser('carl@example.com')).toBeDefined();
    await bridge.send('PATCH', `/Users/${ids.second}`, setActive(false));
    expect(service.getUser('bob@example.com').active).toBe(false);
  });
});

test('a pause stops calls that wait for their turn and answers their requests; none of them counts as a failure', async () => {
  const bridge = await forTest(startTestBridge({ settings, requestsPerSecond: 5 }));
  const { calls } = bridge.sandbox;
  const writes = bridge.addUsers(6);
  await expect.poll(() => calls.count({ operation: 'scim.addUser' })).toBeGreaterThan(0);
  await bridge.ops('POST', '/pause');
  await writes;
  const left = calls.count({ mutating: true });
  const { items } = (await bridge.ops('GET', '/users?due=true')).body;
  const due: unknown[] = Array.isArray(items) ? items : [];

  expect(left).toBeLessThan(6);
  expect(due).not.toEqual([]);
  expect(due).toMatchObject(due.map(() => ({ attempts: 0 })));
  await bridge.ops('POST', '/resume');
  await bridge.untilSettled();
  expect(bridge.sandbox.service.users()).toHaveLength(7);
});

test('scim-bridge resume asks before it lets go what waits, and where there is no pause it does not', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const person = runner(bridge, { answer: 'n' });
  const { faults } = bridge.sandbox;
  await person('pause');
  await bridge.addUser('ada');
  const paused = await person('resume');
  const still = (await readWrites(bridge)).paused;
  const slow = faults.add({ operation: 'scim.addUser', fault: { kind: 'hang' } });
  await bridge.ops('POST', '/resume');
  await slow.until(1);
  const live = await person('resume');
  faults.clear();

  expect(paused.asked).toEqual([
    '1 person or group waits for the service. Let all of it go? [y/N] ',
  ]);
  expect(still).not.toBeNull();
  expect(live).toMatchObject({ code: 0, asked: [] });
  expect(live.text).toBe('Not paused: 1 person or group waits for the service.\n');
});

test('scim-bridge pause, resume and plan show ask the running bridge', async () => {
  const bridge = await forTest(startTestBridge({ settings: { ...settings, MODE: 'observe' } }));
  await bridge.addUser('ada');
  const run = runner(bridge);

  const paused = await run('pause', '--reason', 'lunch');
  const reason = Object((await readWrites(bridge)).paused).reason;
  const { asked } = await runner(bridge, { answer: 'n' })('resume');
  const resumed = await run('resume', '--yes');
  const shown = await run('plan', 'show', '--first-run');
  const json = await run('plan', 'show', '--first-run', '--json');
  const wrong = await run('plan', 'show', 'x', '--first-run');

  expect(paused).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Paused since .*: 1 person/),
  });
  expect(reason).toBe('lunch');
  // The end of the pause lets nothing go.
  expect(asked).toEqual([]);
  expect(resumed.text).toBe('Not paused, but the bridge only observes: 1 person or group waits.\n');
  expect(shown.text).toMatch(/observes.*\n {2}user\.privileged +1\n {2}user\.create +1\n/);
  expect(shown.text).toMatch(/^user +ada@example\.com +create$/m);
  expect(JSON.parse(json.text)).toMatchObject({ phase: 'observing', counts: { 'user.create': 1 } });
  expect(wrong.code).toBe(64);
});
