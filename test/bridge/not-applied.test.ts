import { beforeAll, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startAudit } from '../support/audit-world.ts';
import { forSuite } from '../support/lifetimes.ts';
import { toMembers, toPatch } from '../support/provider.ts';
import { type TimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const ATTEMPTS = 3;
const NOTHING_DONE = { kind: 'status', status: 204 } as const;
const words = 'the service accepted the change and still says otherwise';
const problem = { code: 'not-applied', words };

const world = forSuite(async () => {
  const settings = {
    SWEEP_ADMINS_EVERY: '1',
    SCIM_WRITE_WAIT: '50ms',
    UPSTREAM_ATTEMPTS_BEFORE_STUCK: `${ATTEMPTS}`,
    USERS_ADOPT_ON_DELETE: 'yes',
  };
  return startAudit({ settings });
});
let timed: TimedBridge;

beforeAll(async () => {
  timed = { bridge: world, clock: world.clock };
});

const toMember = (op: 'add' | 'remove', id: string) =>
  toPatch({ op, path: 'members', value: toMembers([id]) });
const toAdmin = (op: 'add' | 'remove', id: string) =>
  toPatch({ op, path: `${GROUP_EXTENSION}:admins`, value: toMembers([id]) });

/** The service answers these with 204 and does nothing. @returns how often each was called since */
function doNothing(...operations: readonly OperationName[]) {
  const { faults, calls } = world.sandbox;
  calls.reset();
  for (const operation of operations) faults.add({ operation, fault: NOTHING_DONE });
  return () => operations.map((operation) => calls.count({ operation }));
}

/** Lets the service do again what it is asked for, and all be tried again. */
async function recover(): Promise<void> {
  world.sandbox.faults.clear();
  await untilQuiet(timed, 120 * MINUTE_MS);
  expect(await world.listStuck()).toEqual([]);
  expect(await world.readWork()).toMatchObject({ due: 0 });
}

test('a change that the service answers with 204 and does not make is drift, found by the next sweep', async () => {
  const [ada, bob] = [await world.addUser('ada'), await world.addUser('bob')];
  const [pilots, crew] = [await world.addGroup('Pilots'), await world.addGroup('Crew')];
  await world.send('PATCH', `/Groups/${crew}`, toAdmin('add', bob));
  await untilQuiet(timed, MINUTE_MS);
  await world.sweep();
  const countCalls = doNothing('groupUsers.addUserToGroup', 'groupAdmins.removeAdminFromGroup');
  await world.send('PATCH', `/Groups/${pilots}`, toMember('add', ada));
  await world.send('PATCH', `/Groups/${crew}`, toAdmin('remove', bob));
  await untilQuiet(timed, MINUTE_MS);
  await world.sweep();
  const found = await world.listDrifts();
  const calls = countCalls();
  await recover();

  expect(found).toEqual([
    'admin.added Crew of bob@example.com',
    'member.removed Pilots of ada@example.com',
  ]);
  expect(calls).toEqual([1, 1]);
});

test('a removal that the service answers with 204 and does not make ends as stuck: of a virtual user at once, of a group once a list shows it', async () => {
  const { service } = world.sandbox;
  service.addUser({ email: 'vera@example.com', fullName: 'Vera', virtual: true });
  await world.sweep();
  const vera = await world.findId({ type: 'Users', name: 'vera' });
  const group = await world.addGroup('Cooks');
  await untilQuiet(timed, MINUTE_MS);
  const countCalls = doNothing('groups.removeGroup', 'companyUsers.removeVirtualUser');
  await world.send('DELETE', `/Groups/${group}`);
  await untilQuiet(timed, MINUTE_MS);
  const believed = countCalls();
  world.clock.leap(MINUTE_MS);
  await world.sweep();
  await world.send('DELETE', `/Users/${vera}`);
  await untilQuiet(timed, 10 * MINUTE_MS);
  const stuck = await world.listStuck();
  const calls = countCalls();
  await recover();

  expect(believed).toEqual([1, 0]);
  const fields = ['active', 'existence'];
  expect(stuck.toSorted(byField)).toMatchObject(fields.map((field) => ({ field, problem })));
  expect(calls).toEqual([ATTEMPTS, ATTEMPTS]);
  expect(service.findGroup('Cooks')).toBeUndefined();
  expect(service.findUser('vera@example.com')).toBeUndefined();
  expect((await world.request('GET', `/Groups/${group}`)).status).toBe(404);
});

const byField = (one: JsonObject, other: JsonObject) =>
  String(one.field).localeCompare(String(other.field));
