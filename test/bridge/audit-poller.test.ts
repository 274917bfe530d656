import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import type { AuditWorld } from '../support/audit-world.ts';
import { behindTheBack, INTERVAL_MS, startAudit, startAuditWorld } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { replace } from '../support/provider.ts';
import { tamperWith, withEntries } from '../support/tampering-proxy.ts';

const LIST = 'auditLogs.retrieveAuditLogEvents';
const LONG_MS = 10 * 60_000;
const WHO = { username: 'admin', address: '198.51.100.7' };
const setActive = (value: boolean) => replace('active', value);

function deactivate(world: TestBridge, ...names: readonly string[]): void {
  for (const name of names)
    behindTheBack(world).updateUser(`${name}@example.com`, { active: false });
}

const toAddresses = (...names: readonly string[]) => names.map((name) => `${name}@example.com`);

const addPeople = (world: TestBridge, ...names: readonly string[]) =>
  Promise.all(names.map((name) => world.addUser(name)));

async function listInactive(bridge: TestBridge, ...names: readonly string[]): Promise<string[]> {
  const items = await bridge.listOps('/users?managed=true&limit=100');
  const inactive = items.filter(({ active }) => Object(active).observed === false);
  const seen = inactive.map(({ name }) => String(name));
  return toAddresses(...names).filter((name) => seen.includes(name));
}

function expectDrift(world: AuditWorld, id: string) {
  const read = async () => {
    await world.poll();
    const items = await world.listOps('/drifts?status=open&kind=user.deactivated');
    return items.filter(({ resource }) => Object(resource).id === id);
  };
  return expect.poll(read);
}

const two = { default: 2, max: 2 };

describe('the audit log', () => {
  const world = forSuite(() =>
    startAudit({
      settings: { DRIFT_POLICY: '{"member.added":"repair"}', LIMITS_REPAIR: '1' },
      onLog: (line) => lines.push(line),
    }),
  );
  const lines: JsonObject[] = [];

  test('what somebody else did to a person is looked at, told with who and from where, and changes nothing', async () => {
    const { calls, service } = world.sandbox;
    const [ada = ''] = await addPeople(world, 'ada', 'bob');
    await world.poll();
    calls.reset();
    deactivate(world, 'ada');
    await world.poll();

    expect(await listInactive(world, 'ada', 'bob')).toEqual(toAddresses('ada'));
    expect(calls.count({ operation: 'scim.getUser' })).toBe(1);
    await expectDrift(world, ada).toMatchObject([{ observed: { active: false }, who: WHO }]);
    expect(calls.count({ mutating: true })).toBe(0);
    expect((await world.send('GET', `/Users/${ada}`)).body.active).toBe(true);
    expect(service.getUser('ada@example.com').active).toBe(false);
    const msg = 'somebody else changed the service: it is looked at';
    const line = { msg, resourceType: 'user', resourceId: ada, action: 'deactivate' };
    expect(lines).toContainEqual(expect.objectContaining(line));
  });

  test('who did it is told in differences, plans and the past, also within seconds of our own call', async () => {
    const [eve = ''] = await addPeople(world, 'eve', 'fay', 'gus');
    const group = await world.addGroup('Pilots');
    await world.patch(`/Users/${eve}`, setActive(false));
    await world.patch(`/Users/${eve}`, setActive(true));
    deactivate(world, 'eve');
    for (const address of toAddresses('fay', 'gus')) behindTheBack(world).link('Pilots', address);
    await world.poll();
    const { planId } = await world.sweep();

    await expectDrift(world, eve).toMatchObject([{ who: WHO }]);
    const { body: plan } = await world.ops('GET', `/plans/${planId}/actions`);
    const removal = { kind: 'member.remove', who: { by: 'admin' } };
    expect(plan.items).toMatchObject([removal, removal]);
    for (const path of [`/users/${eve}/timeline`, `/groups/${group}/timeline`])
      expect((await world.ops('GET', path)).text).toContain('admin');
  });

  test('no news costs one call a poll, also right after a change, and nobody is looked at for what the bridge did itself', async () => {
    const ids = await addPeople(world, 'hal', 'ian');
    const group = await world.addGroup('Crew', ids);
    await world.patch(`/Users/${ids[0]}`, setActive(false));
    await world.send('DELETE', `/Groups/${group}`);
    world.sandbox.calls.reset();
    await world.poll();
    // The look that proves the deactivation.
    expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBeLessThanOrEqual(1);
    world.sandbox.calls.reset();
    await world.poll();
    await world.poll(LONG_MS);
    await world.poll();

    expect(world.sandbox.calls.count({ operation: LIST })).toBe(3);
    // Once it is looked what remains of the access of whoever left.
    const looks = world.sandbox.calls.count({ operation: 'companyUsers.getListOfUsers' });
    expect(looks).toBeLessThanOrEqual(1);
    expect(world.sandbox.calls.count() - looks).toBe(3);
  });

  test('that the service refuses is told and asked every five minutes, and nothing is lost meanwhile', async () => {
    await world.addUser('lee');
    await world.poll();
    const { calls, faults } = world.sandbox;
    faults.add({ operation: 'audit', fault: failing(403) });
    calls.reset();
    world.clock.leap(INTERVAL_MS);
    await expect.poll(async () => (await world.readReadiness()).text).toContain('refuses');
    deactivate(world, 'lee');
    for (let times = 0; times < 10; times += 1) world.clock.leap(INTERVAL_MS);
    const callsWhileClosed = calls.count({ operation: LIST });
    faults.clear();
    await world.poll(5 * 60_000);

    expect(callsWhileClosed).toBe(1);
    expect(await listInactive(world, 'lee')).toEqual(toAddresses('lee'));
    await expect.poll(async () => (await world.readReadiness()).text).not.toContain('refuses');
  });

  test('that cannot be read for five minutes makes the bridge degraded until it can', async () => {
    await world.addUser('mia');
    await world.poll();
    const broken = world.sandbox.faults.add({ operation: LIST, fault: failing(500) });
    deactivate(world, 'mia');
    const textAtFirst = await (await world.readReadiness()).text;
    const readLater = async () => {
      world.clock.leap(4 * INTERVAL_MS);
      return (await world.readReadiness()).text;
    };
    await expect.poll(readLater).toContain('audit-behind');
    broken.remove();
    await world.recover();

    expect(textAtFirst).not.toContain('audit-behind');
    expect(await (await world.readReadiness()).text).not.toContain('audit-behind');
    expect(await listInactive(world, 'mia')).toEqual(toAddresses('mia'));
  });
});

/** So that of nothing it is known who changed it, and a look waits for a minute. */
function hideAccount({ faults, service }: Sandbox): void {
  faults.add({ operation: 'users.retrieveCurrentUser', fault: failing(404) });
  service.addUser({ email: 'ada@example.com' });
}

test('while our own account is not known, nobody is looked at more than once a minute; what the bridge creates shows it', async () => {
  const world = await forTest(startAudit({ prepare: hideAccount }));
  const { calls } = world.sandbox;
  const countLooks = () => calls.count({ operation: 'scim.getUser' });
  await world.addUser('ada');
  await world.poll(LONG_MS);
  calls.reset();
  for (const active of [false, true, false]) {
    behindTheBack(world).updateUser('ada@example.com', { active: active });
    await world.poll();
  }
  const looksAtFirst = countLooks();
  await world.poll(60_000);
  const looksAfterAMinute = countLooks();
  const ofUnknown = await listInactive(world, 'ada');
  const bob = await world.addUser('bob');
  await world.poll();
  await world.poll(60_000);
  calls.reset();
  await world.patch(`/Users/${bob}`, setActive(false));
  await world.poll();
  const looksAtBob = countLooks();
  behindTheBack(world).updateUser('ada@example.com', { active: true });
  await world.poll();

  expect([looksAtFirst, looksAfterAMinute]).toEqual([0, 1]);
  expect(ofUnknown).toEqual(toAddresses('ada'));
  // That the deactivation has happened.
  expect(looksAtBob).toBe(1);
  expect(countLooks()).toBe(2);
  expect(await listInactive(world, 'ada')).toEqual([]);
});

test('a group that is seen before its look is due needs none, and keeps nobody else from one', async () => {
  const prepare = (sandbox: Sandbox) => {
    hideAccount(sandbox);
    sandbox.service.createGroup({ name: 'Seen' });
    sandbox.service.link('Seen', 'ada@example.com');
  };
  const world = await forTest(startAudit({ prepare }));
  await world.settled(world.addGroup('Seen', [await world.addUser('ada')]));
  await world.poll(LONG_MS);
  behindTheBack(world).unlink('Seen', 'ada@example.com');
  await world.poll();
  await world.sweep();
  deactivate(world, 'ada');
  await world.poll();
  await world.poll(60_000);

  expect(await listInactive(world, 'ada')).toEqual(toAddresses('ada'));
});

const oldestFirst = { auditOrder: 'asc', auditDetails: 'string' } as const;
test.each<[string, SandboxShapeChange]>([
  ['newest first, in pages of two', {}],
  ['oldest first, in pages of two, details as text', oldestFirst],
])('a log that comes %s, is read whole and each event once', async (_, shape) => {
  const pages = { auditLogs: two };
  const world = await forTest(startAudit({ shape: { ...shape, pages } }));
  const names = ['ada', 'bob', 'eve'];
  const ids = await addPeople(world, ...names);
  await world.poll(LONG_MS);
  for (const name of names) {
    deactivate(world, name);
    await world.poll(2_000 + INTERVAL_MS);
  }
  const during = await listInactive(world, ...names);
  for (const name of names)
    behindTheBack(world).updateUser(`${name}@example.com`, { active: true });
  await world.poll();

  expect(during).toEqual(toAddresses(...names));
  expect(await listInactive(world, ...names)).toEqual([]);
  // The creation, the deactivation and the return.
  for (const id of ids) {
    const past = await world.listOps(`/users/${id}/timeline`);
    expect(past.filter(({ source }) => source === 'audit')).toHaveLength(3);
  }
});

test.each([1, 2])('pages that shift by %i while they are read lose nothing', async (shift) => {
  const early = ['ada', 'bob', 'eve', 'fay'];
  const late = ['gus', 'hal'].slice(0, shift);
  const all = [...early, ...late];
  const shape = { pages: { auditLogs: two } };
  const world = await forTest(startAudit({ shape }));
  await addPeople(world, ...all);
  await world.poll();
  deactivate(world, ...early);
  const slow = world.sandbox.faults.add({ operation: LIST, fault: HANGING, skip: 1, times: 1 });
  world.clock.leap(INTERVAL_MS);
  await slow.until(1);
  deactivate(world, ...late);
  world.sandbox.faults.release();
  await world.recover();

  expect(await listInactive(world, ...all)).toEqual(toAddresses(...all));
});

const DAY_MS = 24 * 60 * 60_000;

describe('an event of the audit log that cannot be right', () => {
  let leadMs = 0;
  const clock = createLeapingClock();
  const sandbox = forSuite(() => startSandbox({ clock: () => clock.now() + leadMs }));
  const tampered = forSuite(() => tamperWith(sandbox));
  const world = forSuite(() => {
    sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    return startAuditWorld({ service: tampered.service, clock });
  });
  afterEach(() => tampered.setTamper(undefined));

  const deactivate = (name: string) =>
    behindTheBack(world).updateUser(`${name}@example.com`, { active: false });

  const expectDeactivated = (name: string) => {
    const read = async () => {
      await world.poll();
      return world.listDrifts();
    };
    return expect.poll(read).toContain(`user.deactivated ${name}@example.com`);
  };

  function spoil(name: string, change: JsonObject): void {
    const isOf = (entry: unknown) => JSON.stringify(entry).includes(`${name}@`);
    const toShown = withEntries((entries) =>
      entries.map((entry) => (isOf(entry) ? { ...Object(entry), ...change } : entry)),
    );
    const isLog = ({ pathname }: URL) => pathname.endsWith('/audit-logs');
    tampered.setTamper((url, body) => (isLog(url) ? toShown(body) : body));
  }

  test.each([
    ['in 2099', 73 * 365 * DAY_MS],
    ['in twenty minutes', 20 * 60_000],
  ])('because it is dated %s hides no later one', async (_when, ms) => {
    const [early, late] = [`early-${ms}`, `late-${ms}`];
    for (const name of [early, late]) await world.addUser(name);
    await world.poll();
    leadMs = ms;
    deactivate(early);
    leadMs = 0;
    await world.poll();
    await world.poll(10 * 60_000);
    deactivate(late);

    await expectDeactivated(early);
    await expectDeactivated(late);
  });

  test('because its message is made of one sign takes no time to read', async () => {
    await world.addUser('sign');
    await world.poll();
    spoil('sign', { message: '@'.repeat(2_000) });
    deactivate('sign');
    const before = process.threadCpuUsage();

    await expectDeactivated('sign');
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  test.each([
    ['id', null],
    ['id', { a: 1 }],
    ['created', 'yesterday'],
  ])('because its %s is %j is skipped and counted', async (field, value) => {
    const mark = `${field}-${String(value).length}`;
    const [bad, good] = [`bad-${mark}`, `good-${mark}`];
    for (const name of [bad, good]) await world.addUser(name);
    await world.poll();
    spoil(bad, { [field]: value });
    deactivate(bad);
    deactivate(good);

    await expectDeactivated(good);
    const metrics = await readMetrics(world);
    expect(metrics.get('audit_events_total{origin="unreadable"}')).toBeGreaterThan(0);
  });

  test.each([
    ['it comes minutes late', 'late', -4],
    ['a clock was set back an hour', 'back', -60],
    ['the clock of the service is two hours behind', 'behind', -120, -120],
    ['the clock of the service is two hours ahead', 'ahead', 120, 120],
  ])(
    'because %s is found all the same, with its author',
    async (_why, name, minutes, later = 0) => {
      await world.addUser(name);
      await world.poll();
      leadMs = minutes * 60_000;
      deactivate(name);
      leadMs = later * 60_000;

      await expectDeactivated(name);
      leadMs = 0;
      const resource = expect.objectContaining({ name: `${name}@example.com` });
      const drift = expect.objectContaining({ resource, who: expect.objectContaining(WHO) });
      expect(await world.listOps('/drifts')).toContainEqual(drift);
    },
  );

  test('because it has the id of an earlier one is found all the same', async () => {
    await world.addUser('anew');
    await world.poll();
    const [first] = sandbox.service.auditEvents();
    spoil('anew', { id: first?.id ?? null });
    deactivate('anew');

    await expectDeactivated('anew');
  });

  test('an answer that is nested without end is unreadable, and no bug', async () => {
    const look = `/users/${await world.addUser('deep')}/look`;
    tampered.setTamper(() => `{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    const answer = await world.ops('POST', '/api/users/retrieveCurrentUser', {});
    expect(answer).toMatchObject({ status: 502, body: { code: 'unreadable' } });
    expect((await world.ops('POST', look)).body).toMatchObject({ code: 'could-not-look' });
  });
});

test('an event that names nobody known is remembered, and what a sweep finds later has its author', async () => {
  const world = await forTest(startAudit({}));
  await world.poll();
  behindTheBack(world).addUser({ email: 'one@example.com' });
  await world.poll();
  await world.sweep();
  const { body } = await world.ops('GET', '/unmanaged?kind=user.unmanaged');

  const [who, resource] = [WHO, { name: 'one' }].map((part) => expect.objectContaining(part));
  expect(body.items).toContainEqual(expect.objectContaining({ resource, who }));
});
