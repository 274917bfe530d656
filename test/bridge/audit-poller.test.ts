import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import {
  type AuditWorld,
  type AuditWorldOptions,
  behindTheBack,
  INTERVAL_MS,
  PATIENT,
  startAuditWorld,
  withAudit,
} from '../support/audit-world.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addGroup, addUser, addUsers, send, toMembers, toPatch } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const LIST = 'auditLogs.retrieveAuditLogEvents';
/** What our own call of then may explain is over. */
const LONG_MS = 10 * 60_000;
const WHO = { username: 'admin', address: '198.51.100.7' };
const setActive = (value: boolean) => toPatch({ op: 'replace', path: 'active', value });

/** A world whose operators may ask. */
function withLog(
  { settings, ...options }: AuditWorldOptions,
  run: (world: AuditWorld) => Promise<void>,
) {
  return withAudit({ ...options, settings: { ...SWEEP_SETTINGS, ...settings } }, run);
}

/** Somebody else deactivates these people. */
function deactivate(world: TestBridge, ...names: readonly string[]): void {
  for (const name of names) behindTheBack(world).setActive(`${name}@example.com`, false);
}

const toAddresses = (...names: readonly string[]) => names.map((name) => `${name}@example.com`);

/** Managed people whom the bridge has seen inactive. */
async function listInactive(bridge: TestBridge): Promise<string[]> {
  const { body } = await askOps(bridge, 'GET', '/users?managed=true&limit=100');
  const items: JsonObject[] = Object(body.items);
  const inactive = items.filter(({ active }) => Object(active).observed === false);
  return inactive.map(({ name }) => String(name)).toSorted();
}

/** The differences of this kind, once the log has told who made them. */
function expectDrifts(world: AuditWorld, kind: string) {
  const read = async () => {
    await world.poll();
    return (await askOps(world, 'GET', `/drifts?status=open&kind=${kind}`)).body.items;
  };
  return expect.poll(read, PATIENT);
}

/** What the audit log says of a person, as the past of the person tells it. */
async function listEvents(bridge: TestBridge, id: string | undefined): Promise<JsonObject[]> {
  const { body } = await askOps(bridge, 'GET', `/users/${id}/timeline`);
  const items: JsonObject[] = Object(body.items);
  return items.filter(({ source }) => source === 'audit');
}

async function readReadiness(world: TestBridge): Promise<string> {
  return (await world.request('GET', new URL('/readyz', world.baseUrl).href)).text;
}

test('what somebody else did to a person is looked at, told with who and from where, and changes nothing', async () => {
  const lines: JsonObject[] = [];
  await withLog({ onLog: (line) => lines.push(line) }, async (world) => {
    const { calls, service } = world.sandbox;
    const [ada] = [await addUser(world, 'ada'), await addUser(world, 'bob')];
    await world.poll();
    calls.reset();
    deactivate(world, 'ada');
    await world.poll();

    expect(await listInactive(world)).toEqual(toAddresses('ada'));
    expect(calls.count({ operation: 'scim.getUser' })).toBe(1);
    await expectDrifts(world, 'user.deactivated').toMatchObject([
      { resource: { id: ada }, observed: { active: false }, who: WHO },
    ]);
    expect(calls.count({ mutating: true })).toBe(0);
    expect((await send(world, 'GET', `/Users/${ada}`)).body.active).toBe(true);
    expect(service.getUser('ada@example.com').active).toBe(false);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'somebody else changed the service: it is looked at',
        ...{ resourceType: 'user', resourceId: ada, action: 'deactivate' },
      }),
    );
  });
});

test('what another author does within seconds of our own call is theirs in differences, plans and the past', () =>
  withLog(
    { settings: { DRIFT_POLICY: '{"member.added":"repair"}', LIMITS_REMOVE_MEMBER_COUNT: '1' } },
    async (world) => {
      const [id = ''] = await addUsers(world, 3);
      const group = await addGroup(world, 'Pilots');
      await world.poll(LONG_MS);
      const joining = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
      await send(world, 'PATCH', `/Groups/${group}`, joining);
      await send(world, 'PATCH', `/Users/${id}`, setActive(false));
      await send(world, 'PATCH', `/Users/${id}`, setActive(true));
      deactivate(world, 'person1');
      for (const name of ['person2', 'person3'])
        behindTheBack(world).addMember('Pilots', `${name}@example.com`);
      await world.poll();
      const { planId } = await sweep(world);

      await expectDrifts(world, 'user.deactivated').toMatchObject([{ who: WHO }]);
      const { body: plan } = await askOps(world, 'GET', `/plans/${planId}/actions`);
      expect(plan.items).toMatchObject([
        { kind: 'member.remove', who: { by: 'admin' } },
        { kind: 'member.remove', who: { by: 'admin' } },
      ]);
      for (const path of [`/users/${id}/timeline`, `/groups/${group}/timeline`])
        expect((await askOps(world, 'GET', path)).text).toContain('admin');
    },
  ));

test('no news costs one call a poll, also right after a change, and nobody is looked at for what the bridge did itself', () =>
  withLog({}, async (world) => {
    const ids = await addUsers(world, 5);
    const group = await addGroup(world, 'Pilots', ids);
    await send(world, 'PATCH', `/Users/${ids[0]}`, setActive(false));
    await send(world, 'DELETE', `/Groups/${group}`);
    await world.poll();
    world.sandbox.calls.reset();
    await world.poll();
    await world.poll(LONG_MS);
    await world.poll();

    expect(world.sandbox.calls.count({ operation: LIST })).toBe(3);
    // Once it is looked what remains of the access of whoever left.
    const looks = (['companyUsers.getListOfUsers', 'spaces.retrieveListOfSpaces'] as const).map(
      (operation) => world.sandbox.calls.count({ operation }),
    );
    for (const count of looks) expect(count).toBeLessThanOrEqual(1);
    expect(world.sandbox.calls.count() - looks.reduce((sum, count) => sum + count, 0)).toBe(3);
  }));

const two = { default: 2, max: 2 };
const shapes: readonly (readonly [why: string, shape: SandboxShapeChange])[] = [
  ['newest first, in pages of two', { pages: { auditLogs: two } }],
  [
    'oldest first, in pages of two, details as text',
    { auditOrder: 'asc', auditDetails: 'string', pages: { auditLogs: two } },
  ],
];
test.each(shapes)('a log that comes %s, is read whole and each event once', (_, shape) =>
  withLog({ shape }, async (world) => {
    const ids = await addUsers(world, 5);
    const names = ids.map((__, index) => `person${index + 1}`);
    await world.poll(LONG_MS);
    for (const name of names) {
      deactivate(world, name);
      await world.poll(2_000 + INTERVAL_MS);
    }
    const during = await listInactive(world);
    for (const name of names) behindTheBack(world).setActive(`${name}@example.com`, true);
    await world.poll();

    expect(during).toEqual(toAddresses(...names));
    expect(await listInactive(world)).toEqual([]);
    // The creation, the deactivation and the return.
    for (const id of ids) expect(await listEvents(world, id)).toHaveLength(3);
  }),
);

test.each([1, 2])('pages that shift by %i while they are read lose nothing', (shift) =>
  withLog({ shape: { pages: { auditLogs: two } } }, async (world) => {
    await addUsers(world, 6);
    await world.poll();
    deactivate(world, 'person1', 'person2', 'person3', 'person4');
    const fault = { kind: 'hang' } as const;
    const slow = world.sandbox.faults.add({ operation: LIST, fault, skip: 1, times: 1 });
    world.clock.leap(INTERVAL_MS);
    await slow.until(1);
    const late = ['person5', 'person6'].slice(0, shift);
    deactivate(world, ...late);
    world.sandbox.faults.release();
    await world.recover();

    expect(await listInactive(world)).toEqual(
      toAddresses('person1', 'person2', 'person3', 'person4', ...late),
    );
  }),
);

test('an event that comes minutes late is found', () => {
  let lateMs = 0;
  return withLog({ skewMs: () => -lateMs }, async (world) => {
    await addUsers(world, 2);
    deactivate(world, 'person1');
    await world.poll();
    lateMs = 4 * 60_000;
    deactivate(world, 'person2');
    lateMs = 0;
    await world.poll();

    expect(await listInactive(world)).toEqual(toAddresses('person1', 'person2'));
  });
});

test('an audit log that the service refuses is told and asked every five minutes, and nothing is lost meanwhile', () =>
  withLog({}, async (world) => {
    await addUser(world, 'ada');
    await world.poll();
    const { calls, faults } = world.sandbox;
    faults.refuse('audit', 403);
    calls.reset();
    world.clock.leap(INTERVAL_MS);
    await expect.poll(() => readReadiness(world), PATIENT).toContain('audit log');
    deactivate(world, 'ada');
    for (let times = 0; times < 10; times += 1) world.clock.leap(INTERVAL_MS);
    const callsWhileClosed = calls.count({ operation: LIST });
    faults.allow('audit');
    await world.poll(5 * 60_000);

    expect(callsWhileClosed).toBe(1);
    expect(await listInactive(world)).toEqual(toAddresses('ada'));
    await expect.poll(() => readReadiness(world), PATIENT).not.toContain('audit log');
  }));

test('a log that cannot be read for five minutes makes the bridge degraded until it can', () =>
  withLog({}, async (world) => {
    await addUser(world, 'ada');
    await world.poll();
    const fault = { kind: 'status', status: 500 } as const;
    const broken = world.sandbox.faults.add({ operation: LIST, fault });
    deactivate(world, 'ada');
    world.clock.leap(INTERVAL_MS);
    await broken.until(1);
    const textAtFirst = await readReadiness(world);
    const readLater = () => {
      world.clock.leap(INTERVAL_MS);
      return readReadiness(world);
    };
    await expect.poll(readLater, PATIENT).toContain('audit-behind');
    broken.remove();
    await world.recover();

    expect(textAtFirst).not.toContain('audit-behind');
    expect(await readReadiness(world)).not.toContain('audit-behind');
    expect(await listInactive(world)).toEqual(toAddresses('ada'));
  }));

test('a bridge that ends in the middle of reading the log reads on at its next start: each event once, each person looked at', async () => {
  const clock = createLeapingClock();
  const service = await startSandbox({ clock: clock.now, shape: { pages: { auditLogs: two } } });
  onTestFinished(() => service.stop());
  const admin = service.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
  const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeStoreUrl() };
  const early = await startTestBridge({ service, clock, settings });
  const ids = await addUsers(early, 5);
  await early.stop();
  const names = ids.map((_, index) => `person${index + 1}`);
  for (const name of names) service.service.as(admin.id).setActive(`${name}@example.com`, false);
  // The start itself asks once, for the changes of the token's account.
  const slow = service.faults.add({ operation: LIST, fault: { kind: 'hang' }, skip: 2 });
  const polling = { ...settings, AUDIT_POLL_INTERVAL: '1m' };
  const first = await startTestBridge({ service, clock, settings: polling });
  await slow.until(1);
  await first.stop();
  slow.remove();
  service.faults.release();

  const second = await startAuditWorld({ service, clock, settings });
  onTestFinished(() => second.stop());
  await second.poll(LONG_MS);

  expect(await listInactive(second)).toEqual(toAddresses(...names));
  for (const id of ids) {
    const events = await listEvents(second, id);
    expect(events.filter(({ text }) => String(text).includes('deactivate'))).toHaveLength(1);
  }
});
