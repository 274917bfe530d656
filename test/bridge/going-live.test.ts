import { describe, expect, test } from 'vitest';
import { addPlanCommand } from '../../src/cli/plan.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { type Lives, makeLives } from '../support/lives.ts';
import { readPlan } from '../support/pilots.ts';
import { addUsers, findId, send, toPatch, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS } from '../support/sweep.ts';

/** The machine may be busy. */
const PATIENT = { interval: 10 };
const PEOPLE = 50;
const NOBODY = { users: 3, groups: 1 };

/** A company of three, and a bridge that was told of fifty more while it observed. */
async function observePeople(url: string, sandbox: SandboxOptions = {}): Promise<Lives> {
  const lives = await makeLives({
    settings: settingsOf(url),
    sandbox: { seed: NOBODY, ...sandbox },
  });
  await lives.live((bridge) => addUsers(bridge, PEOPLE), { MODE: 'observe' });
  return lives;
}

/** Approves the plan of the first run; `meanwhile` is done between the read and the approval. */
async function approve(
  { sandbox }: Lives,
  bridge: TestBridge,
  meanwhile: () => void = () => undefined,
): Promise<void> {
  const read = async () => (await askOps(bridge, 'GET', '/plans/first-run')).body;
  await expect.poll(async () => (await read()).phase, PATIENT).toBe('waiting');
  const { id, hash } = await readPlan(bridge, (await read()).planId);
  sandbox.calls.reset();
  meanwhile();
  const approved = await askOps(bridge, 'POST', `/plans/${String(id)}/approve`, {
    hash: hash ?? '',
  });
  expect(approved.status).toBe(200);
}

/** The same, and waits until it is done. */
async function goLive(lives: Lives, bridge: TestBridge, meanwhile?: () => void): Promise<void> {
  await approve(lives, bridge, meanwhile);
  const read = async () => (await askOps(bridge, 'GET', '/recovery')).body.phase;
  await expect.poll(read, PATIENT).toBe('none');
  await untilSettled(bridge);
}

function listAddresses({ sandbox }: Lives): string[] {
  return sandbox.service.users().map(({ email }) => email);
}

function settingsOf(url: string) {
  return { ...SWEEP_SETTINGS, DATABASE_URL: url, SCIM_WRITE_WAIT: '60s' };
}

describe('going live', () => {
  test('costs one call a new person where the service takes the name with it', async () => {
    const lives = await observePeople(await makeStoreUrl());

    await lives.live((bridge) => goLive(lives, bridge));

    expect(lives.sandbox.calls.counts()).toEqual({ 'scim.addUser': { 201: PEOPLE } });
    expect(listAddresses(lives)).toContain('person50@example.com');
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

  test('costs one call a person who is there and differs', async () => {
    const lives = await makeLives({
      settings: settingsOf(await makeStoreUrl()),
      sandbox: { seed: NOBODY },
    });
    await lives.live(
      async (bridge) => {
        const id = await findId(bridge, { type: 'Users', name: 'user00001' });
        const renamed = { op: 'replace', path: 'name.familyName', value: 'Other' };
        await send(bridge, 'PATCH', `/Users/${id}`, toPatch(renamed));
      },
      { MODE: 'observe' },
    );

    await lives.live((bridge) => goLive(lives, bridge));

    expect(lives.sandbox.calls.counts()).toEqual({ 'scim.updateUser': { 200: 1 } });
  });

  test('finds a person whose create was lost, and makes nobody twice', async () => {
    const lives = await observePeople(await makeStoreUrl());
    const fault = { kind: 'reset', at: 'after-effect' } as const;
    lives.sandbox.faults.add({ operation: 'scim.addUser', fault, times: 1 });

    await lives.live((bridge) => goLive(lives, bridge));

    const addresses = listAddresses(lives).filter((email) => email.startsWith('person'));
    expect(addresses).toHaveLength(PEOPLE);
    expect(new Set(addresses).size).toBe(PEOPLE);
    expect(lives.sandbox.calls.count({ operation: 'scim.getUsers' })).toBeGreaterThan(0);
  });

  test('takes over a person whom somebody made since the service was read', async () => {
    const lives = await observePeople(await makeStoreUrl());
    const { service } = lives.sandbox;
    const email = 'person7@example.com';

    const shown = await lives.live(async (bridge) => {
      await goLive(lives, bridge, () => service.addUser({ email, fullName: 'Made By Hand' }));
      const id = await findId(bridge, { type: 'Users', name: email });
      return (await askOps(bridge, 'GET', `/users/${id}`)).body;
    });

    expect(lives.sandbox.calls.counts()['scim.addUser']).toEqual({ 201: PEOPLE - 1, 409: 1 });
    expect(shown).toMatchObject({ upstreamId: service.getUser(email).id, pending: [] });
    expect(service.getUser(email).fullName).toBe('Person7 Example');
  });

  test('tells how far the service is read while the plan is made', async () => {
    const url = await makeStoreUrl();
    const paged = { ...settingsOf(url), UPSTREAM_PAGE_SIZE: '1' };
    const lives = await makeLives({ settings: paged, sandbox: { seed: NOBODY } });
    await lives.live((bridge) => addUsers(bridge, 1), { MODE: 'observe' });
    lives.sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' }, skip: 2 });

    await lives.live(async (bridge) => {
      const show = (...args: string[]) => runner(bridge, [addPlanCommand], { OPS_TOKEN })(...args);
      const read = async () => Object((await askOps(bridge, 'GET', '/recovery')).body).reading;
      await expect.poll(read, PATIENT).toMatchObject({ step: 'users', read: 2, expected: 4 });
      const texts = [await show('plan', 'show'), await show('plan', 'show', '--first-run')];
      lives.sandbox.faults.clear();
      await expect.poll(read, PATIENT).toBe(null);

      for (const { text } of texts) expect(text).toContain('reading users, 2 of 4 so far');
    });
  });

  test('tells meanwhile how many of how many are done, and about how long the rest takes', async () => {
    const lives = await observePeople(await makeStoreUrl());
    const { calls, faults } = lives.sandbox;
    const hang = { kind: 'hang' } as const;
    faults.add({ operation: 'scim.addUser', fault: hang, skip: 20 });

    await lives.live(async (bridge) => {
      const readRelease = async () => (await askOps(bridge, 'GET', '/status')).body.release;
      const show = (...args: string[]) => runner(bridge, [addPlanCommand], { OPS_TOKEN })(...args);
      expect(await readRelease()).toBe(null);
      await approve(lives, bridge);
      await expect.poll(async () => Object(await readRelease()).done, PATIENT).toBe(20);
      const release = Object(await readRelease());
      const texts = [await show('plan', 'show'), await show('plan', 'show', '--first-run')];
      faults.clear();
      await untilSettled(bridge);

      expect(release).toMatchObject({ total: PEOPLE, done: 20, stuck: 0 });
      expect(Date.parse(release.endsAt)).toBeGreaterThan(Date.parse(release.startedAt));
      for (const { text } of texts) {
        expect(text).toMatch(/20 of 50 people and groups are done, about \d+ (s|min|h) left/);
      }
      expect(Object((await readRelease()) ?? { done: PEOPLE, endsAt: null })).toMatchObject({
        done: PEOPLE,
        endsAt: null,
      });
    });
    expect(calls.count({ operation: 'scim.addUser' })).toBeGreaterThanOrEqual(PEOPLE);
  });
});
