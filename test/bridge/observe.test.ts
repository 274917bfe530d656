import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import type { Lives } from '../support/lives.ts';
import { describeService, makeLives } from '../support/lives.ts';
import { toObjects } from '../support/operator.ts';
import { decide, readPlan } from '../support/pilots.ts';
import { replace, toGroup, toUser } from '../support/provider.ts';

const OBSERVE = { MODE: 'observe' };

async function makeCompany(): Promise<Lives> {
  const lives = await makeLives({
    // A write that waited for the service would take longer than the test may.
    settings: { SCIM_WRITE_WAIT: '60s' },
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
  const name = { givenName: 'Una', familyName: 'One' };
  const first = await bridge.addUser('user00001', { name });
  const second = await bridge.findId({ type: 'Users', name: 'user00002' });
  await bridge.patch(`/Users/${second}`, replace('active', false));
  await bridge.send('POST', '/Users', toUser('idle', { active: false }));
  await bridge.addGroup('Pilots', [ada, first]);
  return { ada, first };
}

async function readFirstRun(bridge: TestBridge, query = ''): Promise<JsonObject> {
  return (await bridge.ops('GET', `/plans/first-run${query}`)).body;
}

function describeItems(view: JsonObject): string[] {
  return toObjects(view.items).map(({ outcome, type, name }) => `${outcome} ${type} ${name}`);
}

function describeChanges(view: JsonObject): string[] {
  return toObjects(view.items).flatMap(({ name, changes }) =>
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

async function untilFollowed(bridge: TestBridge, { id }: JsonObject): Promise<string[]> {
  const read = async () => (await readFirstRun(bridge)).phase;
  await expect.poll(read).toBe('none');
  await bridge.untilSettled();
  return toObjects((await readPlan(bridge, id)).actions).map(({ status }) => String(status));
}

describe('observe mode', () => {
  test('everything that providers send is accepted at once, nothing in the service is changed, and reads go on', async () => {
    const lives = await makeCompany();
    const { calls, service } = lives.sandbox;
    const before = describeService(lives.sandbox);

    await lives.live(async (bridge) => {
      await sendFirstDay(bridge);
      await bridge.ops('POST', '/pause');
      const { body: paused } = await bridge.ops('POST', '/resume');
      const { body: status } = await bridge.ops('GET', '/status');
      const shown = await bridge.send('GET', '/Users?filter=userName eq "ada@example.com"');

      expect(shown.body.totalResults).toBe(1);
      const writes = { mode: 'observe', paused: null, waiting: 4 };
      expect(paused).toEqual(writes);
      expect(status).toMatchObject({ status: 'degraded', failingCount: 0, writes });
      const detail = expect.stringContaining('4 people and groups are accepted, not applied');
      expect(await bridge.readReasons()).toMatchObject([{ code: 'observe-mode', detail }]);

      service.updateUser('user00001@example.com', { fullName: 'Somebody Else' });
      service.updateUser('user00003@example.com', { active: false });
      const { body } = await bridge.ops('POST', '/sweeps');
      expect(await bridge.untilSwept(String(body.id))).toMatchObject({ status: 'complete' });
      expect(await bridge.listDrifts()).toEqual([]);
      // By then a worker would have taken what waits, had anybody tried.
      const due = await bridge.listOps('/users?due=true');
      expect(due.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
      service.updateUser('user00001@example.com', { fullName: String(before.people[1]?.fullName) });
      service.updateUser('user00003@example.com', { active: true });
    }, OBSERVE);

    expect(calls.count({ mutating: true })).toBe(0);
    expect(describeService(lives.sandbox)).toEqual(before);
  });

  test('the first run tells who matches, would be adopted, made or is privileged, page by page', async () => {
    const lives = await makeCompany();
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
        'inactive user idle@example.com',
        'privileged group Board',
        'privileged group Staff',
        'privileged user owner',
        'privileged user user00003',
      ]);
      expect(view.counts).toEqual({
        ...{ 'user.adopt': 2, 'user.create': 1, 'user.inactive': 1, 'user.privileged': 2 },
        ...{ 'group.create': 1, 'group.privileged': 2 },
      });
      const pages: string[] = [];
      for (let query: string | undefined = '?limit=3'; query !== undefined; ) {
        const page = await readFirstRun(bridge, query);
        expect(toObjects(page.items).length).toBeLessThanOrEqual(3);
        pages.push(...describeItems(page));
        query = page.nextCursor === null ? undefined : `?limit=3&cursor=${page.nextCursor}`;
      }
      expect(pages).toEqual(describeItems(view));
      expect((await bridge.ops('GET', '/plans/first-run?cursor=users')).status).toBe(400);
    }, settings);
  });

  test('the first run tells each change of each field, also of whom a POST takes over, and the plan has the same', async () => {
    const lives = await makeCompany();
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
    const lives = await makeCompany();
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
        ...{ 'group.create': 1, 'member.add': 2, 'user.create': 1 },
        ...{ 'user.deactivate': 1, 'user.rename': 1 },
      });
      const detail = expect.stringContaining('while the bridge observed is held');
      expect(await bridge.readReasons()).toMatchObject([{ code: 'recovery', detail }]);
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
      const una = { fullName: 'Una One', active: false };
      expect(service.getUser('user00001@example.com')).toMatchObject(una);
      expect(service.members('Pilots')).toEqual(['ada@example.com', 'user00001@example.com']);
      expect(await bridge.readReasons()).toEqual([]);
      await bridge.patch(`/Users/${first}`, replace('name.familyName', 'Two'));
      expect(service.getUser('user00001@example.com').fullName).toBe('Una Two');
    });
  });

  test('a live bridge with changes on their way does not observe before they are made', async () => {
    const lives = await makeCompany();
    const { faults } = lives.sandbox;
    const down = faults.add({ operation: 'scim.addUser', fault: failing(503) });
    await lives.live((bridge) => bridge.addUser('ada'), { SCIM_WRITE_WAIT: '10ms' });
    down.remove();

    const start = lives.live(async () => undefined, OBSERVE);
    const message = expect.stringContaining('start with MODE=live until nothing waits');
    await expect(start).rejects.toMatchObject({ code: 'work-due', message });
  });
});

test('an operator’s own call that would change the service is refused while observing, and reads pass', async () => {
  const bridge = await bridgeForTest({ settings: { ...OBSERVE } });
  const made = await bridge.ops('POST', '/api/groups/createGroup', { body: { name: 'New' } });
  const read = await bridge.ops('POST', '/api/groups/getListOfGroups', {});

  const body = { code: 'observe-mode', outcome: 'not-sent', retry: 'later' };
  expect(made).toMatchObject({ status: 503, body });
  expect(read.status).toBe(200);
  expect(bridge.sandbox.service.findGroup('New')).toBeUndefined();
});

/** With their places in a group more than one transaction takes up of a plan. */
const PEOPLE = 120;
const settings = { SCIM_WRITE_WAIT: '60s' };

async function observePeople(sandbox: SandboxOptions): Promise<Lives> {
  const lives = await makeLives({ settings, sandbox });
  const send = async (bridge: TestBridge) => bridge.addGroup('All', await bridge.addUsers(PEOPLE));
  await lives.live(send, OBSERVE);
  return lives;
}

async function goLive({ sandbox }: Lives, bridge: TestBridge): Promise<void> {
  const plan = await untilPlanned(bridge);
  sandbox.calls.reset();
  expect((await decide(bridge, plan, 'approve')).status).toBe(200);
  await untilFollowed(bridge, plan);
}

describe('going live', () => {
  test.each([
    { how: 'with it', shape: {}, renames: 0 },
    { how: 'only afterwards', shape: { createName: 'ignored' } as const, renames: PEOPLE },
  ])('costs no more calls than it must where the service takes a name $how', async (row) => {
    const lives = await observePeople({ shape: row.shape });

    await lives.live((bridge) => goLive(lives, bridge));

    const { calls, service } = lives.sandbox;
    expect(calls.count({ operation: 'scim.addUser' })).toBe(PEOPLE);
    expect(calls.count({ operation: 'scim.updateUser' })).toBe(row.renames);
    expect(service.members('All')).toHaveLength(PEOPLE);
  });
});

async function readWrites(bridge: TestBridge): Promise<JsonObject> {
  return Object((await bridge.ops('GET', '/status')).body.writes);
}

test('a pause lets no change leave, across a restart, answers providers at once, and at its end everything is done', async () => {
  const lives = await makeLives({ settings });
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
    await bridge.patch(`/Users/${first}`, replace('active', false));
    return { first, second: await bridge.addUser('bob') };
  });

  await lives.live(async (bridge) => {
    await bridge.addUser('carl');
    const due = await bridge.listOps('/users?due=true');
    expect(await readWrites(bridge)).toMatchObject({
      paused: { reason: 'the auditors are here' },
      waiting: 3,
    });
    expect(await bridge.readReasons()).toMatchObject([{ code: 'writes-paused' }]);
    expect(due).toMatchObject([0, 1, 2].map(() => ({ attempts: 0, problem: null })));
    expect(calls.count({ mutating: true })).toBe(0);

    const { body } = await bridge.settled(bridge.ops('POST', '/resume'));

    expect(body).toMatchObject({ paused: null });
    expect(await bridge.readReasons()).toEqual([]);
    expect(service.getUser('ada@example.com').active).toBe(false);
    expect(service.findUser('bob@example.com')).toBeDefined();
    expect(service.findUser('carl@example.com')).toBeDefined();
    await bridge.patch(`/Users/${ids.second}`, replace('active', false));
    expect(service.getUser('bob@example.com').active).toBe(false);
  });
});

test('a pause stops calls that wait for their turn and answers their requests; none of them counts as a failure', async () => {
  const bridge = await bridgeForTest({ settings, requestsPerSecond: 5 });
  const { calls } = bridge.sandbox;
  const writes = bridge.addUsers(6);
  await expect.poll(() => calls.count({ operation: 'scim.addUser' })).toBeGreaterThan(0);
  await bridge.ops('POST', '/pause');
  await writes;
  const left = calls.count({ mutating: true });
  const due = await bridge.listOps('/users?due=true');

  expect(left).toBeLessThan(6);
  expect(due).not.toEqual([]);
  expect(due).toMatchObject(due.map(() => ({ attempts: 0 })));
  await bridge.settled(bridge.ops('POST', '/resume'));
  expect(bridge.sandbox.service.users()).toHaveLength(7);
});

test('scim-bridge resume asks before it lets go what waits', async () => {
  const bridge = await bridgeForTest({ settings });
  const person = runner(bridge, { answer: 'n' });
  await person('pause');
  await bridge.addUser('ada');
  const paused = await person('resume');
  const still = (await readWrites(bridge)).paused;

  expect(paused.asked).toEqual(['Let all that waits for the service go? [y/N] ']);
  expect(still).not.toBeNull();
});

test('scim-bridge pause, resume and plan show ask the running bridge', async () => {
  const bridge = await bridgeForTest({ settings: { ...settings, MODE: 'observe' } });
  await bridge.addUser('ada');
  const run = runner(bridge);

  const paused = await run('pause', '--reason', 'lunch');
  const reason = Object((await readWrites(bridge)).paused).reason;
  const resumed = await run('resume', '--yes');
  const shown = await run('plan', 'show', '--first-run');
  const json = await run('plan', 'show', '--first-run', '--json');
  const wrong = await run('plan', 'show', 'x', '--first-run');

  expect(paused).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Paused since .*: 1 person/),
  });
  expect(reason).toBe('lunch');
  expect(resumed.text).toBe('Not paused, but the bridge only observes: 1 person or group waits.\n');
  expect(shown.text).toMatch(/observes.*\n {2}user\.privileged +1\n {2}user\.create +1\n/);
  expect(shown.text).toMatch(/^user +ada@example\.com +create$/m);
  expect(JSON.parse(json.text)).toMatchObject({ phase: 'observing', counts: { 'user.create': 1 } });
  expect(wrong.code).toBe(64);
});
