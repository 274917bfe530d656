import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import type { DriftCell } from '../support/drift-cells.ts';
import {
  ada,
  addCompany,
  addVera,
  bob,
  driftCells,
  isMetAlone,
  VERA,
} from '../support/drift-cells.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import {
  addPilots,
  countMembers,
  emailOf,
  intrude,
  readPlan,
  untilApplied,
} from '../support/pilots.ts';
import { dismiss, replace, toMembers, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/take-store.ts';

const settings = { SWEEP_INTERVAL: '0', SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };

const idOf = (bridge: TestBridge, type: 'Users' | 'Groups', name: string) =>
  bridge.findId({ type, name });

async function writeAll(bridge: TestBridge): Promise<void> {
  const [adaId, bobId] = [await idOf(bridge, 'Users', ada), await idOf(bridge, 'Users', bob)];
  const carlId = await idOf(bridge, 'Users', 'carl@example.com');
  await bridge.patch(`/Users/${adaId}`, replace('active', true));
  await bridge.patch(`/Users/${adaId}`, replace(`${USER_EXTENSION}:appsPermissions`, 2));
  await bridge.patch(`/Users/${bobId}`, replace('name.familyName', 'Example'));
  await bridge.patch(`/Users/${carlId}`, replace('active', false));
  const group = `/Groups/${await idOf(bridge, 'Groups', 'Pilots')}`;
  const admins = toMembers([adaId]);
  await bridge.patch(group, replace(`${GROUP_EXTENSION}:permissions`, 2));
  await bridge.patch(group, replace('members', admins));
  await bridge.patch(group, replace(`${GROUP_EXTENSION}:admins`, admins));
}

describe('a drift that a write has made up for', () => {
  test('is over without another sweep, of every kind, and stays while the write names another field', async () => {
    const bridge = await bridgeForTest({ settings });
    const cells = driftCells.filter((cell) => !isMetAlone(cell));
    await addCompany(bridge);
    const emma = await bridge.addUser('emma');
    await bridge.sweep();
    for (const { change } of cells) change(bridge.sandbox.service);
    bridge.sandbox.service.updateUser('emma@example.com', { active: false });
    await bridge.sweep();
    const found = await bridge.listDrifts();
    await bridge.settled(bridge.patch(`/Users/${emma}`, replace('name.familyName', 'Lovelace')));
    await writeAll(bridge);

    const over = cells.map(({ kind, name }) => `${kind} ${name}`).toSorted();
    const stays = 'user.deactivated emma@example.com';
    expect(found).toEqual([...over, stays].toSorted());
    await expect.poll(() => bridge.listDrifts()).toEqual([stays]);
    expect(await bridge.listDrifts('gone')).toEqual(over);
  });

  test('drops out of the plan that waits, and of an empty plan nothing is told', async () => {
    const repairing = { ...settings, DRIFT_POLICY: 'repair', LIMITS_REPAIR: '1' };
    const bridge = await bridgeForTest({ settings: repairing });
    const group = await addPilots(bridge, 2);
    intrude(bridge, 0, 2);
    const { planId } = await bridge.sweep();
    const held = await readPlan(bridge, planId);
    const readReady = async () => (await bridge.readReadiness()).text;
    const readyz = await readReady();
    const remove = async (n: number) =>
      bridge.patch(`/Groups/${group}`, dismiss(await idOf(bridge, 'Users', emailOf(n))));
    await remove(0);
    await expect.poll(readReady).toContain('plan of 1 change');
    await remove(1);

    expect(held).toMatchObject({ status: 'held', counts: { total: 2 } });
    expect(readyz).toContain('plan of 2 changes');
    await expect.poll(readReady).not.toContain('plan-held');
    const after = await readPlan(bridge, planId);
    const dropped = { kind: 'member.remove', status: 'dropped' };
    expect(after).toMatchObject({ status: 'discarded', actions: [dropped, dropped] });
    expect(await bridge.listDrifts()).toEqual([]);
  });
});

const INTRUDERS = 4;

describe('one decision about many drifts', () => {
  async function openIntruded(settings: Readonly<Record<string, string>> = {}) {
    const bridge = await bridgeForTest({ settings });
    await addPilots(bridge, INTRUDERS);
    intrude(bridge, 0, INTRUDERS);
    await bridge.sweep();
    const drifts = await bridge.listOps('/drifts?status=open&kind=member.added');
    return [bridge, drifts.map(({ id }) => String(id))] as const;
  }

  const decide = (bridge: TestBridge, body: Record<string, string | boolean | string[]>) =>
    bridge.ops('POST', '/drifts/decide', body);

  test('repairs them by one plan, which a dry run has told before', async () => {
    const [bridge, ids] = await openIntruded();
    const repair = { decision: 'repair', ids: [...ids, 'nobody'] };
    const preview = await decide(bridge, { ...repair, dryRun: true });

    expect(preview.body).toMatchObject({
      ...{ dryRun: true, done: INTRUDERS, refused: [{ id: 'nobody', code: 'unknown' }] },
      plan: { id: null, exceeded: [], counts: { kinds: { 'member.remove': INTRUDERS } } },
    });
    expect(await bridge.listDrifts()).toHaveLength(INTRUDERS);
    expect(Object((await bridge.ops('GET', '/plans')).body).items).toEqual([]);

    await untilApplied(bridge, Object((await decide(bridge, repair)).body).plan.id);
    expect(countMembers(bridge)).toBe(0);
  });

  test('above a limit repairs nothing but exactly the plan that was seen', async () => {
    const [bridge, ids] = await openIntruded({ LIMITS_REPAIR: '2' });
    const repair = { decision: 'repair', ids };
    const refused = await decide(bridge, repair);
    expect(refused).toMatchObject({ status: 409, body: { code: 'above-limits' } });
    const { hash } = Object(refused.body);

    const fewer = await decide(bridge, { ...repair, ids: ids.slice(1), hash });
    expect(fewer).toMatchObject({ status: 409, body: { code: 'other-plan' } });
    expect(countMembers(bridge)).toBe(INTRUDERS);

    await untilApplied(bridge, Object((await decide(bridge, { ...repair, hash })).body).plan.id);
    expect(countMembers(bridge)).toBe(0);
  });

  test('is kept as an act about each of them, and a dry run as none', async () => {
    const [bridge, ids] = await openIntruded();
    const ignore = { until: '2999-01-01T00:00:00Z', reason: 'a test' };
    await decide(bridge, { decision: 'ignore', ids: ids.slice(0, 2), ...ignore, dryRun: true });
    await decide(bridge, { decision: 'ignore', ids: ids.slice(0, 2), ...ignore });
    await decide(bridge, { decision: 'accept', ids: ids.slice(2) });

    const { items } = Object((await bridge.ops('GET', '/acts')).body);
    const decided = items.filter(({ act }: { act: string }) => /^drifts (ig|ac)/.test(act));
    expect(decided.map(({ target }: { target: string }) => target).toReversed()).toEqual(ids);
    const [before, after] = [{ status: 'open' }, { status: 'accepted' }];
    expect(decided[0]).toMatchObject({ before, after, outcome: 'done' });
    expect(await bridge.listDrifts('ignored')).toHaveLength(2);
    expect(await bridge.listDrifts('accepted')).toHaveLength(2);
  });

  test('leaves what is ignored alone up to what it was then', async () => {
    const bridge = await bridgeForTest({ settings });
    const group = await bridge.settled(bridge.addGroup('Pilots'));
    await bridge.patch(`/Groups/${group}`, replace(`${GROUP_EXTENSION}:permissions`, 0));
    const sees = async (permissions: number) => {
      bridge.sandbox.service.updateGroup('Pilots', { permissions });
      await bridge.sweep();
      return bridge.listOps('/drifts');
    };
    const ids = (await sees(18)).map(({ id }) => String(id));
    const ignore = { until: '2999-01-01T00:00:00Z', reason: 'a test' };
    await decide(bridge, { decision: 'ignore', ids, ...ignore });

    expect(await sees(2)).toMatchObject([{ status: 'ignored' }]);
    expect(await sees(3)).toMatchObject([{ status: 'open' }]);
  });

  test('`drifts repair` tells what follows and asks; above a limit a script needs the hash', async () => {
    const [bridge, ids] = await openIntruded({ LIMITS_REPAIR: '2' });
    const script = runner(bridge);
    const refuser = runner(bridge, { answer: 'n' });
    const person = runner(bridge, { answer: 'y' });

    const refused = await script('drifts', 'repair', '--yes', ...ids);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('above the limits') });
    expect((await refuser('drifts', 'repair', ...ids)).text).toContain('Nothing was done.');
    expect(countMembers(bridge)).toBe(INTRUDERS);

    const { code, text, asked } = await person('drifts', 'repair', ...ids);
    expect({ code, asked }).toEqual({ code: 0, asked: ['Repair them? [y/N] '] });
    expect(text).toContain('above the limit: removeMember: 4 in 24 hours');
    await expect.poll(() => countMembers(bridge)).toBe(0);
    const list = async () => (await script('drifts', '--status', 'repaired')).text;
    await expect.poll(list).toContain('member.added');
    expect((await script('drifts', 'repair', '--dry-run', 'nobody')).text).toContain('0 can be');
  });
});

describe('who', () => {
  const settings = { SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };
  const LONG_MS = 10 * 60_000;

  const cells: readonly DriftCell[] = [
    ...driftCells.filter(({ kind, name }) => kind.endsWith('.missing') || name === ada),
    { kind: 'user.missing', name: VERA, change: (service) => service.removeUser(VERA) },
  ];

  async function listWho(bridge: TestBridge, kind: string): Promise<JsonObject[]> {
    return (await bridge.listOps(`/drifts?kind=${kind}&status=open&limit=1000`)).map((item) => {
      const { resource, member, who, message } = Object(item);
      const name = member === null ? resource.name : `${resource.name} of ${member.name}`;
      return { name, who, message };
    });
  }

  test('who brought a difference about is told once the audit log was read, also where the sweep was faster', async () => {
    const world = await forTest(startAudit({ settings }));
    const { service } = world.sandbox;
    await addCompany(world);
    await addVera(world, () => world.sweep());
    const admins = cells.map((_, index) => service.addUser({ email: `admin${index}@example.com` }));
    await world.sweep();
    await world.poll(LONG_MS);
    const wanted = cells.map(({ kind, name, change }, index) => {
      const [user, address] = [admins[index], `198.51.100.${index}`];
      change(service.as(user?.id ?? 0, address));
      const who = { id: user?.id, username: user?.userName, address };
      return { kind, name, who: { ...who, at: expect.any(String) }, message: expect.any(String) };
    });
    const listFound = async () => {
      const found: JsonObject[] = [];
      for (const { kind, name } of cells)
        found.push({ kind, ...(await listWho(world, kind)).find((one) => one.name === name) });
      return found;
    };
    await world.sweep();
    const before = await listFound();
    await world.poll();

    expect(before).toEqual(wanted.map((one) => ({ ...one, who: null, message: null })));
    expect(await listFound()).toEqual(wanted);
  });

  test('a change with the account of the token is found by a sweep, and names neither it nor an earlier author', async () => {
    const world = await forTest(startAudit({ settings }));
    const id = await addCompany(world);
    await world.sweep();
    await world.poll(LONG_MS);
    behindTheBack(world).updateUser(ada, { active: false });
    await world.poll(LONG_MS);
    await world.patch(`/Users/${id}`, replace('active', true));
    await world.poll(LONG_MS);
    world.sandbox.service.updateUser(ada, { active: false });
    await world.poll();
    const beforeSweep = await listWho(world, 'user.deactivated');
    await world.sweep();

    expect(beforeSweep).toEqual([]);
    const byNobody = { name: ada, who: null, message: null };
    expect(await listWho(world, 'user.deactivated')).toEqual([byNobody]);
  });
});

describe('set back', () => {
  const DAY_MS = 86_400_000;
  const MINUTE_MS = 60_000;
  const HALF_HOUR_MS = 30 * MINUTE_MS;
  const leaves = replace('active', false);

  function createAheadClock(aheadMs: number) {
    const state = { aheadMs };
    return { ...systemClock, state, now: () => systemClock.now() + state.aheadMs };
  }

  async function makePlace(): Promise<Pick<TestBridgeOptions, 'settings' | 'service'>> {
    const service = await forTest(startSandbox());
    const own = { SCIM_WRITE_WAIT: '40ms', UPSTREAM_ATTEMPTS_BEFORE_STUCK: '2' };
    return { service, settings: { ...own, DATABASE_URL: await makeStoreUrl() } };
  }

  /** Has somebody leave whom the service does not let go, until the next attempt seems to be so far away. */
  async function keepIn(bridge: TestBridge, status: number, restMs: number) {
    const id = await bridge.addUser('ada');
    const refused = { operation: 'scim.updateUser', fault: failing(status, 'message') } as const;
    const fault = bridge.sandbox.faults.add(refused);
    await bridge.patch(`/Users/${id}`, leaves);
    await expect.poll(() => readRestMs(bridge, `/users/${id}`)).toBeGreaterThan(restMs);
    return fault;
  }

  async function readRestMs(bridge: TestBridge, path: string): Promise<number> {
    const { dueAt } = (await bridge.ops('GET', path)).body;
    return (dueAt === null ? 0 : Date.parse(String(dueAt))) - systemClock.now();
  }

  const isIn = ({ sandbox }: TestBridge) => sandbox.service.getUser('ada@example.com').active;

  test.each([
    ['500', 'while the bridge runs', DAY_MS, DAY_MS + HALF_HOUR_MS],
    ['503', 'while the bridge runs', HALF_HOUR_MS, HALF_HOUR_MS - MINUTE_MS],
    ['500', 'before a start', DAY_MS, DAY_MS + HALF_HOUR_MS],
    ['503', 'before a start', HALF_HOUR_MS, HALF_HOUR_MS - MINUTE_MS],
  ])(
    'a clock that is set back after a %s, %s, keeps nobody in, and everything is compared as often as ever',
    async (status, when, aheadMs, restMs) => {
      const place = await makePlace();
      const clock = createAheadClock(aheadMs);
      const first = await bridgeForTest({ ...place, clock });
      const fault = await keepIn(first, Number(status), restMs);
      const isRestarted = when === 'before a start';
      if (isRestarted) await first.stop();

      clock.state.aheadMs = 0;
      fault.remove();
      const settings = { ...place.settings, SWEEP_INTERVAL: '1h' };
      const bridge = isRestarted ? await bridgeForTest({ ...place, settings }) : first;
      await bridge.send('POST', '/Users', toUser('bob')); // Whatever is written has it look at what is due.

      await expect.poll(() => isIn(bridge)).toBe(false);
      const readSweeps = async () => (await bridge.ops('GET', '/sweeps')).body.items;
      await expect.poll(readSweeps).toHaveLength(isRestarted ? 1 : 0);
    },
  );

  test('a group whose creation was lost before the clock was set back is made minutes later', async () => {
    const clock = createAheadClock(DAY_MS);
    const bridge = await bridgeForTest({ ...(await makePlace()), clock });
    const fault = { kind: 'reset', at: 'before-effect' } as const;
    const lost = bridge.sandbox.faults.add({ operation: 'groups.createGroup', fault });
    const path = `/groups/${await bridge.addGroup('Pilots')}`;
    await expect.poll(() => readRestMs(bridge, path)).toBeGreaterThan(DAY_MS);
    lost.remove();
    clock.state.aheadMs = 0;
    await bridge.send('POST', '/Users', toUser('bob'));
    await expect.poll(() => readRestMs(bridge, path)).toBeLessThan(DAY_MS);
    clock.state.aheadMs = 6 * MINUTE_MS;
    await bridge.send('POST', '/Users', toUser('carl'));

    await expect.poll(() => bridge.sandbox.service.groups()).toMatchObject([{ name: 'Pilots' }]);
  });
});
