import { describe, expect, test } from 'vitest';
import { addPlanCommand } from '../../src/cli/plan.ts';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { readPlan, untilApplied } from '../support/pilots.ts';
import {
  addGroup,
  addUser,
  addUsers,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PATIENT = { interval: 50 };
/** Above two in 24 hours, whatever the share. */
const settings = {
  ...SWEEP_SETTINGS,
  DRIFT_POLICY: 'repair',
  LIMITS_PROVIDER: '2',
  LIMITS_PROVIDER_PERCENT: '0',
};
const setActive = (value: boolean) => toPatch({ op: 'replace', path: 'active', value });
const emailOf = (index: number) => `person${index + 1}@example.com`;

async function listWaiting(bridge: TestBridge): Promise<JsonObject[]> {
  const { body } = await askOps(bridge, 'GET', '/plans?status=held');
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => Object(item));
}

async function getWaiting(bridge: TestBridge): Promise<JsonObject> {
  await untilSettled(bridge);
  const [plan, ...others] = await listWaiting(bridge);
  if (plan === undefined || others.length > 0) throw new Error(`${others.length} others wait`);
  return readPlan(bridge, plan.id);
}

const approve = (bridge: TestBridge, { id, hash }: JsonObject) =>
  askOps(bridge, 'POST', `/plans/${String(id)}/approve`, { hash: hash ?? '' });
const discard = (bridge: TestBridge, { id }: JsonObject) =>
  askOps(bridge, 'POST', `/plans/${String(id)}/discard`);

async function untilOver(bridge: TestBridge, { id }: JsonObject): Promise<void> {
  await expect
    .poll(async () => (await readPlan(bridge, id)).endedAt, PATIENT)
    .toEqual(expect.any(String));
}

/** People of whom the first two are deactivated, which is as many as providers may. */
async function addPeople(bridge: TestBridge, count: number): Promise<string[]> {
  const people = await addUsers(bridge, count);
  await untilSettled(bridge);
  for (const id of people.slice(0, 2))
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
  await untilSettled(bridge);
  return people;
}

const isActive = ({ sandbox }: TestBridge, index: number) =>
  sandbox.service.getUser(emailOf(index)).active;

async function readReasons(bridge: TestBridge): Promise<string> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return JSON.stringify(body.reasons);
}

describe('a plan of removals by providers', () => {
  test('holds what is more than the limit, and its approval under its newest hash does exactly that', async () => {
    await withTestBridge({ settings: { ...settings } }, async (bridge) => {
      const people = await addPeople(bridge, 5);
      const first = await send(bridge, 'PATCH', `/Users/${people[2]}`, setActive(false));
      const one = await getWaiting(bridge);
      await send(bridge, 'PATCH', `/Users/${people[3]}`, setActive(false));
      const two = await getWaiting(bridge);
      await send(bridge, 'PATCH', `/Users/${people[3]}`, setActive(false));
      const asked = await getWaiting(bridge);
      const reasons = await readReasons(bridge);
      const before = [isActive(bridge, 2), isActive(bridge, 3)];
      const old = await approve(bridge, one);
      const right = await approve(bridge, two);
      await untilApplied(bridge, two.id);

      expect(first.status).toBe(200);
      expect(one).toMatchObject({ source: 'provider', counts: { total: 1 } });
      expect(two).toMatchObject({
        id: one.id,
        counts: { total: 2, kinds: { 'user.deactivate': 2 } },
        actions: [2, 3].map((index) => ({
          kind: 'user.deactivate',
          resource: { id: people[index], name: emailOf(index) },
          desired: { active: false },
          observed: { active: true },
        })),
      });
      expect(two.hash).not.toBe(one.hash);
      expect(asked.hash).toBe(two.hash);
      expect(reasons).toContain('A plan of 2 removals by identity providers waits');
      expect(before).toEqual([true, true]);
      expect([old.status, right.status]).toEqual([409, 200]);
      expect([isActive(bridge, 2), isActive(bridge, 3)]).toEqual([false, false]);
      expect(isActive(bridge, 4)).toBe(true);
    });
  });

  test('that is discarded leaves the service as it is, whatever the policy, and can be asked for again', async () => {
    await withTestBridge({ settings: { ...settings } }, async (bridge) => {
      const people = await addPeople(bridge, 4);
      const group = await addGroup(bridge, 'Pilots', people);
      await untilSettled(bridge);
      await send(bridge, 'PATCH', `/Users/${people[2]}`, setActive(false));
      await send(bridge, 'DELETE', `/Users/${people[3]}`);
      const held = await getWaiting(bridge);
      const gone = await bridge.request('GET', `/Users/${people[3]}`);
      await discard(bridge, held);
      await untilOver(bridge, held);
      const shown = await Promise.all(
        [2, 3].map((index) => send(bridge, 'GET', `/Users/${people[index]}`)),
      );
      await sweep(bridge);
      const drifts = await listManagedDrifts(bridge);
      const active = [isActive(bridge, 2), isActive(bridge, 3)];
      const members = bridge.sandbox.service.members('Pilots');
      await send(bridge, 'DELETE', `/Users/${people[3]}`);
      const again = await getWaiting(bridge);

      expect(held.counts).toMatchObject({ total: 2 });
      expect(gone.status).toBe(404);
      expect(shown.map(({ body }) => body.active)).toEqual([true, true]);
      expect(drifts).toEqual([]);
      expect(active).toEqual([true, true]);
      expect(members).toContain(emailOf(3));
      expect(again.id).not.toBe(held.id);
      expect(again.actions).toMatchObject([{ kind: 'user.deactivate' }]);
      expect((await send(bridge, 'GET', `/Groups/${group}`)).status).toBe(200);
    });
  });

  test('holds nothing else of the same user or group, and is no drift', async () => {
    await withTestBridge({ settings: { ...settings } }, async (bridge) => {
      const people = await addPeople(bridge, 7);
      const group = await addGroup(bridge, 'Pilots', people.slice(2));
      await untilSettled(bridge);
      const both = [
        { op: 'replace', path: 'active', value: false },
        { op: 'replace', path: 'name.givenName', value: 'Augusta' },
      ];
      await send(bridge, 'PATCH', `/Users/${people[2]}`, toPatch(...both));
      const out = { op: 'remove', path: 'members', value: toMembers(people.slice(3, 6)) };
      const rename = { op: 'replace', path: 'displayName', value: 'Crew' };
      await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(out, rename));
      const held = await getWaiting(bridge);
      const { service } = bridge.sandbox;
      const seen = [service.getUser(emailOf(2)), service.members('Crew').length];
      await sweep(bridge);
      const drifts = await listManagedDrifts(bridge);
      const { body } = await askOps(bridge, 'GET', '/status');
      await approve(bridge, held);
      await untilApplied(bridge, held.id);

      expect(held.counts).toMatchObject({
        kinds: { 'user.deactivate': 1, 'member.remove': 3 },
        harm: { deactivate: 1, removeMember: 3 },
      });
      expect(seen).toMatchObject([{ active: true, fullName: 'Augusta Example' }, 5]);
      expect(drifts).toEqual([]);
      expect(body).toMatchObject({ due: 0, failingCount: 0, stuckCount: 0 });
      expect(service.getUser(emailOf(2)).active).toBe(false);
      expect(service.members('Crew')).toEqual([emailOf(2), emailOf(6)]);
    });
  });

  test('shrinks when the provider wants a person again, and is discarded when nothing is left of it', async () => {
    await withTestBridge({ settings: { ...settings } }, async (bridge) => {
      const people = await addPeople(bridge, 4);
      for (const id of people.slice(2))
        await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
      const held = await getWaiting(bridge);
      await send(bridge, 'PATCH', `/Users/${people[2]}`, setActive(true));
      await expect.poll(() => readReasons(bridge), PATIENT).toContain('A plan of 1 removal by');
      const shrunk = await getWaiting(bridge);
      await send(bridge, 'PATCH', `/Users/${people[3]}`, setActive(true));
      await untilOver(bridge, held);
      const after = await listWaiting(bridge);
      const ended = await readPlan(bridge, held.id);

      expect(shrunk.hash).toBe(held.hash);
      expect(after).toEqual([]);
      expect(ended).toMatchObject({ status: 'discarded', reason: 'nothing was left of it' });
      expect([isActive(bridge, 2), isActive(bridge, 3)]).toEqual([true, true]);
    });
  });

  test('never reaches somebody who was made again since', async () => {
    await withTestBridge({ settings: { ...settings } }, async (bridge) => {
      const people = await addPeople(bridge, 3);
      const groups: string[] = [];
      for (const name of ['A', 'B', 'C']) groups.push(await addGroup(bridge, name));
      await untilSettled(bridge);
      for (const id of groups) {
        await send(bridge, 'DELETE', `/Groups/${id}`);
        await untilSettled(bridge);
      }
      await send(bridge, 'DELETE', `/Users/${people[2]}`);
      const held = await getWaiting(bridge);
      const again = await addUser(bridge, 'person3');
      const group = await addGroup(bridge, 'C', [again]);
      await untilSettled(bridge);
      await approve(bridge, held);
      await untilApplied(bridge, held.id);

      expect(held.counts).toMatchObject({ kinds: { 'user.deactivate': 1, 'group.delete': 1 } });
      expect(isActive(bridge, 2)).toBe(true);
      expect((await send(bridge, 'GET', `/Users/${again}`)).body.active).toBe(true);
      expect(bridge.sandbox.service.groups().map(({ name }) => name)).toEqual(['C']);
      expect(bridge.sandbox.service.members('C')).toEqual([emailOf(2)]);
      expect((await send(bridge, 'GET', `/Groups/${group}`)).body.members).toHaveLength(1);
    });
  });

  test.each([
    { decision: 'approved', decide: approve, isSuspended: true },
    { decision: 'discarded', decide: discard, isSuspended: false },
  ])(
    'is about the suspension alone, where the licence has changed beside it: $decision',
    async ({ decide, isSuspended }) => {
      const DATABASE_URL = await makeStoreUrl();
      const reporting = { ...settings, DRIFT_POLICY: 'report', DATABASE_URL };
      await withTestBridge({ settings: reporting }, async (bridge) => {
        const { service } = bridge.sandbox;
        const people = await addPeople(bridge, 4);
        const set = (value: JsonObject) => {
          const write = toPatch({ op: 'replace', value: { [USER_EXTENSION]: value } });
          return send(bridge, 'PATCH', `/Users/${people[2]}`, write);
        };
        await set({ appsPermissions: 2 });
        await set({ temporarilyInactive: true });
        const held = await getWaiting(bridge);
        service.updateUser(emailOf(2), { appsPermissions: 3 });
        await sweep(bridge);
        await decide(bridge, held);
        await untilOver(bridge, held);
        await sweep(bridge);

        expect(held.actions).toMatchObject([{ desired: { temporarilyInactive: true } }]);
        expect(service.getUser(emailOf(2))).toMatchObject({
          temporarilyInactive: isSuspended,
          appsPermissions: 3,
        });
        expect(await listManagedDrifts(bridge)).toEqual([`user.access ${emailOf(2)}`]);
      });
    },
  );
});

test('plan show sums up a plan of removals by kind and credential, and names both for each person', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const people = await addPeople(bridge, 5);
    const group = await addGroup(bridge, 'Pilots', people.slice(2));
    await untilSettled(bridge);
    for (const id of people.slice(2, 4))
      await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
    const out = { op: 'remove', path: 'members', value: toMembers(people.slice(2)) };
    await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(out));
    await untilSettled(bridge);
    const run = (...args: string[]) => runner(bridge, [addPlanCommand])(...args);
    const show = async () => (await run('plan', 'show')).text;
    await expect.poll(show, PATIENT).not.toContain('not known by whom');
    const shown = await show();
    const listed = await run('plan', 'list');
    const person = await askOps(bridge, 'GET', `/users/${people[2]}/explain`);

    expect(shown).toMatch(/3 member\.remove +by settings-1\n +2 user\.deactivate +by settings-1\n/);
    expect(shown).toMatch(/of provider: 5 actions, held, 5 wait \(.*limits\.provider allows 2/);
    expect(shown).toMatch(
      /user\.deactivate +person3@example\.com: .* · planned · settings-1 at 20\d\d-/,
    );
    expect(listed.text).toMatch(/ held +5 +provider /);
    expect(person.body).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({ field: 'active', standing: 'held' }),
      ]),
      groups: [{ name: 'Pilots', standing: 'held' }],
    });
  });
});
