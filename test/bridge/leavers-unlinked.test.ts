import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type AuditWorld, startAuditWorld } from '../support/audit-world.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { replace, toPatch } from '../support/provider.ts';

const OUT = toPatch(replace('active', false));
const PATIENT = { interval: 100, timeout: 6_000 };
const MINUTE_MS = 60_000;

describe('somebody who leaves is out, whatever became of the account that the bridge knew', () => {
  let world: AuditWorld;
  let end: () => Promise<void>;
  beforeAll(async () => {
    const clock = createLeapingClock();
    const sandbox = await startSandbox({ clock: () => clock.now() });
    const settings = { SCIM_WRITE_WAIT: '0s', UPSTREAM_TIMEOUT: '1s' };
    world = await startAuditWorld({ service: sandbox, clock, settings });
    end = async () => {
      await world.stop();
      await sandbox.stop();
    };
  });
  afterEach(() => world.sandbox.faults.clear());
  afterAll(() => end());

  const toAddress = (name: string) => `${name}@example.com`;
  const findAccount = (name: string) =>
    world.sandbox.service.users().find(({ email }) => email === toAddress(name));
  const isActive = (name: string) => findAccount(name)?.active === true;

  /** The account was deleted and the person invited again: it has another id. */
  function inviteAgain(name: string): void {
    const email = toAddress(name);
    world.sandbox.service.removeUser(email);
    world.sandbox.service.addUser({ email: toAddress(`between-${name}`) });
    world.sandbox.service.addUser({ email, userName: email, fullName: 'Invited Again' });
  }

  async function findStatus(id: string): Promise<unknown> {
    const { body } = await world.ops('GET', `/leavers?limit=1&resource=${id}`);
    return Object(body.items)[0]?.status;
  }

  /** Moves time on until the proof of somebody has ended. */
  async function untilEnded(id: string): Promise<unknown> {
    const goOn = async () => {
      world.clock.leap(MINUTE_MS / 4);
      return findStatus(id);
    };
    await expect.poll(goOn, PATIENT).not.toBe('waits');
    return findStatus(id);
  }

  const ways = [
    ['deactivated', (id: string) => world.send('PATCH', `/Users/${id}`, OUT)],
    ['deleted', (id: string) => world.send('DELETE', `/Users/${id}`)],
  ] as const;

  test.each(ways)('invited again by an administrator, then %s', async (way, leave) => {
    const email = toAddress(`again-${way}`);
    world.sandbox.service.addUser({ email, userName: email, virtual: true });
    const id = await world.addUser(`again-${way}`);
    await world.untilSettled();
    inviteAgain(`again-${way}`);
    await leave(id);

    expect(await untilEnded(id)).toBe('out');
    expect(isActive(`again-${way}`)).toBe(false);
  });

  test('made late by a create that was lost, and deactivated before', async () => {
    const name = 'late';
    const late = { kind: 'hang', effect: 'late' } as const;
    const fault = world.sandbox.faults.add({ operation: 'scim.addUser', fault: late, times: 1 });
    const id = await world.addUser(name);
    await fault.until(1);
    world.sandbox.calls.reset();
    await world.send('PATCH', `/Users/${id}`, OUT);
    const looks = () => {
      world.clock.leap(MINUTE_MS / 60);
      return world.sandbox.calls.count({ operation: 'scim.getUsers' });
    };
    await expect.poll(looks, PATIENT).toBeGreaterThan(0);
    world.sandbox.faults.release();
    // It may be out again before anybody sees it active.
    await expect.poll(() => findAccount(name)).toBeDefined();

    expect(await untilEnded(id)).toBe('out');
    expect(isActive(name)).toBe(false);
  });

  test('missing in a sweep, then deactivated, then back', async () => {
    const email = toAddress('back');
    world.sandbox.service.addUser({ email, userName: email, virtual: true });
    const id = await world.addUser('back');
    await world.untilSettled();
    world.sandbox.service.removeUser(email);
    await world.sweep();
    await world.send('PATCH', `/Users/${id}`, OUT);
    await world.untilSettled();
    world.sandbox.service.addUser({ email, userName: email });
    await world.sweep();
    await world.untilSettled();

    expect(isActive('back')).toBe(false);
    const { body } = await world.send('GET', `/Users?filter=userName%20eq%20%22${email}%22`);
    expect(body.totalResults).toBe(1);
  });

  test('deactivated according to the answer alone, and found to work by the look', async () => {
    const id = await world.addUser('believed');
    await world.untilSettled();
    await world.send('PATCH', `/Users/${id}`, OUT);
    await expect.poll(() => isActive('believed'), PATIENT).toBe(false);
    world.sandbox.service.updateUser(toAddress('believed'), { active: true });

    expect(await untilEnded(id)).toBe('out');
    expect(isActive('believed')).toBe(false);
  });
});
