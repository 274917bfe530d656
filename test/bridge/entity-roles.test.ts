import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { Rule } from '../../src/domain/rule-book.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { startAuditWorld } from '../support/audit-world.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { startTestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { listHeld, readPlan, untilApplied } from '../support/pilots.ts';
import { replace, toGroup } from '../support/provider.ts';
import { makeStoreUrl } from '../support/take-store.ts';
import { untilQuiet } from '../support/timed-bridge.ts';

const [READ, WRITE] = ['role-read', 'role-write'];
const LONG_MS = 120_000;
const ADMIN = 'admin@example.com';

interface Place {
  readonly sandbox: Sandbox;
  readonly uids: Readonly<Record<string, string>>;
  readonly url: string;
}

type Wanted = Readonly<Record<string, readonly string[]>>;

function toRules({ uids }: Place, wanted: Wanted): Rule[] {
  const titles = Object.keys(wanted);
  const entities = titles.map((title) => ({ uid: uids[title] ?? '', roles: wanted[title] ?? [] }));
  return entities.length === 0 ? [] : [{ group: 'Board*', entities }];
}

function listRoles({ sandbox, uids }: Place, group = 'Board'): Record<string, readonly string[]> {
  const held = Object.entries(uids).flatMap(([title, uid]) => {
    const roles = sandbox.service.rolesOf(uid, group);
    return roles === undefined ? [] : [[title, roles] as const];
  });
  return Object.fromEntries(held);
}

function listCalls({ sandbox }: Place): string[] {
  const called = sandbox.calls.recent().map(({ operation }) => operation.split('.'));
  return called.flatMap(([group, name = '']) => (group === 'groupEntities' ? [name] : []));
}

describe('roles of groups in spaces and documents', () => {
  async function makePlace(clock: Clock = systemClock): Promise<Place> {
    const sandbox = await forTest(startSandbox({ clock: () => clock.now() }));
    sandbox.service.addUser({ email: ADMIN });
    const titles = ['Minutes', 'Hangar', 'Kitchen'];
    const uids = titles.map((title) => [title, sandbox.service.addSpace(title).uid] as const);
    return { sandbox, uids: Object.fromEntries(uids), url: await makeStoreUrl() };
  }

  async function live<T>(
    place: Place,
    wanted: Wanted,
    life: (bridge: TestBridge) => Promise<T>,
    { settings, ...options }: Pick<TestBridgeOptions, 'clock' | 'settings'> = {},
  ): Promise<T> {
    const RULES = JSON.stringify(toRules(place, wanted));
    const common = { DATABASE_URL: place.url, SWEEP_ADMINS_EVERY: '1', RULES };
    const bugs: JsonObject[] = [];
    const bridge = await startTestBridge({
      ...{ ...options, service: place.sandbox },
      settings: { ...common, ...settings },
      onLog: (line) => bugs.push(...(line.error === undefined ? [] : [line])),
    });
    try {
      return await life(bridge);
    } finally {
      await bridge.stop();
      expect(bugs).toEqual([]);
    }
  }

  test('are brought about with one look and one call each; what others change is reported with who did it, and no more is touched', async () => {
    const clock = createLeapingClock();
    const place = await makePlace(clock);
    const RULES = JSON.stringify(toRules(place, { Minutes: [WRITE, READ], Hangar: [READ] }));
    const world = await forTest(
      startAuditWorld({
        ...{ service: place.sandbox, clock },
        settings: { DATABASE_URL: place.url, SWEEP_ADMINS_EVERY: '1', RULES },
      }),
    );
    const id = await world.addGroup('Board');
    await world.settled(world.addGroup('Cooks'));
    const calls = listCalls(place);
    place.sandbox.calls.reset();
    await world.settled(world.patch(`/Groups/${id}`, rename('Board of directors')));
    const later = listCalls(place);
    const given = [listRoles(place, 'Board of directors'), listRoles(place, 'Cooks')];
    await world.patch(`/Groups/${id}`, rename('Board'));
    await world.poll(LONG_MS);
    changeBehind(place);
    place.sandbox.calls.reset();
    await world.poll();
    await world.sweep();

    expect(calls).toEqual(['getListOfGroupEntities', 'addEntity', 'addEntity']);
    expect(later).toEqual([]);
    expect(given).toEqual([{ Minutes: [READ, WRITE], Hangar: [READ] }, {}]);
    const who = { username: 'admin' };
    for (const kind of ['entity.changed', 'entity.removed']) {
      const read = async () => (await world.ops('GET', `/drifts?kind=${kind}`)).body.items;

      await expect.poll(read).toMatchObject([{ kind, status: 'open', who }]);
    }
    const kinds = ['entity.changed', 'entity.removed'].map((kind) => `${kind} Board of null`);
    expect(await world.listDrifts()).toEqual(kinds);
    expect(place.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(listRoles(place)).toEqual({ Hangar: [READ, WRITE], Kitchen: [WRITE] });
  });

  test('go with the rule that gave them, once; what others gave before or beside it stays, and what a protected group has', async () => {
    const place = await makePlace();
    const { service, calls } = place.sandbox;
    const rule = (wanted: Wanted, settings?: Record<string, string>) =>
      live(place, wanted, untilRuled, settings === undefined ? {} : { settings });
    await live(place, { Hangar: [READ] }, async (bridge) => {
      for (const name of ['Board', 'Board for life']) await bridge.addGroup(name);
      await bridge.untilSettled();
    });
    service.setRoles(uidOf(place, 'Minutes'), 'Board', [READ]);
    service.setRoles(uidOf(place, 'Kitchen'), 'Board', [WRITE]);
    await rule({ Minutes: [READ, WRITE], Hangar: [WRITE] });
    const ruled = [listRoles(place), listRoles(place, 'Board for life')];
    calls.reset();
    await rule({}, { PROTECT_GROUPS: 'Board for life' });
    const after = [listRoles(place), listCalls(place)];
    await rule({});

    const both = { Minutes: [READ, WRITE], Hangar: [WRITE] };
    expect(ruled).toEqual([{ ...both, Kitchen: [WRITE] }, both]);
    expect(after).toEqual([{ Minutes: [READ, WRITE], Kitchen: [WRITE] }, ['removeEntity']]);
    expect(listCalls(place)).toEqual(after[1]);
    expect(listRoles(place)).toEqual(after[0]);
    expect(listRoles(place, 'Board for life')).toEqual(both);
  });

  test('that others change are put right where the policy says so, within the limits of lost access, and not by a list that could not be read', async () => {
    const place = await makePlace();
    const settings = { DRIFT_POLICY: 'repair', LIMITS_REPAIR: '1' };
    const differ = async (bridge: TestBridge) => {
      const { calls, faults, service } = place.sandbox;
      await bridge.settled(bridge.addGroup('Board'));
      calls.reset();
      const operation = 'groupEntities.getListOfGroupEntities';
      faults.add({ operation, fault: { kind: 'truncated' } });
      const unread = await bridge.sweep();
      faults.clear();
      const early = [await bridge.listDrifts(), calls.count({ mutating: true })];
      changeBehind(place);
      await bridge.sweep();
      await untilRepaired(bridge, ['entity.changed', 'entity.removed']);
      const repaired = listRoles(place);
      for (const title of ['Minutes', 'Hangar'])
        service.setRoles(uidOf(place, title), 'Board', [READ, WRITE]);
      await bridge.sweep();
      const { body } = await bridge.ops('GET', '/plans?status=held');

      expect(JSON.stringify(unread)).toContain('the entities of some groups could not be read');
      expect(early).toEqual([[], 0]);
      expect(repaired).toEqual({ Minutes: [READ], Hangar: [READ], Kitchen: [WRITE] });
      expect(JSON.stringify(body)).toContain('cutAccess: 2 in 24 hours');
      expect(listRoles(place)).toMatchObject({ Minutes: [READ, WRITE], Hangar: [READ, WRITE] });
    };
    await live(place, { Minutes: [READ], Hangar: [READ] }, differ, { settings });
  });

  test('that the service refuses are stuck with its words, and hold nothing else: the roles with 422, the list with 402', async () => {
    const place = await makePlace();
    const refuse = (operation: OperationName, status: number, about?: { about: string }) =>
      place.sandbox.faults.add({ operation, fault: failing(status, 'message'), ...about });
    await live(place, { Minutes: [READ], Hangar: [READ] }, async (bridge) => {
      const ada = await bridge.addUser('ada');
      const listStuckOf = async (name: string) => {
        await bridge.send('POST', '/Groups', toGroup(name, [ada]));
        await bridge.untilSettled('may stay');
        const stuck: JsonObject[] = Object((await bridge.ops('GET', '/status')).body.stuck);
        return stuck
          .filter((one) => one.name === name)
          .map(({ field, problem }) => [field, Object(problem).status]);
      };
      const [minutes, hangar] = [uidOf(place, 'Minutes'), uidOf(place, 'Hangar')];
      refuse('groupEntities.addEntity', 422, { about: minutes });
      const unwritten = await listStuckOf('Board');

      refuse('groupEntities.getListOfGroupEntities', 402);
      const unread = await listStuckOf('Board unread');

      for (const name of ['Board', 'Board unread'])
        expect(place.sandbox.service.members(name)).toEqual(['ada@example.com']);
      expect(listRoles(place)).toEqual({ Hangar: [READ] });
      expect(listRoles(place, 'Board unread')).toEqual({});
      expect(unwritten).toEqual([[`entity:${minutes}`, 422]]);
      expect(unread).toEqual([
        [`entity:${minutes}`, 402],
        [`entity:${hangar}`, 402],
      ]);
    });
  });

  test('are given once where the answer was lost, and still go with their rule', async () => {
    const clock = createLeapingClock();
    const place = await makePlace(clock);
    for (const at of ['before-effect', 'after-effect'] as const) {
      place.sandbox.faults.add({
        operation: 'groupEntities.addEntity',
        ...{ about: uidOf(place, at === 'before-effect' ? 'Minutes' : 'Hangar'), times: 1 },
        fault: { kind: 'reset', at },
      });
    }
    // So long a lost call may still take effect, and then another look is owed.
    const give = async (bridge: TestBridge) => {
      await bridge.addGroup('Board');
      await untilQuiet({ bridge, clock });
      return listRoles(place);
    };
    const given = await live(place, { Minutes: [READ], Hangar: [READ] }, give, { clock });
    const changes = listCalls(place).filter((call) => call !== 'getListOfGroupEntities');
    const take = async (bridge: TestBridge) => {
      await bridge.bridge.rulesApplied();
      await untilQuiet({ bridge, clock });
    };
    await live(place, {}, take, { clock });

    expect(given).toEqual({ Minutes: [READ], Hangar: [READ] });
    // The one that had its effect is seen in the list.
    expect(changes).toEqual(['addEntity', 'addEntity', 'addEntity']);
    const grants = place.sandbox.service
      .auditEvents()
      .filter(({ action }) => action === 'grant_access');
    expect(grants).toHaveLength(2);
    expect(listRoles(place)).toEqual({});
  });

  test('go with their rule, although a service that shows nothing answers HTML and 404 at first', async () => {
    const clock = createLeapingClock();
    const place = await makePlace(clock);
    const { faults } = place.sandbox;
    await live(place, { Minutes: [READ] }, (bridge) => bridge.settled(bridge.addGroup('Board')));
    const fault = failing(404);
    for (const operation of ['groups.getGroup', 'groupEntities.removeEntity'] as const)
      faults.add({ operation, fault });
    faults.add({ operation: 'groups.getListOfGroups', fault: { kind: 'html' }, times: 1 });
    const list = faults.add({ operation: 'groups.getListOfGroups', fault });
    const heal = async (bridge: TestBridge) => {
      await list.until(1);
      faults.clear();
      await untilQuiet({ bridge, clock });
    };
    await live(place, {}, heal, { clock, settings: { SWEEP_INTERVAL: '0' } });

    expect(listRoles(place)).toEqual({});
  });

  test('go with their rule, although the service says once that they are not there', async () => {
    const place = await makePlace();
    await live(place, { Minutes: [READ] }, (bridge) => bridge.settled(bridge.addGroup('Board')));
    const operation = 'groupEntities.removeEntity';
    place.sandbox.faults.add({ operation, fault: failing(404), times: 1 });
    await live(place, {}, untilRuled);

    expect(listRoles(place)).toEqual({});
  });

  test('are held where rules take away more than providers may, and go or stay as an operator decides', async () => {
    const place = await makePlace();
    await live(place, { Minutes: [READ], Hangar: [READ], Kitchen: [READ] }, async (bridge) => {
      await bridge.settled(bridge.addGroup('Board'));
    });
    const decide = async (bridge: TestBridge) => {
      await untilRuled(bridge);
      const left = Object.keys(listRoles(place));
      const [held] = await listHeld(bridge);
      const plan = await readPlan(bridge, held?.id);
      await bridge.ops('POST', `/plans/${held?.id}/approve`, { hash: held?.hash ?? '' });
      await untilApplied(bridge, held?.id);

      expect(left).toHaveLength(2);
      expect(plan.counts).toMatchObject({ kinds: { 'entity.remove': 2 } });
      expect(listRoles(place)).toEqual({});
    };
    await live(place, {}, decide, { settings: { LIMITS_PROVIDER: '1' } });
  });
});

function changeBehind(place: Place): void {
  const service = place.sandbox.service.as(ADMIN);
  service.setRoles(uidOf(place, 'Minutes'), 'Board', []);
  service.setRoles(uidOf(place, 'Hangar'), 'Board', [READ, WRITE]);
  service.setRoles(uidOf(place, 'Kitchen'), 'Board', [WRITE]);
}

function uidOf({ uids }: Place, title: string): string {
  return uids[title] ?? '';
}

async function untilRepaired(bridge: TestBridge, kinds: readonly string[]): Promise<void> {
  const list = () => bridge.listDrifts('repaired');
  const wanted = kinds.map((kind) => `${kind} Board of null`);
  await expect.poll(list).toEqual(wanted);
  await bridge.untilSettled();
}

async function untilRuled(bridge: TestBridge): Promise<void> {
  await bridge.bridge.rulesApplied();
  await bridge.untilSettled();
}

function rename(value: string): JsonObject {
  return replace('displayName', value);
}
