import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Rule } from '../../src/domain/rules.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { startAuditWorld } from '../support/audit-world.ts';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { readPlan, untilApplied } from '../support/pilots.ts';
import { addGroup, addUser, send, toGroup, toPatch, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const [READ, WRITE] = ['role-read', 'role-write'];
/** After this a change is no late effect of a call of our own. */
const LONG_MS = 120_000;
/** Not the account of the token. */
const ADMIN = 'admin@example.com';

const REFUSALS = [
  { what: 'the roles, 422', operation: 'groupEntities.addEntity', status: 422 },
  { what: 'the list, 402', operation: 'groupEntities.getListOfGroupEntities', status: 402 },
] as const;

/** A service with three spaces, and a store; rules name the spaces by their titles. */
interface Place {
  readonly sandbox: Sandbox;
  readonly uids: Readonly<Record<string, string>>;
  readonly url: string;
}

/** Roles in spaces by title, for groups whose names begin with Board. */
type Wanted = Readonly<Record<string, readonly string[]>>;

function toRules({ uids }: Place, wanted: Wanted): Rule[] {
  const entities = Object.entries(wanted).map(([title, roles]) => ({
    uid: uids[title] ?? '',
    roles,
  }));
  return entities.length === 0 ? [] : [{ group: 'Board*', entities }];
}

/** The roles of a group by the titles of its spaces. */
function listRoles({ sandbox, uids }: Place, group = 'Board'): Record<string, readonly string[]> {
  const held = Object.entries(uids).flatMap(([title, uid]) => {
    const roles = sandbox.service.rolesOf(uid, group);
    return roles === undefined ? [] : [[title, roles] as const];
  });
  return Object.fromEntries(held);
}

function listCalls({ sandbox }: Place): string[] {
  return sandbox.calls
    .recent()
    .flatMap(({ operation }) =>
      operation.startsWith('groupEntities.') ? [operation.slice(14)] : [],
    );
}

describe('roles of groups in spaces and documents', () => {
  async function makePlace(clock: Clock = systemClock): Promise<Place> {
    const sandbox = await startSandbox({ clock: () => clock.now() });
    onTestFinished(() => sandbox.stop());
    sandbox.service.addUser({ email: ADMIN });
    const titles = ['Minutes', 'Hangar', 'Kitchen'];
    const uids = titles.map((title) => [title, sandbox.service.addSpace(title).uid] as const);
    return { sandbox, uids: Object.fromEntries(uids), url: await makeStoreUrl() };
  }

  /** A bridge with these rules, from its start to its stop. */
  async function live<T>(
    place: Place,
    wanted: Wanted,
    life: (bridge: TestBridge) => Promise<T>,
    {
      settings = {},
      ...options
    }: Pick<TestBridgeOptions, 'clock'> & { settings?: Record<string, string> } = {},
  ): Promise<T> {
    const RULES = JSON.stringify(toRules(place, wanted));
    const common = { ...SWEEP_SETTINGS, DATABASE_URL: place.url, SWEEP_ADMINS_EVERY: '1', RULES };
    const bridge = await startTestBridge({
      ...{ ...options, service: place.sandbox },
      settings: { ...common, ...settings },
    });
    try {
      return await life(bridge);
    } finally {
      await bridge.stop();
    }
  }

  test('are brought about with one look and one call each, and no other group is read', async () => {
    const place = await makePlace();

    await live(place, { Minutes: [READ], Hangar: [WRITE, READ] }, async (bridge) => {
      const id = await addGroup(bridge, 'Board');
      await addGroup(bridge, 'Cooks');
      await untilSettled(bridge);
      const calls = listCalls(place);
      place.sandbox.calls.reset();
      await send(bridge, 'PATCH', `/Groups/${id}`, rename('Board of directors'));
      await untilSettled(bridge);

      expect(calls).toEqual(['getListOfGroupEntities', 'addEntity', 'addEntity']);
      expect(listCalls(place)).toEqual([]);
      expect(listRoles(place, 'Board of directors')).toEqual({
        Minutes: [READ],
        Hangar: [READ, WRITE],
      });
      expect(listRoles(place, 'Cooks')).toEqual({});
    });
  });

  test('go with the rule that gave them, once, and what others gave before or beside it stays', async () => {
    const place = await makePlace();
    const { service, calls } = place.sandbox;
    await live(place, {}, async (bridge) => {
      await addGroup(bridge, 'Board');
      await untilSettled(bridge);
    });
    service.setRoles(uidOf(place, 'Minutes'), 'Board', [READ]);

    await live(place, { Minutes: [READ], Hangar: [READ] }, untilRuled);
    const ruled = listRoles(place);
    service.setRoles(uidOf(place, 'Kitchen'), 'Board', [WRITE]);
    await live(place, { Minutes: [WRITE], Hangar: [WRITE] }, untilRuled);
    const changed = listRoles(place);
    calls.reset();
    await live(place, {}, untilRuled);
    const after = [listRoles(place), listCalls(place)];
    await live(place, {}, untilRuled);

    expect(ruled).toEqual({ Minutes: [READ], Hangar: [READ] });
    expect(changed).toEqual({ Minutes: [WRITE], Hangar: [WRITE], Kitchen: [WRITE] });
    expect(after).toEqual([{ Minutes: [WRITE], Kitchen: [WRITE] }, ['removeEntity']]);
    expect(listCalls(place)).toEqual(['removeEntity']);
  });

  test('that others change are reported, and what no rule speaks of is neither reported nor touched', async () => {
    const place = await makePlace();
    await live(place, { Minutes: [READ], Hangar: [READ] }, async (bridge) => {
      await addGroup(bridge, 'Board');
      await untilSettled(bridge);
      changeBehind(place);
      place.sandbox.calls.reset();
      await sweep(bridge);
      await sweep(bridge);

      expect(await listManagedDrifts(bridge)).toEqual([
        'entity.changed Board of null',
        'entity.removed Board of null',
      ]);
      expect(place.sandbox.calls.count({ mutating: true })).toBe(0);
      expect(listRoles(place)).toEqual({ Hangar: [READ, WRITE], Kitchen: [WRITE] });
    });
  });

  test('that others change are put right where the policy says so, within the limits of lost access', async () => {
    const place = await makePlace();
    const settings = { DRIFT_POLICY: 'repair', LIMITS_CUT_ACCESS_COUNT: '1' };
    await live(
      place,
      { Minutes: [READ], Hangar: [READ] },
      async (bridge) => {
        await addGroup(bridge, 'Board');
        await untilSettled(bridge);
        changeBehind(place);
        await sweep(bridge);
        await untilRepaired(bridge, ['entity.changed', 'entity.removed']);
        const repaired = listRoles(place);
        for (const title of ['Minutes', 'Hangar']) {
          place.sandbox.service.setRoles(uidOf(place, title), 'Board', [READ, WRITE]);
        }
        await sweep(bridge);
        const { body } = await askOps(bridge, 'GET', '/plans?status=held');

        expect(repaired).toEqual({ Minutes: [READ], Hangar: [READ], Kitchen: [WRITE] });
        expect(JSON.stringify(body)).toContain('cutAccess: 2 in 24 hours');
        expect(listRoles(place)).toMatchObject({ Minutes: [READ, WRITE], Hangar: [READ, WRITE] });
      },
      { settings },
    );
  });

  test('that others change name who did it, once the audit log was read', async () => {
    const clock = createLeapingClock();
    const place = await makePlace(clock);
    const RULES = JSON.stringify(toRules(place, { Minutes: [READ] }));
    const world = await startAuditWorld({
      ...{ service: place.sandbox, clock },
      settings: { ...SWEEP_SETTINGS, DATABASE_URL: place.url, RULES },
    });
    onTestFinished(() => world.stop());
    await addGroup(world, 'Board');
    await untilSettled(world);
    await world.poll(LONG_MS);
    place.sandbox.service.as(ADMIN).setRoles(uidOf(place, 'Minutes'), 'Board', []);
    await world.poll();

    const read = async () => (await askOps(world, 'GET', '/drifts?status=open')).body.items;
    await expect
      .poll(read, { interval: 10 })
      .toMatchObject([{ kind: 'entity.removed', who: { username: 'admin' } }]);
  });

  for (const { what, operation, status } of REFUSALS) {
    test(`that the service refuses are stuck with its words, and hold nothing else: ${what}`, async () => {
      const place = await makePlace();
      place.sandbox.faults.add({
        operation,
        ...(operation.endsWith('addEntity') ? { about: uidOf(place, 'Minutes') } : {}),
        fault: { kind: 'status', status, body: 'message' },
      });
      await live(place, { Minutes: [READ], Hangar: [READ] }, async (bridge) => {
        const ada = await addUser(bridge, 'ada');
        await send(bridge, 'POST', '/Groups', toGroup('Board', [ada]));
        await untilSettled(bridge, 'may stay');
        const stuck: JsonObject[] = Object((await askOps(bridge, 'GET', '/status')).body.stuck);
        const isRead = operation.endsWith('addEntity');

        expect(place.sandbox.service.members('Board')).toEqual(['ada@example.com']);
        expect(listRoles(place)).toEqual(isRead ? { Hangar: [READ] } : {});
        expect(stuck.map(({ field, problem }) => [field, Object(problem).status])).toEqual(
          (isRead ? ['Minutes'] : ['Minutes', 'Hangar']).map((title) => [
            `entity:${uidOf(place, title)}`,
            status,
          ]),
        );
      });
    });
  }

  test('are neither missed nor taken away on the strength of a list that could not be read', async () => {
    const place = await makePlace();
    const settings = { DRIFT_POLICY: 'repair' };
    await live(
      place,
      { Minutes: [READ] },
      async (bridge) => {
        await addGroup(bridge, 'Board');
        await untilSettled(bridge);
        place.sandbox.calls.reset();
        place.sandbox.faults.add({
          operation: 'groupEntities.getListOfGroupEntities',
          fault: { kind: 'truncated' },
        });
        const swept = await sweep(bridge);

        expect(JSON.stringify(swept)).toContain('the entities of some groups could not be read');
        expect(await listManagedDrifts(bridge)).toEqual([]);
        expect(place.sandbox.calls.count({ mutating: true })).toBe(0);
      },
      { settings },
    );
  });

  test('are given once where the answer was lost, and still go with their rule', async () => {
    const place = await makePlace();
    for (const at of ['before-effect', 'after-effect'] as const) {
      place.sandbox.faults.add({
        operation: 'groupEntities.addEntity',
        ...{ about: uidOf(place, at === 'before-effect' ? 'Minutes' : 'Hangar'), times: 1 },
        fault: { kind: 'reset', at },
      });
    }
    const life = async (bridge: TestBridge) => {
      await addGroup(bridge, 'Board');
      await untilSettled(bridge);
      return listRoles(place);
    };
    // So long a lost call may still take effect, and then another look is owed.
    const settings = { UPSTREAM_TIMEOUT: '2s' };
    const given = await live(place, { Minutes: [READ], Hangar: [READ] }, life, { settings });
    const changes = listCalls(place).filter((call) => call !== 'getListOfGroupEntities');
    await live(place, {}, untilRuled, { settings });

    expect(given).toEqual({ Minutes: [READ], Hangar: [READ] });
    // The one that had its effect is seen in the list.
    expect(changes).toEqual(['addEntity', 'addEntity', 'addEntity']);
    expect(listEvents(place, 'grant_access')).toBe(2);
    expect(listRoles(place)).toEqual({});
  });

  test('are held where rules take away more than providers may, and go or stay as an operator decides', async () => {
    const place = await makePlace();
    await live(place, { Minutes: [READ], Hangar: [READ], Kitchen: [READ] }, async (bridge) => {
      await addGroup(bridge, 'Board');
      await untilSettled(bridge);
    });
    const settings = { LIMITS_PROVIDER: '1' };
    await live(
      place,
      {},
      async (bridge) => {
        await untilRuled(bridge);
        const left = Object.keys(listRoles(place));
        const [held] = await listHeld(bridge);
        const plan = await readPlan(bridge, held?.id);
        await askOps(bridge, 'POST', `/plans/${held?.id}/approve`, { hash: held?.hash ?? '' });
        await untilApplied(bridge, held?.id);

        expect(left).toHaveLength(2);
        expect(plan.counts).toMatchObject({ kinds: { 'entity.remove': 2 } });
        expect(listRoles(place)).toEqual({});
      },
      { settings },
    );
  });

  test('that a protected group has by a rule stay', async () => {
    const place = await makePlace();
    await live(place, { Minutes: [READ, WRITE], Hangar: [READ] }, async (bridge) => {
      await addGroup(bridge, 'Board');
      await untilSettled(bridge);
    });
    const settings = { PROTECT_GROUPS: 'Board' };
    await live(place, { Minutes: [READ] }, untilRuled, { settings });
    const kept = listRoles(place);
    await live(place, { Minutes: [READ] }, untilRuled);

    expect(kept).toEqual({ Minutes: [READ, WRITE], Hangar: [READ] });
    expect(listRoles(place)).toEqual(kept);
  });
});

/** Somebody takes the roles in Minutes, and gives more in Hangar and others in Kitchen. */
function changeBehind(place: Place): void {
  const { service } = place.sandbox;
  service.setRoles(uidOf(place, 'Minutes'), 'Board', []);
  service.setRoles(uidOf(place, 'Hangar'), 'Board', [READ, WRITE]);
  service.setRoles(uidOf(place, 'Kitchen'), 'Board', [WRITE]);
}

function uidOf({ uids }: Place, title: string): string {
  return uids[title] ?? '';
}

function listEvents({ sandbox }: Place, action: string): number {
  return sandbox.service.auditEvents().filter((event) => event.action === action).length;
}

async function untilRepaired(bridge: TestBridge, kinds: readonly string[]): Promise<void> {
  const list = () => listManagedDrifts(bridge, 'repaired');
  const wanted = kinds.map((kind) => `${kind} Board of null`);
  await expect.poll(list, { interval: 10 }).toEqual(wanted);
  await untilSettled(bridge);
}

async function listHeld(bridge: TestBridge): Promise<{ id: string; hash: string }[]> {
  const { body } = await askOps(bridge, 'GET', '/plans?status=held');
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => ({ id: String(Object(item).id), hash: String(Object(item).hash) }));
}

/** Waits until what follows from other rules is settled too. */
async function untilRuled(bridge: TestBridge): Promise<void> {
  await bridge.bridge.rulesApplied();
  await untilSettled(bridge);
}

function rename(value: string): JsonObject {
  return toPatch({ op: 'replace', path: 'displayName', value });
}
