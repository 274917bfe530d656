import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { AuditWorld } from '../support/audit-world.ts';
import { behindTheBack, startAudit, startAuditWorld } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';

const PATIENT = { interval: 10, timeout: 20_000 };
const MINUTE_MS = 60_000;
const IMPATIENT = { SCIM_WRITE_WAIT: '0s' };
const out = replace('active', false);
const OUT = toPatch(out);

async function findProven(bridge: TestBridge, id: string): Promise<JsonObject> {
  const [newest] = await bridge.listOps(`/leavers?limit=1&resource=${id}`);
  return newest ?? {};
}

const isEnded = async (bridge: TestBridge, id: string) =>
  (await findProven(bridge, id)).status !== 'waits';
const isLogged = async (bridge: TestBridge, id: string) =>
  JSON.stringify((await findProven(bridge, id)).logged).includes('eventId":"');

async function until(world: Pick<AuditWorld, 'clock'>, isSo: () => Promise<boolean>) {
  const goOn = async () => {
    if (await isSo()) return true;
    world.clock.leap(MINUTE_MS / 2);
    return false;
  };
  await expect.poll(goOn, { ...PATIENT, interval: 50 }).toBe(true);
}

describe('the proof of a leaver', () => {
  const clock = createLeapingClock();
  const sandbox = forSuite(() => startSandbox({ clock: () => clock.now() }));
  const world = forSuite(() => {
    sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    return startAuditWorld({ service: sandbox, clock });
  });
  afterEach(() => sandbox.faults.clear());

  test('tells who asked, when it was accepted, sent, seen and logged, and what remains', async () => {
    const { service } = world.sandbox;
    const ada = await world.addUser('ada');
    await world.addGroup('Pilots', [ada]);
    service.createGroup({ name: 'Board' });
    service.link('Board', 'ada@example.com');
    await world.sweep();
    await world.poll();

    await world.request('PATCH', `/Users/${ada}`, OUT, { 'x-request-id': 'request-of-the-day' });
    await until(world, () => isEnded(world, ada));
    await until(world, () => isLogged(world, ada));

    const leaver = await findProven(world, ada);
    expect(leaver).toMatchObject({
      person: { id: ada, name: 'ada@example.com' },
      status: 'out',
      asked: { credential: 'settings-1', requestId: 'request-of-the-day' },
      sent: { operation: 'scim.updateUser', outcome: 'done' },
      logged: { state: 'logged', ours: true, who: { username: expect.any(String) } },
      problem: null,
      planId: null,
    });
    expect(leaver.remains).toMatchObject({ owner: false, groups: [{ name: 'Board' }] });
    const { asked, acceptedAt, sent, seenAt } = leaver;
    const times = [Object(asked).at, acceptedAt, Object(sent).at, seenAt].map((at) =>
      Date.parse(String(at)),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(leaver.tookMs).toBeGreaterThanOrEqual(0);
  });

  test('whoever a request that the service refuses would have put out has not left', async () => {
    const emma = await world.settled(world.addUser('emma'));
    world.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400) });

    const answer = await world.request('PATCH', `/Users/${emma}`, OUT);
    await until(world, async () => (await findProven(world, emma)).status === undefined);

    expect(answer.status).toBe(400);
  });

  test('a removal that the service refuses after it was acknowledged waits with the words of the service', async () => {
    const world = await forTest(startAudit({ settings: IMPATIENT }));
    const fay = await world.settled(world.addUser('fay'));
    world.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400) });

    await world.patch(`/Users/${fay}`, out);
    const isStuck = async () => (await findProven(world, fay)).problem !== null;
    await expect.poll(isStuck, PATIENT).toBe(true);

    const waits = { status: 'waits', problem: { code: 'refused' }, seenAt: null };
    expect(await findProven(world, fay)).toMatchObject(waits);
  });

  test('an audit log that cannot be read is told, and read as soon as it can be', async () => {
    const gwen = await world.addUser('gwen');
    await world.poll();
    world.sandbox.faults.add({ operation: 'audit', fault: failing(403) });
    await world.patch(`/Users/${gwen}`, out);
    await until(world, () => isEnded(world, gwen));
    const readState = async () => Object((await findProven(world, gwen)).logged);
    await until(world, async () => (await readState()).state === 'unreadable');
    const unread = await readState();
    world.sandbox.faults.clear();
    await world.recover();
    await until(world, () => isLogged(world, gwen));

    expect(unread).toMatchObject({ state: 'unreadable', code: 'not-permitted', at: null });
  });

  test('whoever is let in again is shown as back, and whoever wanted in before the service held it never left', async () => {
    const hedy = await world.addUser('hedy');
    await world.patch(`/Users/${hedy}`, out);
    await until(world, async () => (await findProven(world, hedy)).status === 'out');
    const back = replace('active', true);
    await world.patch(`/Users/${hedy}`, back);
    const returned = await findProven(world, hedy);
    await world.ops('POST', '/pause', {});
    const hal = await world.addUser('hal');
    await world.patch(`/Users/${hal}`, out);
    await world.patch(`/Users/${hal}`, back);
    await world.ops('POST', '/resume', {});
    await until(world, async () => (await findProven(world, hal)).status === undefined);

    expect(returned).toMatchObject({ status: 'back', seenAt: expect.any(String), remains: null });
  });

  test('somebody whom others took out first is proven by what was seen, without a call', async () => {
    const ida = await world.addUser('ida');
    await world.poll();
    behindTheBack(world).updateUser('ida@example.com', { active: false });
    await world.poll();
    await world.sweep();

    await world.patch(`/Users/${ida}`, out);
    await until(world, () => isEnded(world, ida));
    await until(world, () => isLogged(world, ida));

    expect(await findProven(world, ida)).toMatchObject({
      status: 'out',
      sent: null,
      seenAt: expect.any(String),
      logged: { ours: false, who: { username: 'admin' } },
    });
  });

  test('`leavers` tells each step, as a table, JSON or CSV', async () => {
    const lea = await world.settled(world.addUser('lea'));
    await world.request('PATCH', `/Users/${lea}`, OUT, { 'x-request-id': 'one' });
    await until(world, () => isEnded(world, lea));
    const job = runner(world);
    const person = runner(world, { columns: 400 });

    const table = await person('leavers');
    const narrow = await runner(world, { columns: 80, hasColours: false })('leavers');
    const csv = await job('leavers', '--csv', '--since', '2020-01-01');
    const none = await person('leavers', '--since', '2999-01-01');
    const wrong = await job('leavers', '--since', 'yesterday');
    const both = await job('leavers', '--json', '--csv');

    expect(table.text).toContain('lea@example.com');
    expect(narrow.text).toMatch(/^lea@\S+ +out +(\S+ +)?\d{4}-\S+ \S+Z +\d{4}-\S+ \S+Z/m);
    const [head = '', row = ''] = csv.text.split('\r\n');
    expect(head.split(',').slice(0, 6)).toEqual([
      ...['id', 'name', 'status', 'credential', 'request', 'asked'],
    ]);
    expect(row).toMatch(new RegExp(`^${lea},lea@example\\.com,out,settings-1,one,`));
    expect(none).toMatchObject({ code: 0, text: 'There is nothing to list.\n' });
    const back = await person('leavers', '--status', 'back', '--since', '2999-01-01');
    expect(back.text).toBe('There is nothing to list.\n');
    expect(wrong).toMatchObject({ code: 64, text: expect.stringContaining('--since is a date') });
    expect(both.code).toBe(64);
  });
});

describe('leavers unlinked', () => {
  const PATIENT = { interval: 100, timeout: 6_000 };

  describe('somebody who leaves is out, whatever became of the account that the bridge knew', () => {
    const clock = createLeapingClock();
    const settings = { SCIM_WRITE_WAIT: '0s', UPSTREAM_TIMEOUT: '1s' };
    const sandbox = forSuite(() => startSandbox({ clock: () => clock.now() }));
    const world = forSuite(() => startAuditWorld({ service: sandbox, clock, settings }));
    afterEach(() => sandbox.faults.clear());

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

    const findStatus = async (id: string) => (await findProven(world, id)).status;

    async function untilEnded(id: string): Promise<unknown> {
      const goOn = async () => {
        world.clock.leap(MINUTE_MS / 4);
        return findStatus(id);
      };
      await expect.poll(goOn, PATIENT).not.toBe('waits');
      return findStatus(id);
    }

    const ways = [
      ['deactivated', (id: string) => world.patch(`/Users/${id}`, out)],
      ['deleted', (id: string) => world.send('DELETE', `/Users/${id}`)],
    ] as const;

    test.each(ways)('invited again by an administrator, then %s', async (way, leave) => {
      const email = toAddress(`again-${way}`);
      world.sandbox.service.addUser({ email, userName: email, virtual: true });
      const id = await world.settled(world.addUser(`again-${way}`));
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
      await world.patch(`/Users/${id}`, out);
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
      const id = await world.settled(world.addUser('back'));
      world.sandbox.service.removeUser(email);
      await world.sweep();
      await world.settled(world.patch(`/Users/${id}`, out));
      world.sandbox.service.addUser({ email, userName: email });
      await world.settled(world.sweep());

      expect(isActive('back')).toBe(false);
      expect(await world.find('/Users', `userName eq "${email}"`)).toHaveLength(1);
    });

    test('deactivated according to the answer alone, and found to work by the look', async () => {
      const id = await world.settled(world.addUser('believed'));
      await world.patch(`/Users/${id}`, out);
      await expect.poll(() => isActive('believed'), PATIENT).toBe(false);
      world.sandbox.service.updateUser(toAddress('believed'), { active: true });

      expect(await untilEnded(id)).toBe('out');
      expect(isActive('believed')).toBe(false);
    });
  });
});
