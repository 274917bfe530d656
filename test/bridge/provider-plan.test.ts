import { beforeEach, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { decide, readPlan, untilApplied } from '../support/pilots.ts';
import { expel, replace } from '../support/provider.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

describe('provider plan', () => {
  const emailOf = (name: string) => `${name}@example.com`;

  const bridge = bridgeForSuite({
    settings: {
      DRIFT_POLICY: '{"default":"repair","user.access":"report"}',
      // Above one in 24 hours, whatever the share.
      LIMITS_PROVIDER: '1',
      LIMITS_PROVIDER_PERCENT: '0',
    },
    // A plan is looked at every two seconds.
    clock: createLeapingClock(10),
  });
  let leavers = 0;

  /** Providers have deactivated as many as they may: an approval has them counted anew, and a discarded plan not. */
  beforeEach(async () => {
    leavers += 1;
    const [id] = await addPeople(`leaver${leavers}`);
    await setActive(id, false);
    await bridge.untilSettled();
    for (const plan of await listWaiting()) await discard(plan);
  });

  async function addPeople(...names: readonly string[]): Promise<string[]> {
    const ids = await Promise.all(names.map((name) => bridge.addUser(name)));
    await bridge.untilSettled();
    return ids;
  }

  const setActive = (id: string | undefined, value: boolean) =>
    bridge.patch(`/Users/${id}`, replace('active', value));

  const listWaiting = () => bridge.listOps('/plans?status=held');

  async function getWaiting(): Promise<JsonObject> {
    await bridge.untilSettled();
    const [plan, ...others] = await listWaiting();
    if (plan === undefined || others.length > 0) throw new Error(`${others.length} others wait`);
    return readPlan(bridge, plan.id);
  }

  const approve = (plan: JsonObject) => decide(bridge, plan, 'approve');
  const discard = (plan: JsonObject) => decide(bridge, plan, 'discard');

  async function untilOver({ id }: JsonObject): Promise<void> {
    await expect.poll(async () => (await readPlan(bridge, id)).endedAt).toEqual(expect.any(String));
  }

  async function listDriftsOf(...names: readonly string[]): Promise<string[]> {
    const drifts = await bridge.listDrifts();
    return drifts.filter((drift) => names.some((name) => drift.includes(name)));
  }

  const isActive = (name: string) => bridge.sandbox.service.getUser(emailOf(name)).active;

  describe('a plan of removals by providers', () => {
    test('holds what is more than the limit, and its approval under its newest hash does exactly that', async () => {
      const people = await addPeople('ada', 'bob', 'carl');
      const first = await setActive(people[0], false);
      const one = await getWaiting();
      await setActive(people[1], false);
      const two = await getWaiting();
      await setActive(people[1], false);
      const asked = await getWaiting();
      const reasons = (await bridge.readReadiness()).text;
      const before = [isActive('ada'), isActive('bob')];
      const old = await approve(one);
      const right = await approve(two);
      await untilApplied(bridge, two.id);

      expect(first.status).toBe(200);
      expect(one).toMatchObject({ source: 'provider', counts: { total: 1 } });
      expect(two).toMatchObject({
        id: one.id,
        counts: { total: 2, kinds: { 'user.deactivate': 2 } },
        actions: ['ada', 'bob'].map((name, index) => ({
          kind: 'user.deactivate',
          resource: { id: people[index], name: emailOf(name) },
          desired: { active: false },
          observed: { active: true },
        })),
      });
      expect(two.hash).not.toBe(one.hash);
      expect(asked.hash).toBe(two.hash);
      expect(reasons).toContain('A plan of 2 changes (removals by a provider');
      expect(before).toEqual([true, true]);
      expect([old.status, right.status]).toEqual([409, 200]);
      expect([isActive('ada'), isActive('bob'), isActive('carl')]).toEqual([false, false, true]);
    });

    test('that is discarded leaves the service as it is, whatever the policy, and can be asked for again', async () => {
      const people = await addPeople('dan', 'eve');
      const group = await bridge.settled(bridge.addGroup('Dancers', people));
      await setActive(people[0], false);
      await bridge.send('DELETE', `/Users/${people[1]}`);
      const held = await getWaiting();
      const gone = await bridge.request('GET', `/Users/${people[1]}`);
      expect(await discard(held)).toMatchObject({ body: { reason: held.reason } });
      await untilOver(held);
      const shown = await Promise.all(people.map((id) => bridge.send('GET', `/Users/${id}`)));
      await bridge.sweep();
      const drifts = await listDriftsOf('dan@', 'eve@', 'Dancers');
      const active = [isActive('dan'), isActive('eve')];
      const members = bridge.sandbox.service.members('Dancers');
      await bridge.send('DELETE', `/Users/${people[1]}`);
      const again = await getWaiting();
      await discard(again);
      await untilOver(again);

      expect(held.counts).toMatchObject({ total: 2 });
      expect(gone.status).toBe(404);
      expect(shown.map(({ body }) => body.active)).toEqual([true, true]);
      expect(drifts).toEqual([]);
      expect(active).toEqual([true, true]);
      expect(members).toContain(emailOf('eve'));
      expect(again.id).not.toBe(held.id);
      expect(again.actions).toMatchObject([{ kind: 'user.deactivate' }]);
      expect((await bridge.send('GET', `/Groups/${group}`)).status).toBe(200);
    });

    test('holds nothing else of the same user or group, and is no drift', async () => {
      const people = await addPeople('fay', 'gus', 'guy', 'hal');
      const group = await bridge.settled(bridge.addGroup('Pilots', people));
      const both = [replace('active', false), replace('name.givenName', 'Augusta')];
      await bridge.patch(`/Users/${people[0]}`, ...both);
      const out = expel(...people.slice(1, 3));
      await bridge.patch(`/Groups/${group}`, out, replace('displayName', 'Crew'));
      const held = await getWaiting();
      const { service } = bridge.sandbox;
      const seen = [service.getUser(emailOf('fay')), service.members('Crew').length];
      await bridge.sweep();
      const drifts = await listDriftsOf('fay@', 'gus@', 'guy@', 'hal@', 'Crew');
      const { body } = await bridge.ops('GET', '/status');
      await approve(held);
      await untilApplied(bridge, held.id);

      expect(held.counts).toMatchObject({
        kinds: { 'user.deactivate': 1, 'member.remove': 2 },
        harm: { deactivate: 1, removeMember: 2 },
      });
      expect(seen).toMatchObject([{ active: true, fullName: 'Augusta Example' }, 4]);
      expect(drifts).toEqual([]);
      expect(body).toMatchObject({ due: 0, failingCount: 0, stuckCount: 0 });
      expect(isActive('fay')).toBe(false);
      expect(service.members('Crew')).toEqual([emailOf('fay'), emailOf('hal')]);
    });

    test('shrinks when the provider wants a person again, and is discarded when nothing is left of it', async () => {
      const people = await addPeople('ian', 'jo');
      for (const id of people) await setActive(id, false);
      const held = await getWaiting();
      await setActive(people[0], true);
      await expect
        .poll(async () => (await bridge.readReadiness()).text)
        .toContain('A plan of 1 change (removals by');
      const shrunk = await getWaiting();
      await setActive(people[1], true);
      await untilOver(held);
      const after = await listWaiting();
      const ended = await readPlan(bridge, held.id);

      expect(shrunk.hash).toBe(held.hash);
      expect(after).toEqual([]);
      expect(ended).toMatchObject({ status: 'discarded', reason: 'nothing was left of it' });
      expect([isActive('ian'), isActive('jo')]).toEqual([true, true]);
    });

    test('never reaches somebody who was made again since', async () => {
      const [kim] = await addPeople('kim');
      for (const name of ['Bakers', 'Cooks']) {
        const id = await bridge.settled(bridge.addGroup(name));
        await bridge.settled(bridge.send('DELETE', `/Groups/${id}`));
      }
      await bridge.send('DELETE', `/Users/${kim}`);
      const held = await getWaiting();
      const again = await bridge.addUser('kim');
      const group = await bridge.settled(bridge.addGroup('Cooks', [again]));
      await approve(held);
      await untilApplied(bridge, held.id);

      expect(held.counts).toMatchObject({ kinds: { 'user.deactivate': 1, 'group.delete': 1 } });
      expect(isActive('kim')).toBe(true);
      expect((await bridge.send('GET', `/Users/${again}`)).body.active).toBe(true);
      const { service } = bridge.sandbox;
      expect(service.groups().filter(({ name }) => name === 'Cooks')).toHaveLength(1);
      expect(service.members('Cooks')).toEqual([emailOf('kim')]);
      expect((await bridge.send('GET', `/Groups/${group}`)).body.members).toHaveLength(1);
    });

    test.each([
      { decision: 'approved', name: 'lee', decide: approve, isSuspended: true },
      { decision: 'discarded', name: 'mia', decide: discard, isSuspended: false },
    ])(
      'is about the suspension alone, where the licence has changed beside it: $decision',
      async ({ name, decide, isSuspended }) => {
        const { service } = bridge.sandbox;
        const [id] = await addPeople(name);
        const set = (value: JsonObject) =>
          bridge.patch(`/Users/${id}`, { op: 'replace', value: { [USER_EXTENSION]: value } });
        await set({ appsPermissions: 2 });
        await set({ temporarilyInactive: true });
        const held = await getWaiting();
        service.updateUser(emailOf(name), { appsPermissions: 3 });
        await bridge.sweep();
        await decide(held);
        await untilOver(held);
        await bridge.sweep();

        expect(held.actions).toMatchObject([{ desired: { temporarilyInactive: true } }]);
        expect(service.getUser(emailOf(name))).toMatchObject({
          temporarilyInactive: isSuspended,
          appsPermissions: 3,
        });
        expect(await listDriftsOf(emailOf(name))).toEqual([`user.access ${emailOf(name)}`]);
      },
    );
  });

  test('plan show sums up a plan of removals by kind and credential, and names both for each person', async () => {
    const people = await addPeople('ned', 'oda', 'pia');
    const group = await bridge.settled(bridge.addGroup('Waiters', people));
    for (const id of people.slice(0, 2)) await setActive(id, false);
    await bridge.settled(bridge.patch(`/Groups/${group}`, expel(...people)));
    const run = (...args: string[]) => runner(bridge)(...args);
    const show = async () => (await run('plan', 'show')).text;
    await expect.poll(show).toContain('settings-1 at ');
    const shown = await show();
    const listed = await run('plan', 'list');
    const person = await bridge.ops('GET', `/users/${people[0]}/explain`);

    expect(shown).toMatch(/3 member\.remove +by settings-1\n +2 user\.deactivate +by settings-1\n/);
    expect(shown).toMatch(/of provider: 5 actions, held, 5 waiting \(.*limits\.provider allows 1/);
    expect(shown).toMatch(/user\.deactivate +ned@example\.com .* planned +settings-1 at 20\d\d-/);
    expect(listed.text).toMatch(/ held +5 +removals by a provider/);
    expect(person.body).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({ field: 'active', standing: 'held' }),
      ]),
      groups: [{ name: 'Waiters', standing: 'held' }],
    });
  });
});

const settings = { OPS_TOKEN, LIMITS_PROVIDER: '2', SCIM_WRITE_WAIT: '0' };
const disable = replace('active', false);
const FAILED = failing(500);
const LOST = { kind: 'reset', at: 'after-effect' } as const;
const AHEAD_MS = 60_000;

test('one person whom the service fails to deactivate counts once, one whose call may have worked counts too, and neither holds anybody else', async () => {
  const timed = await forTest(startTimedBridge({ settings: { ...settings, LIMITS_REPAIR: '1' } }));
  const { bridge } = timed;
  const people = await bridge.settled(bridge.addUsers(3));
  const { faults, service } = bridge.sandbox;
  const listActive = () =>
    people.map((_, index) => service.getUser(`person${index + 1}@example.com`).active);
  faults.add({ operation: 'scim.updateUser', times: 5, fault: FAILED });

  await bridge.patch(`/Users/${people[0]}`, disable);
  await untilQuiet(timed);
  const afterOne = (await bridge.readReadiness()).text;
  const lost = faults.add({ operation: 'scim.updateUser', fault: LOST });
  await bridge.patch(`/Users/${people[1]}`, disable);
  await lost.until(1);
  await untilQuiet(timed);
  lost.remove();
  const afterTwo = listActive();
  timed.clock.leap(AHEAD_MS);
  const health = (await bridge.readReadiness()).text;
  await bridge.patch(`/Users/${people[2]}`, disable);
  await untilQuiet(timed, AHEAD_MS);

  expect(afterOne).not.toContain('provider-harm');
  expect(afterTwo).toEqual([false, false, true]);
  expect(health).toContain('2 people deactivated');
  expect(listActive()).toEqual([false, false, true]);
  const { text } = await bridge.ops('GET', '/plans');
  expect(text).toContain('3 people deactivated in 24 hours, limits.provider allows 2');
});
