import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { type Lives, makeLives } from '../support/lives.ts';
import { readPlan } from '../support/pilots.ts';
import { makeStoreUrl } from '../support/store-url.ts';

/** The machine may be busy. */
const PATIENT = { interval: 10 };
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
  await expect.poll(async () => (await readPlanned()).phase, PATIENT).toBe('waiting');
  const { id, hash } = await readPlan(bridge, (await readPlanned()).planId);
  sandbox.calls.reset();
  const approved = await bridge.ops('POST', `/plans/${String(id)}/approve`, {
    hash: hash ?? '',
  });
  expect(approved.status).toBe(200);
  const read = async () => (await bridge.ops('GET', '/recovery')).body.phase;
  await expect.poll(read, PATIENT).toBe('none');
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
    const url = await makeStoreUrl();
    const paged = { ...settingsOf(url), UPSTREAM_PAGE_SIZE: '1' };
    const lives = await makeLives({ settings: paged, sandbox: { seed: NOBODY } });
    await lives.live((bridge) => bridge.addUsers(1), { MODE: 'observe' });
    lives.sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' }, skip: 2 });

    await lives.live(async (bridge) => {
      const show = (...args: string[]) => runner(bridge)(...args);
      const read = async () => Object((await bridge.ops('GET', '/recovery')).body).reading;
      await expect.poll(read, PATIENT).toMatchObject({ step: 'users', read: 2, expected: 4 });
      const texts = [await show('plan', 'show'), await show('plan', 'show', '--first-run')];
      lives.sandbox.faults.clear();
      await expect.poll(read, PATIENT).toBe(null);

      for (const { text } of texts) expect(text).toContain('reading users, 2 of 4 so far');
    });
  });
});
