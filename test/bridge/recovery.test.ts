import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runAlone } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { describeService, makeLives } from '../support/lives.ts';
import { readMetrics } from '../support/metrics.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { decide, readPlan } from '../support/pilots.ts';
import { admit, dismiss, replace, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/take-store.ts';

const BACKUP_AGE_MS = 4 * 60_000;

type World = Awaited<ReturnType<typeof makeWorld>>;

async function makeWorld(options?: SandboxOptions, url?: string, aheadMs = 0) {
  const folder = makeFolder();
  const [file, backup] = [join(folder, 'bridge.db'), join(folder, 'backup.db')];
  const clock = createLeapingClock();
  const settings = { DATABASE_URL: url ?? `sqlite:${file}`, SCIM_WRITE_WAIT: '50ms' };
  const sandbox = { clock: () => clock.now() + aheadMs, ...options };
  const lives = await makeLives({ sandbox, clock, settings });
  const backUp = () => copyFileSync(file, backup);
  const restore = () => copyFileSync(backup, file);
  return { ...lives, clock, backUp, restore };
}

async function untilPhase(bridge: TestBridge, phase: string) {
  await expect.poll(async () => (await bridge.ops('GET', '/recovery')).body.phase).toBe(phase);
  const { body } = await bridge.ops('GET', '/recovery');
  return { body, plan: await findPlan(bridge, body.planId) };
}

async function findPlan(bridge: TestBridge, id: unknown) {
  return Object(await readPlan(bridge, id));
}

async function untilFollowed(bridge: TestBridge, { id }: JsonObject): Promise<string[]> {
  await expect.poll(async () => (await bridge.ops('GET', '/recovery')).body.phase).toBe('none');
  return (await findPlan(bridge, id)).actions.map((action: unknown) => Object(action).status);
}

const isDropped = (status: string) => status === 'dropped';

async function untilChecked(bridge: TestBridge): Promise<unknown> {
  const read = async () => (await bridge.ops('GET', '/recovery')).body.detection;
  await expect.poll(read).not.toBeNull();
  return read();
}

type Ids = Awaited<ReturnType<typeof live1>>;

/** What the backup knows: Pilots with ada, bob and finn, Gone with ada; bob to go and eve to come, not done yet. */
async function live1(world: World) {
  const { faults } = world.sandbox;
  const ids = await world.live(async (bridge) => {
    const [ada, bob, carl, finn] = await bridge.addPeople('ada', 'bob', 'carl', 'finn');
    const pilots = await bridge.addGroup('Pilots', [ada, bob, finn]);
    const gone = await bridge.settled(bridge.addGroup('Gone', [ada]));
    const down = (['scim.updateUser', 'scim.addUser'] as const).map((operation) =>
      faults.add({ operation, fault: failing(503) }),
    );
    await bridge.patch(`/Users/${bob}`, replace('active', false));
    await bridge.send('POST', '/Users', toUser('eve'));
    for (const one of down) await one.until(1);
    return { bob, carl, finn, pilots, gone };
  });
  faults.clear();
  return ids;
}

/** What was done after the backup, and is known to the service alone once it is restored. */
async function live2(world: World, { bob, carl, finn, pilots, gone }: Ids): Promise<void> {
  await world.live(async (bridge) => {
    await bridge.untilSettled();
    await bridge.patch(`/Users/${bob}`, replace('active', true));
    await bridge.addGroup('New', [await bridge.addUser('dora')]);
    await bridge.send('DELETE', `/Groups/${gone}`);
    await bridge.patch(`/Groups/${pilots}`, dismiss(finn));
    await bridge.patch(`/Groups/${pilots}`, admit(carl));
    await bridge.settled(bridge.patch(`/Users/${carl}`, replace('active', false)));
  });
}

async function makeRestored(options?: SandboxOptions): Promise<{ world: World; ids: Ids }> {
  const world = await makeWorld(options);
  const ids = await live1(world);
  world.backUp();
  // What the bridge did within three minutes of the backup tells nothing.
  world.clock.leap(BACKUP_AGE_MS);
  await live2(world, ids);
  world.restore();
  world.sandbox.calls.reset();
  return { world, ids };
}

test('a restored backup does nothing by itself, and once discarded no policy brings anybody back: who gained or lost access since stays so, and its plan says who else changed the service', async () => {
  const { world, ids } = await makeRestored();
  const { service } = world.sandbox;
  service.addUser({ email: 'admin@example.com' });
  service.as('admin@example.com').updateUser('carl@example.com', { fullName: 'Somebody Else' });
  const before = describeService(world.sandbox);

  await world.live(async (bridge) => {
    const { body, plan } = await untilPhase(bridge, 'waiting');
    const ready = await bridge.readReadiness();

    expect(body).toMatchObject({ reason: { code: 'restored' }, detection: { kind: 'stale' } });
    expect(plan.counts.kinds).toEqual({
      ...{ 'group.create': 1, 'member.add': 1, 'member.remove': 1, 'user.activate': 1 },
      ...{ 'user.create': 1, 'user.deactivate': 1, 'user.rename': 1 },
    });
    const told = { status: 'degraded', reasons: [{ code: 'recovery' }] };
    expect(ready).toMatchObject({ status: 200, body: told });
    expect((await readMetrics(bridge)).get('reasons{code="recovery"}')).toBe(1);
  });
  expect(world.sandbox.calls.count({ mutating: true })).toBe(0);

  await world.live(
    async (bridge) => {
      const { plan } = await untilPhase(bridge, 'waiting');
      const listAuthors = async () => {
        const { actions } = await findPlan(bridge, plan.id);
        return actions.map((one: unknown) => [Object(one).kind, Object(one).who?.by]);
      };
      await expect.poll(listAuthors).toContainEqual(['user.rename', 'admin']);
      expect(await listAuthors()).toContainEqual(['user.activate', undefined]);
      await decide(bridge, plan, 'discard');
      await untilFollowed(bridge, plan);
      await bridge.settled(bridge.sweep());
      const carl = await bridge.send('GET', `/Users/${ids.carl}`);

      expect(carl.body.active).toBe(false);
      expect(await bridge.listDrifts()).toEqual([]);
    },
    { DRIFT_POLICY: 'repair', DRIFT_SETTLE: '0s', AUDIT_POLL_INTERVAL: '1s' },
  );
  expect(describeService(world.sandbox)).toEqual(before);
});

const toAddresses = (...names: string[]): string[] => names.map((name) => `${name}@example.com`);

test('meanwhile a new write reaches the service in the field that it names and in no other, also while nothing is read yet; after a restart, what no longer holds at the approval drops out', async () => {
  const { world, ids } = await makeRestored({ shape: { uniqueGroupNames: 'nowhere' } });
  const { faults, service } = world.sandbox;
  const unread = faults.add({ operation: 'scim.getGroups', fault: failing(503) });

  const hash = await world.live(async (bridge) => {
    await untilPhase(bridge, 'reading');
    await unread.until(2);
    const reading = Object((await bridge.ops('GET', '/recovery')).body).reading;
    await bridge.patch(`/Users/${ids.carl}`, replace('name.familyName', 'Lovelace'));
    await bridge.settled(bridge.addGroup('New', [await bridge.addUser('dora')]));
    const carl = service.getUser('carl@example.com');
    const phase = (await bridge.ops('GET', '/recovery')).body.phase;
    unread.remove();
    const { plan } = await untilPhase(bridge, 'waiting');

    expect(carl).toMatchObject({ fullName: 'Carl Lovelace', active: false });
    expect(phase).toBe('reading');
    expect(reading).toMatchObject({ step: 'groups' });
    expect(service.groups().filter(({ name }) => name === 'New')).toHaveLength(1);
    expect(service.users().filter(({ email }) => email === 'dora@example.com')).toHaveLength(1);
    expect(plan.counts.kinds['user.rename']).toBeUndefined();
    expect(plan.counts.kinds['user.activate']).toBe(1);
    return plan.hash;
  });

  const people = service.users().length;
  await world.live(async (bridge) => {
    const { plan } = await untilPhase(bridge, 'waiting');
    await bridge.settled(bridge.patch(`/Users/${ids.carl}`, replace('active', true)));
    const wrong = await decide(bridge, { ...plan, hash: 'another' }, 'approve');
    await decide(bridge, plan, 'approve');
    const ends = await untilFollowed(bridge, plan);
    await bridge.untilSettled();

    expect(plan.hash).toBe(hash);
    expect(wrong).toMatchObject({ status: 409, body: { code: 'other-plan', hash } });
    expect(ends).toHaveLength(6);
    expect(ends.filter(isDropped)).toHaveLength(1);
    expect(service.members('Pilots')).toEqual(toAddresses('ada', 'bob', 'finn'));
    expect(service.members('Gone')).toEqual(toAddresses('ada'));
    expect(service.getUser('bob@example.com').active).toBe(false);
    expect(service.users()).toHaveLength(people);
  });
});

test.each([0, 10, -120])(
  'an ordinary restart is no recovery, not even when the owner of the token changed things by hand while the bridge ran, with a service whose clock is %i minutes ahead',
  async (minutes) => {
    const world = await makeWorld({}, undefined, minutes * 60_000);
    await live1(world);

    await world.live(async (bridge) => {
      expect(await untilChecked(bridge)).toEqual({ kind: 'current' });
      await bridge.untilSettled();
      world.clock.leap(BACKUP_AGE_MS);
      world.sandbox.service.updateUser('carl@example.com', { active: false });
    });

    await world.live(async (bridge) => {
      expect(await untilChecked(bridge)).toEqual({ kind: 'current' });
      expect((await bridge.ops('GET', '/recovery')).body.phase).toBe('none');
    });
  },
);

describe('scim-bridge restore and recovery', () => {
  test('begin it without the audit log, show the plan, and approve it', async () => {
    const url = await makeStoreUrl();
    const world = await makeWorld(undefined, url);
    await live1(world);
    world.sandbox.faults.add({ operation: 'audit', fault: failing(403) });
    const run = (args: string, env: Record<string, string> = {}) =>
      runAlone(args.split(' '), { OPS_TOKEN, DATABASE_URL: url, ...env });

    const marked = await run('restore --yes');
    await world.live(async (bridge) => {
      const env = { OPS_URL: new URL(bridge.baseUrl).origin };
      const { plan } = await untilPhase(bridge, 'waiting');
      const before = world.sandbox.calls.count({ mutating: true });
      const shown = await run('plan show', env);
      const refused = await run(`plan approve ${plan.id} another`, env);
      const approved = await run(`plan approve ${plan.id} ${plan.hash}`, env);
      const ends = await untilFollowed(bridge, plan);
      await bridge.untilSettled();

      expect(marked.code).toBe(0);
      expect(shown.text).toContain(plan.hash);
      expect(shown.text).toMatch(/user\.deactivate +bob@example\.com/);
      expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('409') });
      expect(approved).toMatchObject({ code: 0, text: expect.stringContaining('2 actions') });
      expect(ends.filter(isDropped)).toEqual([]);
      expect(world.sandbox.service.getUser('bob@example.com').active).toBe(false);
      expect(world.sandbox.service.findUser('eve@example.com')).toBeDefined();
      expect(before).toBe(world.sandbox.calls.count({ mutating: true }) - 2);
    });
  });

  test('hold a repair that was under way: its difference is open until the plan is decided', async () => {
    const url = await makeStoreUrl();
    const repairing = { DRIFT_POLICY: 'repair', DRIFT_SETTLE: '0s' };
    const world = await makeWorld(undefined, url);
    const { faults, service } = world.sandbox;
    const drift = 'member.added Pilots of ada@example.com';
    await world.live(async (bridge) => {
      await bridge.addUser('ada');
      await bridge.settled(bridge.addGroup('Pilots'));
      service.link('Pilots', 'ada@example.com');
      const down = faults.add({ operation: 'groupUsers.removeUserFromGroup', fault: failing(503) });
      await bridge.sweep();
      await down.until(1);
      expect(await bridge.listDrifts('repairing')).toEqual([drift]);
    }, repairing);
    faults.clear();

    await runAlone(['restore', '--yes'], { OPS_TOKEN, DATABASE_URL: url });
    await world.live(async (bridge) => {
      const { plan } = await untilPhase(bridge, 'waiting');
      expect(await bridge.listDrifts()).toEqual([drift]);
      await decide(bridge, plan, 'approve');
      await untilFollowed(bridge, plan);
      await bridge.untilSettled();
      await bridge.sweep();

      expect(service.members('Pilots')).toEqual([]);
      expect(await bridge.listDrifts()).toEqual([]);
    }, repairing);
  });
});
