import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { admit, expel, replace, toUser } from '../support/provider.ts';

const ada = 'ada@example.com';

describe('created again while a call for the deleted one is on its way', () => {
  // What a call that was on its way may still do is over once it would have timed out.
  const bridge = bridgeForSuite({
    settings: { SCIM_WRITE_WAIT: '200ms', UPSTREAM_TIMEOUT: '1s' },
  });

  test('whoever is created inactive gets the account of a lost create, which is deactivated', async () => {
    const own = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '0' } });
    const { service, faults, calls } = own.sandbox;
    const create = { operation: 'scim.addUser' } as const;
    faults.add({ ...create, fault: { kind: 'reset', at: 'after-effect' }, times: 1 });
    // No look finds the account yet.
    faults.add({ operation: '*', fault: failing(503) });
    const first = await own.addUser('ada');
    await calls.until(3, { operation: 'scim.getUsers', status: 503 });
    await own.send('DELETE', `/Users/${first}`);

    const second = await own.addUser('ada', { active: false });
    faults.clear();
    await own.untilSettled();

    const { id, active } = service.getUser(ada);
    expect(active).toBe(false);
    expect(await own.ops('GET', `/users/${second}`)).toMatchObject({ body: { upstreamId: id } });
    expect(calls.count(create)).toBe(1);
  });

  test('a deactivation that arrives late does not leave the new person inactive', async () => {
    const { service, faults } = bridge.sandbox;
    const first = await bridge.settled(bridge.addUser('iris'));
    const people = service.users().length;
    const late = faults.add({ operation: 'scim.updateUser', fault: HANGING, times: 1 });
    await bridge.send('DELETE', `/Users/${first}`);
    await late.until(1);

    await bridge.addUser('iris');
    faults.release();
    await bridge.untilSettled();

    expect(service.getUser('iris@example.com').active).toBe(true);
    expect(service.users()).toHaveLength(people);
  });
});

test('a group taken up again before the departures from before were sent departures stand, and who is wanted again stays', async () => {
  const bridge = await bridgeForTest({
    settings: { SCIM_WRITE_WAIT: '50ms' },
    prepare: ({ service }) => void service.createGroup({ name: 'Pilots' }),
  });
  const { service, faults } = bridge.sandbox;
  const [adaId, bobId] = await bridge.addPeople('ada', 'bob');
  const first = await bridge.addGroup('Pilots', [adaId, bobId]);
  for (const displayName of ['Crew', 'Pilots'])
    await bridge.settled(bridge.patch(`/Groups/${first}`, replace('displayName', displayName)));
  const down = faults.add({ operation: '*', fault: failing(503) });
  await bridge.send('DELETE', `/Groups/${first}`);

  const second = await bridge.addGroup('Pilots', [adaId]);
  down.remove();
  await bridge.untilSettled();

  expect(service.members('Pilots')).toEqual([ada]);
  expect(await bridge.readMemberIds(second)).toEqual([adaId]);
  expect((await bridge.readWork())?.stuck).toBe(0);
});

/** A change that is asked for and taken back before the service has answered. */
interface Wavering {
  readonly what: string;
  readonly operation: OperationName;
  readonly back: OperationName;
  change(bridge: TestBridge, ids: Ids, isOn: boolean): Promise<unknown>;
  read(service: SandboxService): unknown;
}

interface Ids {
  readonly user: string;
  readonly group: string;
}

const rows: readonly Wavering[] = [
  {
    what: 'a deactivation',
    operation: 'scim.updateUser',
    back: 'scim.updateUser',
    change: (bridge, { user }, isOn) => bridge.patch(`/Users/${user}`, replace('active', !isOn)),
    read: (service) => service.getUser(ada).active,
  },
  {
    what: 'a membership',
    operation: 'groupUsers.addUserToGroup',
    back: 'groupUsers.removeUserFromGroup',
    change: (bridge, { group, user }, isOn) =>
      bridge.patch(`/Groups/${group}`, isOn ? admit(user) : expel(user)),
    read: (service) => service.members('Pilots'),
  },
];

const IMPATIENT = { SCIM_WRITE_WAIT: '20ms', UPSTREAM_TIMEOUT: '1s' };
/** Time after which the bridge takes it that a call has no effect any more: three times its limit. */
const LATEST_MS = 3_000;

interface TakenBack {
  readonly bridge: TestBridge;
  readonly before: unknown;
  release(): void;
}

/** `isMadeAgain`: the lost call was made again, and answered, before the change is taken back. */
type Row = Wavering & { readonly isMadeAgain: boolean };

class TooLate extends Error {}

/** Plays a change that is taken back, again where the machine was so slow that the service would be too late. */
async function withTakenBack(row: Row, run: (taken: TakenBack) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await playTakenBack(row, run);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
    }
  }
}

async function playTakenBack(
  { operation, change, read, isMadeAgain }: Row,
  run: (taken: TakenBack) => Promise<void>,
): Promise<void> {
  const bridge = await startTestBridge({ settings: IMPATIENT });
  try {
    const { service, faults, calls } = bridge.sandbox;
    const ids = { user: await bridge.addUser('ada'), group: await bridge.addGroup('Pilots') };
    await change(bridge, ids, false);
    await bridge.untilSettled();
    const before = read(service);
    const late = faults.add({ operation, fault: LATE, times: 1 });
    const leftAfter = performance.now();
    await change(bridge, ids, true);
    await late.until(1);
    while (isMadeAgain && isDeepStrictEqual(read(service), before)) await nextTurn();
    calls.reset();
    await change(bridge, ids, false);
    const release = () => {
      if (performance.now() - leftAfter > LATEST_MS) throw new TooLate();
      faults.release();
    };
    await run({ bridge, before, release });
  } finally {
    await bridge.stop();
  }
}

const LATE = { kind: 'hang', effect: 'late' } as const;

describe('a call that the service carries out after nobody waits for it', () => {
  const cases = rows.flatMap((row) =>
    [false, true].map((isMadeAgain) => ({ ...row, isMadeAgain })),
  );
  for (const row of cases) {
    const { what, back, read, isMadeAgain } = row;
    const when = isMadeAgain ? ', and was made again before,' : '';

    test.concurrent(`${what} that was taken back${when} does not come true after the call that took it back`, async ({
      expect,
    }) => {
      await withTakenBack(row, async ({ bridge, before, release }) => {
        const { calls, service } = bridge.sandbox;
        // Without the call that nobody waits for any more.
        const countAnswered = () =>
          calls.count({ operation: back }) - calls.count({ operation: back, status: 0 });
        await expect.poll(countAnswered).toBeGreaterThan(0);
        release();

        // Seen in the turn in which it comes, because the bridge takes it back within some milliseconds.
        while (isDeepStrictEqual(read(service), before)) await nextTurn();
        await expect.poll(() => read(service)).toEqual(before);
      });
    });
  }
});

const suspended = { [USER_EXTENSION]: { temporarilyInactive: true } };

function isSuspended({ sandbox }: TestBridge, name = 'ada'): boolean | undefined {
  return sandbox.service.getUser(`${name}@example.com`).temporarilyInactive;
}

const SUSPENSION = `${USER_EXTENSION}:temporarilyInactive`;

test.each(['scim', 'temporarilyInactive'])(
  'where %s deactivates, a PUT without the extension and a null end a suspension in the service too',
  async (deactivation) => {
    const bridge = await bridgeForTest({ settings: { USERS_DEACTIVATION: deactivation } });
    const put = await bridge.addUser('ada', suspended);
    const patched = await bridge.settled(bridge.addUser('bob', suspended));
    const before = ['ada', 'bob'].map((name) => isSuspended(bridge, name));

    await bridge.send('PUT', `/Users/${put}`, toUser('ada'));
    await bridge.patch(`/Users/${patched}`, replace(SUSPENSION, null));
    await bridge.sweep();

    expect(before).toEqual([true, true]);
    expect(['ada', 'bob'].map((name) => isSuspended(bridge, name))).toEqual([false, false]);
    expect(await bridge.listDrifts()).toEqual([]);
  },
);

test('where suspending deactivates, who is let in again stays in once that is accepted', async () => {
  const DRIFT_POLICY = '{"user.activated":"accept"}';
  const settings = { USERS_DEACTIVATION: 'temporarilyInactive', DRIFT_POLICY };
  const bridge = await bridgeForTest({ settings });
  await bridge.settled(bridge.addUser('ada', suspended));
  bridge.sandbox.service.updateUser(ada, { temporarilyInactive: false });
  for (const _ of ['accepted', 'compared']) await bridge.sweep();

  expect(await bridge.listDrifts()).toEqual([]);
  expect(isSuspended(bridge)).toBe(false);
});

test('a PUT that says nothing of it leaves alone a suspension that no provider asked for', async () => {
  const bridge = await bridgeForTest({
    prepare: ({ service }) => {
      service.addUser({ email: ada });
      service.updateUser(ada, { temporarilyInactive: true });
    },
  });
  const { body } = await bridge.send('POST', '/Users', toUser('ada'));

  await bridge.settled(
    bridge.send('PUT', `/Users/${String(body.id)}`, toUser('ada', { title: 'Pilot' })),
  );

  expect(isSuspended(bridge)).toBe(true);
});

test('a write of one attribute of an extension leaves drift of its sibling, with a path and without one', async () => {
  const bridge = await bridgeForTest();
  const { service } = bridge.sandbox;
  const licence = { [USER_EXTENSION]: { appsPermissions: 1 } };
  const ids = [await bridge.addUser('ada', licence), await bridge.addUser('bob', licence)];
  await bridge.untilSettled();
  const people = [ada, 'bob@example.com'];
  for (const email of people) service.updateUser(email, { appsPermissions: 2 });
  await bridge.sweep();

  await bridge.patch(`/Users/${ids[0]}`, replace(SUSPENSION, true));
  await bridge.settled(bridge.patch(`/Users/${ids[1]}`, { op: 'replace', value: suspended }));

  const shown = { temporarilyInactive: true, appsPermissions: 2 };
  for (const email of people) expect(service.getUser(email)).toMatchObject(shown);
});
