import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { POLL_STATE } from '../../src/reconcile/audit/poll-state.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { openStore } from '../../src/store/engine/database.ts';
import { findGroup } from '../../src/store/groups/groups.ts';
import { findUserRow, toObservedUser } from '../../src/store/users/users.ts';
import {
  behindTheBack,
  INTERVAL_MS,
  PATIENT,
  startAuditWorld,
  withAudit,
} from '../support/audit-world.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addGroup, addUser, addUsers, send, toPatch, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const LIST = 'auditLogs.retrieveAuditLogEvents';
/** What our own call of then may explain is over. */
const LONG_MS = 10 * 60_000;
const setActive = (value: boolean) => toPatch({ op: 'replace', path: 'active', value });

async function listEvents({ store }: TestBridge) {
  return store.read.selectFrom('audit_events').selectAll().orderBy('created_at').execute();
}

async function countByOrigin(world: TestBridge) {
  const counts: Record<string, number> = {};
  for (const { origin } of await listEvents(world)) counts[origin] = (counts[origin] ?? 0) + 1;
  return counts;
}

async function isSeenActive({ store }: TestBridge, id: string) {
  const row = await findUserRow(store.read, id);
  return row && toObservedUser(row)?.active;
}

test('what somebody else did to a person is looked at, told with who and from where, and changes nothing', async () => {
  const lines: JsonObject[] = [];
  await withAudit({ onLog: (line) => lines.push(line) }, async (world) => {
    const [ada, bob] = [await addUser(world, 'ada'), await addUser(world, 'bob')];
    await world.poll();
    world.sandbox.calls.reset();
    behindTheBack(world).setActive('ada@example.com', false);
    await world.poll();

    expect(await isSeenActive(world, ada)).toBe(false);
    expect(await isSeenActive(world, bob)).toBe(true);
    expect(world.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(1);
    expect((await send(world, 'GET', `/Users/${ada}`)).body.active).toBe(true);
    expect(world.sandbox.service.getUser('ada@example.com').active).toBe(false);
    expect((await listEvents(world)).at(-1)).toMatchObject({
      origin: 'foreign',
      action: 'deactivate',
      message: 'User deactivated',
      author_username: 'admin',
      author_address: '198.51.100.7',
    });
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'somebody else changed the service: it is looked at',
        resourceType: 'user',
        resourceId: ada,
        action: 'deactivate',
      }),
    );
  });
});

test('no news costs one call a poll, also right after a change, and nobody is looked at for what the bridge did itself', () =>
  withAudit({}, async (world) => {
    const ids = await addUsers(world, 5);
    const group = await addGroup(world, 'Pilots', ids);
    await send(world, 'PATCH', `/Users/${ids[0]}`, setActive(false));
    await send(world, 'DELETE', `/Groups/${group}`);
    await world.poll();
    world.sandbox.calls.reset();
    await world.poll();
    await world.poll(10 * 60_000);
    await world.poll();

    expect(await countByOrigin(world)).not.toHaveProperty('foreign');
    expect((await countByOrigin(world)).ours).toBeGreaterThanOrEqual(12);
    expect(world.sandbox.calls.count({ operation: LIST })).toBe(3);
    // Once it is looked what remains of the access of whoever left.
    const looks = (['companyUsers.getListOfUsers', 'spaces.retrieveListOfSpaces'] as const).map(
      (operation) => world.sandbox.calls.count({ operation }),
    );
    for (const count of looks) expect(count).toBeLessThanOrEqual(1);
    expect(world.sandbox.calls.count() - looks.reduce((sum, count) => sum + count, 0)).toBe(3);
  }));

test('one call of ours explains one event: the same done again by somebody else is theirs', () =>
  withAudit({}, async (world) => {
    const ada = await addUser(world, 'ada');
    await world.poll(LONG_MS);
    await send(world, 'PATCH', `/Users/${ada}`, setActive(false));
    await world.poll();
    const before = await countByOrigin(world);
    world.sandbox.calls.reset();
    // The account of the token itself: an author proves nothing.
    world.sandbox.service.setActive('ada@example.com', true);
    world.sandbox.service.setActive('ada@example.com', false);
    await world.poll();

    expect(before).not.toHaveProperty('foreign');
    const theirs = (await listEvents(world)).filter(({ origin }) => origin === 'foreign');
    expect(theirs.map(({ action }) => action).sort()).toEqual(['activate', 'deactivate']);
    expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(1);
  }));

test('who came into a managed group is seen by looking at the group alone', () =>
  withAudit({}, async (world) => {
    const [ada, bob] = [await addUser(world, 'ada'), await addUser(world, 'bob')];
    const group = await addGroup(world, 'Pilots', [ada]);
    await world.poll(LONG_MS);
    world.sandbox.calls.reset();
    behindTheBack(world).addMember('Pilots', 'bob@example.com');
    await world.poll();

    const rows = await world.store.read
      .selectFrom('memberships')
      .select(['user_id', 'desired', 'observed'])
      .where('group_id', '=', (await findGroup(world.store.read, group))?.id ?? null)
      .execute();
    expect(rows).toContainEqual({ user_id: bob, desired: 0, observed: 1 });
    expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(0);
    expect(world.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(world.sandbox.service.members('Pilots')).toContain('bob@example.com');
  }));

const two = { default: 2, max: 2 };
const shapes: { why: string; shape: SandboxShapeChange }[] = [
  { why: 'newest first, in pages of two', shape: { pages: { auditLogs: two } } },
  { why: 'oldest first, in pages of two', shape: { auditOrder: 'asc', pages: { auditLogs: two } } },
  { why: 'newest first, details as text', shape: { auditDetails: 'string' } },
  { why: 'oldest first, details as text', shape: { auditOrder: 'asc', auditDetails: 'string' } },
];
for (const { why, shape } of shapes) {
  test(`a log that comes ${why}, is read whole and each event once`, () =>
    withAudit({ shape }, async (world) => {
      const ids = await addUsers(world, 5);
      await world.poll(LONG_MS);
      const other = behindTheBack(world);
      for (let index = 1; index <= 5; index += 1) {
        other.setActive(`person${index}@example.com`, false);
        await world.poll(2_000 + INTERVAL_MS);
      }
      for (let index = 1; index <= 5; index += 1)
        other.setActive(`person${index}@example.com`, true);
      await world.poll();

      const seen = await Promise.all(ids.map((id) => isSeenActive(world, id)));
      expect(seen).toEqual([true, true, true, true, true]);
      expect(await countByOrigin(world)).toMatchObject({ foreign: 10 });
      expect(await listEvents(world)).toHaveLength(world.sandbox.service.auditEvents().length);
    }));
}

test('an event without details names nobody: it is kept, and nobody is looked at', () =>
  withAudit({ shape: { auditDetails: 'null' } }, async (world) => {
    await addUser(world, 'ada');
    behindTheBack(world).setActive('ada@example.com', false);
    world.sandbox.calls.reset();
    await world.poll();

    expect((await listEvents(world)).at(-1)).toMatchObject({ origin: 'unresolved', details: null });
    expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(0);
  }));

test.each([1, 2])('pages that shift by %i while they are read lose nothing', (shift) =>
  withAudit({ shape: { pages: { auditLogs: two } } }, async (world) => {
    const ids = await addUsers(world, 6);
    await world.poll();
    const other = behindTheBack(world);
    const deactivate = (person: number) => other.setActive(`person${person}@example.com`, false);
    for (const person of [1, 2, 3, 4]) deactivate(person);
    const fault = { kind: 'hang' } as const;
    const slow = world.sandbox.faults.add({ operation: LIST, fault, skip: 1, times: 1 });
    world.clock.leap(INTERVAL_MS);
    await slow.until(1);
    for (let person = 5; person < 5 + shift; person += 1) deactivate(person);
    world.sandbox.faults.release();
    await world.recover();

    const seen = await Promise.all(ids.map((id) => isSeenActive(world, id)));
    expect(seen).toEqual([false, false, false, false, false, shift < 2]);
    expect(await countByOrigin(world)).toMatchObject({ foreign: 4 + shift });
  }),
);

test('an event that comes minutes late is found', () => {
  let lateMs = 0;
  return withAudit({ skewMs: () => -lateMs }, async (world) => {
    const [ada, bob] = [await addUser(world, 'ada'), await addUser(world, 'bob')];
    behindTheBack(world).setActive('ada@example.com', false);
    await world.poll();
    lateMs = 4 * 60_000;
    behindTheBack(world).setActive('bob@example.com', false);
    lateMs = 0;
    await world.poll();

    expect(await isSeenActive(world, ada)).toBe(false);
    expect(await isSeenActive(world, bob)).toBe(false);
  });
});

for (const minutes of [-30, -3, 3, 30]) {
  test(`a service whose clock is ${minutes} minutes off is followed, and our own changes stay ours`, () =>
    withAudit({ skewMs: () => minutes * 60_000 }, async (world) => {
      const [ada, bob] = [await addUser(world, 'ada'), await addUser(world, 'bob')];
      await world.poll();
      await send(world, 'PATCH', `/Users/${bob}`, setActive(false));
      await world.poll();
      const before = await countByOrigin(world);
      behindTheBack(world).setActive('ada@example.com', false);
      await world.poll();

      expect(before).not.toHaveProperty('foreign');
      expect(await isSeenActive(world, ada)).toBe(false);
      expect(await countByOrigin(world)).toMatchObject({ foreign: 1 });
    }));
}

test('an audit log that the service refuses is told and asked every five minutes, and nothing is lost meanwhile', () =>
  withAudit({}, async (world) => {
    const ada = await addUser(world, 'ada');
    await world.poll();
    const { calls, faults } = world.sandbox;
    faults.refuse('audit', 403);
    calls.reset();
    world.clock.leap(INTERVAL_MS);
    const readReadiness = async () =>
      (await world.request('GET', new URL('/readyz', world.baseUrl).href)).text;
    await expect.poll(readReadiness, PATIENT).toContain('audit log');
    behindTheBack(world).setActive('ada@example.com', false);
    for (let times = 0; times < 10; times += 1) world.clock.leap(INTERVAL_MS);
    const callsWhileClosed = calls.count({ operation: LIST });
    faults.allow('audit');
    await world.poll(5 * 60_000);

    expect(callsWhileClosed).toBe(1);
    expect(await isSeenActive(world, ada)).toBe(false);
    await expect.poll(readReadiness, PATIENT).not.toContain('audit log');
  }));

test('a log that cannot be read for five minutes makes the bridge degraded until it can', () =>
  withAudit({}, async (world) => {
    const ada = await addUser(world, 'ada');
    await world.poll();
    const fault = { kind: 'status', status: 500 } as const;
    const broken = world.sandbox.faults.add({ operation: LIST, fault });
    const read = async () =>
      (await world.request('GET', new URL('/readyz', world.baseUrl).href)).text;
    behindTheBack(world).setActive('ada@example.com', false);
    world.clock.leap(INTERVAL_MS);
    const failure = async () => (await POLL_STATE.find(world.store.read))?.failure;
    await expect.poll(failure, PATIENT).toMatchObject({ code: 'unavailable' });
    const textAtFirst = await read();
    world.clock.leap(5 * 60_000);
    const textLater = await read();
    broken.remove();
    await world.recover();

    expect(textAtFirst).not.toContain('audit-behind');
    expect(textLater).toContain('audit-behind');
    expect(await read()).not.toContain('audit-behind');
    expect(await isSeenActive(world, ada)).toBe(false);
  }));

test('with an interval of 0 the log is not read, and before the first read is over it is not either', async () => {
  const clock = createLeapingClock();
  const sandbox = await startSandbox({ clock: clock.now });
  onTestFinished(() => sandbox.stop());
  const slow = sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' } });
  const options = { service: sandbox, clock, awaitsFirstRead: false } as const;
  const settings = { AUDIT_POLL_INTERVAL: '1s' };
  const early = await startTestBridge({ ...options, settings });
  await slow.until(1);
  for (let times = 0; times < 5; times += 1) clock.leap(1_000);
  const callsBefore = sandbox.calls.count({ operation: LIST });
  slow.remove();
  sandbox.faults.release();
  await expect.poll(() => sandbox.calls.count({ operation: LIST }), PATIENT).toBeGreaterThan(0);
  await early.stop();
  sandbox.calls.reset();
  const never = await startTestBridge({ service: sandbox, clock });
  clock.leap(60_000);
  await addUser(never, 'ada');
  await never.stop();

  expect(callsBefore).toBe(0);
  expect(sandbox.calls.count({ operation: LIST })).toBe(0);
});

describe('a bridge that ends in the middle of reading the log', () => {
  test('reads on at its next start: each event once, each person looked at', async () => {
    const url = await makeStoreUrl();
    const clock = createLeapingClock();
    const service = await startSandbox({
      clock: clock.now,
      shape: { pages: { auditLogs: two } },
    });
    onTestFinished(() => service.stop());
    const admin = service.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    const options = { service, clock, settings: { DATABASE_URL: url } };
    const early = await startTestBridge(options);
    const ids = await addUsers(early, 5);
    await early.stop();
    for (let index = 1; index <= 5; index += 1)
      service.service.as(admin.id).setActive(`person${index}@example.com`, false);
    // The start itself asks once, for the changes of the token's account.
    const slow = service.faults.add({ operation: LIST, fault: { kind: 'hang' }, skip: 2 });
    const settings = { ...options.settings, AUDIT_POLL_INTERVAL: '1m' };
    const first = await startTestBridge({ ...options, settings });
    await slow.until(1);
    const storedBefore = await countByOrigin(first);
    await first.stop();
    slow.remove();
    service.faults.release();
    const store = await openStore({ url });
    const cut = await POLL_STATE.find(store.read);
    // A process that was killed has not let go; another one waits for the end of its lease where it may live.
    const until = inject('engine') === 'sqlite' ? clock.now() + LONG_MS : 0;
    const left = cut && { ...cut, holder: { owner: 'killed', until } };
    if (left !== undefined) await store.write((tx) => POLL_STATE.save(tx, left, clock.now()));
    await store.close();

    const second = await startAuditWorld(options);
    // A database of its own clock has not leapt with the first bridge.
    clock.leap(LONG_MS);
    await untilSettled(second);
    const seen = await Promise.all(ids.map((id) => isSeenActive(second, id)));
    const counts = await countByOrigin(second);
    await second.stop();

    expect(left?.isOpen).toBe(true);
    expect(storedBefore).toEqual({ foreign: 2 });
    expect(counts).toMatchObject({ foreign: 5 });
    expect(seen).toEqual([false, false, false, false, false]);
  });
});
