import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { AuditWorld } from '../support/audit-world.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { toObjects } from '../support/operator.ts';
import { makeStoreFile, makeStoreUrl, readStoreBytes } from '../support/take-store.ts';

const LONG_MS = 15 * 60_000;
const MINUTES_MS = 10 * 60_000;

const ADA: JsonObject = {
  displayName: 'Countess Lovelace',
  nickName: 'Adette',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  externalId: 'hr-4711',
  title: 'Analyst',
  phoneNumbers: [{ value: '+44 20 7946 0001', type: 'work' }],
};
/** Everything that would tell that it was her. */
const SHE = /ada@|lovelace|adette|hr-4711|7946 0001|analyst/i;

async function deleteAda(world: AuditWorld): Promise<string> {
  const id = await world.addUser('ada', ADA);
  await world.addGroup('Pilots', [id]);
  await world.poll(LONG_MS);
  const back = behindTheBack(world);
  back.updateUser('ada@example.com', { fullName: 'Ada Byron Lovelace' });
  back.unlink('Pilots', 'ada@example.com');
  await world.poll(LONG_MS);
  await world.sweep();
  await world.send('DELETE', `/Users/${id}`);
  await world.poll(LONG_MS);
  await world.sweep();
  return id;
}

describe('erasing a person', () => {
  const settings = { SCIM_WRITE_WAIT: '50ms' };
  const world = forSuite(() => startAudit({ settings }));

  test('leaves nothing of them in any table, and no later read of the service brings it back', async () => {
    const url = makeStoreFile();
    const all = { ...settings, DRIFT_POLICY: 'repair', DATABASE_URL: url };
    const own = await forTest(startAudit({ settings: all }));
    await own.ops('POST', '/providers/default/trace', {});
    const id = await deleteAda(own);
    const countTraced = async () =>
      (await own.listOps(`/requests?traced=true&resource=${id}`)).length;
    const traced = await countTraced();
    const erase = runner(own);
    const person = runner(own, { columns: 80, answer: 'no' });
    const shown = await erase('erase', 'ada@example.com', '--dry-run');
    const no = await person('erase', 'ada@example.com');
    const before = readStoreBytes(url);
    const done = await erase('erase', 'ada@example.com', '--yes');
    const after = readStoreBytes(url);
    const twice = await erase('erase', id, '--yes');
    await own.sweep();
    const { counts } = await own.sweep();
    await own.poll(LONG_MS);
    const lists = ['/users', '/users?deleted=true', '/drifts', '/plans', '/requests'];
    const later = await Promise.all(lists.map((path) => own.ops('GET', path)));

    expect(counts).toMatchObject({ unknown: 0 });
    expect(shown.code).toBe(0);
    expect(shown.text).toContain('To be erased: ada@example.com');
    expect(no).toMatchObject({ code: 0, text: expect.stringContaining('Nothing was done.') });
    expect(no.text).toContain('To be erased: ada@example.com');
    expect(no.asked).toEqual(['Erase ada@example.com? It cannot be taken back. [y/N] ']);
    expect(before).toMatch(SHE);
    expect(done.code).toBe(0);
    expect(done.text).toContain('Erased: ada@example.com');
    expect(done.text).toMatch(/^ {2}\d+ rows of others and of logs/m);
    expect(SHE.exec(after)?.[0]).toBeUndefined();
    expect(twice).toMatchObject({ code: 1, text: expect.stringContaining('It was done before') });
    for (const { text } of later) expect(text).not.toMatch(SHE);
    expect([traced > 0, await countTraced()]).toEqual([true, 0]);
    expect((await own.request('GET', `/Users/${id}`)).status).toBe(404);
  });

  test('does not keep the provider from sending them again, who get their account back; a name that two had is not enough', async () => {
    const { service } = world.sandbox;
    const id = await world.addUser('ada', ADA);
    await world.send('DELETE', `/Users/${id}`);
    await world.poll(LONG_MS);
    const account = service.getUser('ada@example.com').id;
    await world.ops('POST', `/users/${id}/erase`);
    const again = await world.settled(world.addUser('ada', ADA));

    const { body } = await world.ops('GET', `/users/${again}`);
    expect(body).toMatchObject({ upstreamId: account, name: 'ada@example.com' });
    expect(service.getUser('ada@example.com')).toMatchObject({ id: account, active: true });
    const filter = encodeURIComponent('userName eq "ada@example.com"');
    expect((await world.send('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(1);

    const other = await world.addUser('bea', ADA);
    for (const one of [again, other]) await world.send('DELETE', `/Users/${one}`);
    const erased = await world.ops('POST', '/users/Countess%20Lovelace/erase');
    expect(erased.status).toBe(409);
    expect(erased.body.found).toEqual([again, other].map((one) => ({ type: 'user', id: one })));
    expect((await world.ops('POST', '/users/nobody/erase')).status).toBe(404);
  });

  test('waits for everything that is still to be done, and says what', async () => {
    const id = await world.addUser('cleo');
    const live = await listObstacles(world, id);
    const outage = world.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(503) });
    await world.send('DELETE', `/Users/${id}`);
    const unsent = await listObstacles(world, id);
    outage.remove();
    await world.untilSettled();
    const fresh = await listObstacles(world, id);
    await world.poll(LONG_MS);
    behindTheBack(world).updateUser('cleo@example.com', { active: true });
    await world.sweep();
    const active = await listObstacles(world, id);
    behindTheBack(world).updateUser('cleo@example.com', { active: false });
    await world.sweep();
    const done = await world.ops('POST', `/users/${id}/erase`);

    expect(live).toEqual(['managed']);
    expect(unsent).toContain('pending');
    expect(fresh).toEqual(['recent']);
    expect(active).toEqual(['active', 'drifting']);
    expect(done.status).toBe(200);
    expect(await listObstacles(world, id)).toEqual(['erased']);
  });

  test('happens by itself when the time of a tombstone is over, but not while something waits', async () => {
    const service = await forTest(startSandbox());
    const clock = createLeapingClock();
    const all = { ...settings, RETENTION_TOMBSTONES: '10d', DATABASE_URL: await makeStoreUrl() };
    const readNames = async (bridge: TestBridge) => {
      const items = await bridge.listOps('/users?deleted=true');
      return items.map(({ name }) => String(name)).toSorted();
    };
    /** A bridge that takes its time from the store as it starts, and some minutes later looks for what is old. */
    const live = async <T>(days: number, life: (bridge: TestBridge) => Promise<T>) => {
      const bridge = await startTestBridge({ service, clock, settings: all });
      clock.leap(days * 24 * 3_600_000 + MINUTES_MS);
      return life(bridge).finally(() => bridge.stop());
    };
    await live(0, async (bridge) => {
      const [over, waiting] = await bridge.settled(bridge.addPeople('ada', 'bea'));
      await bridge.settled(bridge.send('DELETE', `/Users/${over}`));
      service.faults.add({ operation: 'scim.updateUser', fault: failing(503) });
      await bridge.send('DELETE', `/Users/${waiting}`);
    });
    const early = await live(9, readNames);
    await live(11, async (bridge) => {
      const read = () => readNames(bridge);
      await expect.poll(read).toEqual(['bea@example.com', 'erased']);
    });

    expect(early).toEqual(['ada@example.com', 'bea@example.com']);
  });
});

async function listObstacles(bridge: TestBridge, key: string): Promise<string[]> {
  const { body } = await bridge.ops('POST', `/users/${key}/erase`, { dryRun: true });
  return toObjects(body.obstacles).map(({ code }) => String(code));
}

const DAY_MS = 24 * 60 * 60_000;

test('sweeps, and drifts that are over, are forgotten 30 days after they were seen; drifts that are there stay', async () => {
  const clock = createLeapingClock();
  const bridge = await bridgeForTest({ clock });
  const setActive = (name: string, isActive: boolean) =>
    bridge.sandbox.service.updateUser(`${name}@example.com`, { active: isActive });

  for (const name of ['ada', 'bob', 'cyd']) await bridge.addUser(name);
  // Not among the late effects of calls of our own.
  clock.leap(DAY_MS / 24);
  for (const name of ['ada', 'bob', 'cyd']) setActive(name, false);
  await bridge.sweep();
  setActive('bob', true);
  await bridge.sweep();
  clock.leap(20 * DAY_MS);
  await bridge.sweep();
  setActive('cyd', true);
  await bridge.sweep();
  const before = await listKept(bridge);
  clock.leap(11 * DAY_MS);

  expect(before).toEqual({
    sweeps: 4,
    open: ['user.deactivated ada@example.com'],
    gone: ['user.deactivated bob@example.com', 'user.deactivated cyd@example.com'],
  });
  const [open, gone] = [['user.deactivated ada@example.com'], ['user.deactivated cyd@example.com']];
  await expect.poll(() => listKept(bridge)).toEqual({ sweeps: 2, open, gone });
});

async function listKept(bridge: TestBridge) {
  return {
    sweeps: (await bridge.listOps('/sweeps')).length,
    open: await bridge.listDrifts(),
    gone: await bridge.listDrifts('gone'),
  };
}
