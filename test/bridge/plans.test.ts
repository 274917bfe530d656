import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { ada, bob } from '../support/drift-cells.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { toObjects } from '../support/operator.ts';
import {
  countMembers,
  decide,
  emailOf,
  intrude,
  readPlan,
  untilApplied,
} from '../support/pilots.ts';
import { admit, replace } from '../support/provider.ts';
import { startTimedBridge } from '../support/timed-bridge.ts';

const settings = { DRIFT_POLICY: 'repair' };
/** What is already held and what is not is the same question for every kind of harm. */
const few = { ...settings, LIMITS_REPAIR: '2' };

let bridge: TestBridge;

function shareBridge(settings: Readonly<Record<string, string>>): void {
  beforeAll(async () => {
    // A removal is proven by a look some seconds later.
    bridge = await startTestBridge({ settings, clock: createLeapingClock(10) });
    await bridge.addUsers(4);
  });
  afterAll(() => bridge.stop());
}

const addEmpty = async (name: string): Promise<string> => bridge.settled(bridge.addGroup(name));

async function plan(options = {}): Promise<JsonObject> {
  return readPlan(bridge, (await bridge.sweep(options)).planId);
}

function listEnds({ actions }: JsonObject): string[] {
  return toObjects(actions)
    .map(({ status }) => String(status))
    .toSorted();
}

async function listAdded(group: string): Promise<string[]> {
  const drifts = (await bridge.listOps('/drifts?kind=member.added'))
    .map(Object)
    .filter(({ resource }) => resource.name === group)
    .map(({ id, member }) => ({ id: String(id), of: String(member.name) }));
  return drifts.toSorted((a, b) => a.of.localeCompare(b.of)).map(({ id }) => id);
}

/** Waits until a look has shown somebody to be out: up to then the bridge takes access away again without a plan. */
async function untilOut(of: TestBridge, id: string): Promise<void> {
  const readProof = async () => (await of.ops('GET', `/leavers?resource=${id}`)).text;
  await expect.poll(readProof).toContain('"out"');
}

describe('a plan of repairs above a limit', () => {
  shareBridge(few);

  test('waits for an operator, who approves exactly what was shown', async () => {
    const group = await addEmpty('Pilots');
    intrude(bridge, 0, 4);
    const held = await plan();
    const again = await plan();
    const readyz = await bridge.readReadiness();
    // A plan may shrink: whom the provider wants by now drops out, and who left by themselves is left alone.
    const wanted = await bridge.findId({ type: 'Users', name: emailOf(3) });
    await bridge.patch(`/Groups/${group}`, admit(wanted));
    bridge.sandbox.service.unlink('Pilots', emailOf(0));
    const wrong = await decide(bridge, { ...held, hash: 'another' }, 'approve');
    const right = await decide(bridge, held, 'approve');
    const applied = await untilApplied(bridge, held.id);
    const twice = await decide(bridge, held, 'approve');

    expect(held).toMatchObject({
      status: 'held',
      counts: { total: 4, harm: { removeMember: 4 } },
      actions: Array.from({ length: 4 }, () => ({ kind: 'member.remove', status: 'planned' })),
    });
    expect(again).toEqual(held);
    expect(JSON.stringify(readyz.body)).toContain('plan-held');
    expect([wrong.status, right.status, twice.status]).toEqual([409, 200, 409]);
    expect(wrong.body).toMatchObject({ code: 'other-plan', hash: held.hash });
    expect(applied.status).toBe('applied');
    expect(listEnds(applied)).toEqual(['done', 'done', 'done', 'dropped']);
    expect(bridge.sandbox.service.members('Pilots')).toEqual([emailOf(3)]);
  });

  const given = { until: '2999-01-01T00:00:00Z', reason: 'a test' };
  test.each([
    { decision: 'ignore', body: given, left: [emailOf(0), emailOf(1)] },
    { decision: 'accept', body: {}, left: [emailOf(0), emailOf(1)] },
    { decision: 'repair', body: {}, left: [] },
  ])('has no part in what an operator decides alone: $decision', async (row) => {
    const { decision, body, left } = row;
    await addEmpty(decision);
    intrude(bridge, 0, 4, decision);
    const held = await plan();
    const [first = '', second = ''] = await listAdded(decision);
    await bridge.ops('POST', '/drifts/decide', { decision, ids: [first], ...body });
    const afterOne = await readPlan(bridge, held.id);
    await bridge.ops('POST', '/drifts/decide', { decision, ids: [second], ...body });
    const afterTwo = await readPlan(bridge, held.id);
    await decide(bridge, held, 'approve');
    const applied = await untilApplied(bridge, held.id);

    expect(bridge.sandbox.service.members(decision).toSorted()).toEqual(left);
    expect([afterOne, afterTwo]).toMatchObject([
      { status: 'held', waiting: 3 },
      { status: 'held', waiting: 2 },
    ]);
    expect(listEnds(applied)).toEqual(['done', 'done', 'dropped', 'dropped']);
  });

  test('waits where groups come back, and their members with them', async () => {
    const ids = Object((await bridge.send('GET', '/Users')).body).Resources.map(Object);
    const names = ['Lost', 'Gone', 'Missed'];
    for (const name of names) await bridge.settled(bridge.addGroup(name, [ids[0].id]));
    for (const name of names) bridge.sandbox.service.deleteGroup(name);
    const held = await plan();
    await decide(bridge, held, 'approve');
    await untilApplied(bridge, held.id);

    expect(held).toMatchObject({ status: 'held', counts: { kinds: { 'group.create': 3 } } });
    for (const name of ['createGroup', 'addMember']) expect(held.reason).toContain(`${name}: 3 in`);
  });

  test('scim-bridge plan lists, shows, approves and undoes plans', async () => {
    await addEmpty('Command');
    intrude(bridge, 0, 3, 'Command');
    const held = await plan();
    const runArgs = runner(bridge);
    const run = (args: string) => runArgs(...args.split(' '));

    const shown = await run('plan show');
    const listed = await run('plan list --json');
    const wrong = await run(`plan approve ${held.id} another`);
    const approved = await run(`plan approve ${held.id} ${held.hash}`);
    await untilApplied(bridge, held.id);
    const removed = countMembers(bridge, 'Command');
    const undone = await run(`plan undo ${held.id} --yes`);
    await expect.poll(() => countMembers(bridge, 'Command')).toBe(3);
    const none = await run('plan show');

    expect(shown.text).toContain(`scim-bridge plan approve ${held.id} ${held.hash}`);
    expect(shown.text).toContain(`${emailOf(0)} in Command  is not wanted as a member: remove`);
    const { items, nextCursor } = JSON.parse(listed.text);
    expect(items[0]).toMatchObject({ id: held.id, status: 'held' });
    expect(nextCursor).toBeNull();
    expect([wrong.code, approved.code, undone.code]).toEqual([1, 0, 0]);
    expect(removed).toBe(0);
    expect(none.text).toBe('No plan waits.\n');
  });
});

describe('a plan of repairs within the limits', () => {
  shareBridge({ ...settings, PROTECT_USERS: bob });

  test('can be undone, as far as the provider wants nothing else since', async () => {
    const group = await addEmpty('Undone');
    const emma = await bridge.addUser('emma');
    await bridge.patch(`/Users/${emma}`, replace('active', false));
    await untilOut(bridge, emma);
    bridge.sandbox.service.updateUser('emma@example.com', { active: true });
    intrude(bridge, 0, 2, 'Undone');
    const repaired = await plan();
    await untilApplied(bridge, repaired.id);
    const undone = await decide(bridge, repaired, 'undo');
    await untilApplied(bridge, undone.body.id);
    const shown = await bridge.send('GET', `/Groups/${group}`);
    const second = await decide(bridge, repaired, 'undo');

    expect(undone.body).toMatchObject({ source: 'undo', undoes: repaired.id, leftOut: 0 });
    expect(countMembers(bridge, 'Undone')).toBe(2);
    expect(bridge.sandbox.service.getUser('emma@example.com').active).toBe(true);
    expect(shown.body.members).toHaveLength(2);
    expect(second.body).toMatchObject({ code: 'nothing-to-undo', leftOut: 3 });
    await bridge.sweep();
    expect(await bridge.listDrifts()).toEqual([]);
  });

  test('a dry run shows the plan that a sweep would make, and changes nothing', async () => {
    await addEmpty('Dry');
    intrude(bridge, 0, 2, 'Dry');
    const dry = await plan({ dryRun: true });
    const kept = countMembers(bridge, 'Dry');
    const open = await bridge.listDrifts();
    const real = await plan();
    await untilApplied(bridge, real.id);

    expect(dry).toMatchObject({ status: 'discarded', reason: 'dry-run', counts: { total: 2 } });
    expect([kept, open.length]).toEqual([2, 2]);
    expect(real.hash).toBe(dry.hash);
    expect(countMembers(bridge, 'Dry')).toBe(0);
  });

  test('what is undone each time is contested after the third repair, and then left alone', async () => {
    await addEmpty('Contested');
    for (let round = 0; round < 3; round += 1) {
      intrude(bridge, 0, 1, 'Contested');
      await untilApplied(bridge, (await plan()).id);
    }
    intrude(bridge, 0, 1, 'Contested');
    const { planId } = await bridge.sweep();

    expect(planId).toBeNull();
    expect(await bridge.listDrifts('contested')).toEqual([
      `member.added Contested of ${emailOf(0)}`,
    ]);
    expect(countMembers(bridge, 'Contested')).toBe(1);
  });

  test('nobody who is protected loses anything by a repair, whoever asks for it', async () => {
    const { service } = bridge.sandbox;
    const [adaId] = await bridge.addPeople('ada', 'bob');
    await bridge.addGroup('Pilots');
    await bridge.addGroup('Cooks');
    await bridge.patch(`/Users/${adaId}`, replace('active', false));
    await untilOut(bridge, adaId);
    // Somebody makes the one the only owner, and puts the other into both groups.
    service.updateUser(ada, { active: true });
    service.updateUser(ada, { role: 1 });
    service.updateUser('owner@example.com', { role: 2 });
    service.updateGroup('Pilots', { permissions: 16 });
    service.link('Pilots', bob);
    service.link('Cooks', bob);
    await bridge.sweep();
    await expect.poll(() => service.members('Cooks')).toEqual([]);
    const items = await bridge.listOps('/drifts?kind=user.activated');
    const drift = items.find((item) => Object(item).resource.name === ada);
    const request = { ids: [Object(drift).id], decision: 'repair' };
    const { body } = await bridge.ops('POST', '/drifts/decide', request);

    expect(drift).toMatchObject({ status: 'open', note: { by: null }, detector: 'sweep' });
    expect(body).toMatchObject({ done: 0, plan: null });
    expect(service.getUser(ada).active).toBe(true);
    expect(service.members('Pilots')).toHaveLength(1);
  });
});

test('whom a person took out before the plan did is not put back when the plan is undone', async () => {
  const { bridge: timed, clock } = await forTest(startTimedBridge({ settings: few }));
  const { service } = timed.sandbox;
  await timed.addUsers(3);
  await timed.settled(timed.addGroup('Pilots'));
  intrude(timed, 0, 3);
  const { planId } = await timed.sweep();
  const held = await readPlan(timed, planId);
  service.unlink('Pilots', emailOf(0));
  // What was seen is looked at again before it is acted on.
  clock.leap(120_000);
  await decide(timed, held, 'approve');
  await untilApplied(timed, planId);
  const { body } = await timed.ops('POST', `/plans/${planId}/undo`);
  await untilApplied(timed, body.id);

  expect(body).toMatchObject({ counts: { total: 2 }, leftOut: 1 });
  expect(service.members('Pilots')).toEqual([emailOf(1), emailOf(2)]);
});

test('an account and a group that nobody asked for are taken over where their kinds are named', async () => {
  const policy = { 'user.unmanaged': 'accept', 'group.unmanaged': 'accept' };
  const adopting = { DRIFT_POLICY: JSON.stringify(policy) };
  const bridge = await bridgeForTest({ settings: adopting });
  const { service } = bridge.sandbox;
  service.addUser({ email: ada, userName: ada });
  service.createGroup({ name: 'Skunks' });
  await bridge.sweep();
  bridge.sandbox.calls.reset();
  await bridge.sweep();

  expect((await bridge.ops('GET', '/users?managed=true')).text).toContain(ada);
  expect(await bridge.listOps('/unmanaged?status=accepted&order=oldest')).toMatchObject([
    ...[{ kind: 'user.unmanaged', resource: { name: ada } }, { kind: 'group.unmanaged' }],
  ]);
  // The owner is privileged, and only an operator who says so takes them over.
  const owner = { kind: 'user.unmanaged', resource: { name: 'owner' } };
  expect(await bridge.listOps('/unmanaged?status=open')).toMatchObject([owner]);
  expect(await bridge.listDrifts()).toEqual([]);
});
