import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, send, toMembers, toPatch, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const ada = 'ada@example.com';
const SUSPENDED = `${USER_EXTENSION}:temporarilyInactive`;

/** A change that is asked for and taken back before the service has answered. */
interface Wavering {
  readonly what: string;
  readonly operation: OperationName;
  /** Takes it back. */
  readonly back: OperationName;
  /** Calls of the look that follows a call of unknown outcome. */
  readonly looks: number;
  change(bridge: TestBridge, ids: Ids, isOn: boolean): Promise<unknown>;
  read(service: SandboxService): unknown;
  /** Body of a call of the operation that changes nothing. */
  readonly nothing?: JsonObject;
}

interface Ids {
  readonly user: string;
  readonly group: string;
}

const replace = (path: string, value: string | boolean) => toPatch({ op: 'replace', path, value });

function changeList(bridge: TestBridge, path: string, { group, user }: Ids, isOn: boolean) {
  const change = { op: isOn ? 'add' : 'remove', path, value: toMembers([user]) };
  return send(bridge, 'PATCH', `/Groups/${group}`, toPatch(change));
}

const rows: readonly Wavering[] = [
  {
    what: 'a deactivation',
    operation: 'scim.updateUser',
    back: 'scim.updateUser',
    looks: 1,
    change: (bridge, { user }, isOn) =>
      send(bridge, 'PATCH', `/Users/${user}`, replace('active', !isOn)),
    read: (service) => service.getUser(ada).active,
    nothing: replace('active', true),
  },
  {
    what: 'a new name',
    operation: 'scim.updateUser',
    back: 'scim.updateUser',
    looks: 1,
    change: (bridge, { user }, isOn) =>
      send(bridge, 'PATCH', `/Users/${user}`, replace('name.familyName', isOn ? 'Byron' : 'Ada')),
    read: (service) => service.getUser(ada).fullName,
    nothing: replace('active', true),
  },
  {
    what: 'a membership',
    operation: 'groupUsers.addUserToGroup',
    back: 'groupUsers.removeUserFromGroup',
    looks: 1,
    change: (bridge, ids, isOn) => changeList(bridge, 'members', ids, isOn),
    read: (service) => service.members('Pilots'),
  },
  {
    what: 'a suspension',
    operation: 'companyUsers.updateUser',
    back: 'companyUsers.updateUser',
    looks: 1,
    change: (bridge, { user }, isOn) =>
      send(bridge, 'PATCH', `/Users/${user}`, replace(SUSPENDED, isOn)),
    read: (service) => service.getUser(ada).temporarilyInactive,
    nothing: { temporarily_inactive: false },
  },
  {
    what: 'an admin',
    operation: 'groupAdmins.addAdminToGroup',
    back: 'groupAdmins.removeAdminFromGroup',
    looks: 1,
    change: (bridge, ids, isOn) => changeList(bridge, `${GROUP_EXTENSION}:admins`, ids, isOn),
    read: (service) => service.admins('Pilots'),
  },
  {
    what: 'a new name of a group',
    operation: 'groups.updateGroup',
    back: 'groups.updateGroup',
    looks: 1,
    change: (bridge, { group }, isOn) =>
      send(bridge, 'PATCH', `/Groups/${group}`, replace('displayName', isOn ? 'Cooks' : 'Pilots')),
    read: (service) => service.groups().map(({ name }) => name),
  },
];

const IMPATIENT = { SCIM_WRITE_WAIT: '20ms', UPSTREAM_TIMEOUT: '1s' };
/** Time after which the bridge takes it that a call has no effect any more: three times its limit. */
const LATEST_MS = 3_000;

/** A service that is still at a call whose change was taken back meanwhile. */
interface TakenBack {
  readonly bridge: TestBridge;
  readonly before: unknown;
  /** Has the service carry the call out. @throws TooLate when the bridge does not reckon with it any more. */
  release(): void;
}

class TooLate extends Error {}

/** Plays a change that is taken back, again where the machine was so slow that the service would be too late. */
async function withTakenBack(
  makeUrl: () => Promise<string>,
  row: Wavering,
  run: (taken: TakenBack) => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await playTakenBack(await makeUrl(), row, run);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
    }
  }
}

async function playTakenBack(
  DATABASE_URL: string,
  { operation, change, read }: Wavering,
  run: (taken: TakenBack) => Promise<void>,
): Promise<void> {
  await withTestBridge({ settings: { ...IMPATIENT, DATABASE_URL } }, async (bridge) => {
    const { service, faults, calls } = bridge.sandbox;
    const user = await addUser(bridge, 'ada');
    const ids = { user, group: await addGroup(bridge, 'Pilots') };
    await change(bridge, ids, false);
    await untilSettled(bridge);
    const before = read(service);
    const late = faults.add({ operation, fault: LATE, times: 1 });
    const leftAfter = performance.now();
    await change(bridge, ids, true);
    await late.until(1);
    calls.reset();
    await change(bridge, ids, false);
    const release = () => {
      if (performance.now() - leftAfter > LATEST_MS) throw new TooLate();
      faults.release();
    };
    await run({ bridge, before, release });
  });
}

const LATE = { kind: 'hang', effect: 'late' } as const;

/** Those that `npm test` plays; the others wait as long. */
const _PLAYED = ['a suspension', 'a membership'];

describe('a call that the service carries out after nobody waits for it', () => {
  for (const row of rows) {
    const { what, back, looks, read } = row;
    test(`${what} that was taken back meanwhile does not come true`, async () => {
      await withTakenBack(
        () => makeStoreUrl(),
        row,
        async ({ bridge, before, release }) => {
          await bridge.sandbox.calls.until(looks, { mutating: false });
          release();
          await untilSettled(bridge);

          expect(read(bridge.sandbox.service)).toEqual(before);
        },
      );
    });

    test(`${what} that was taken back does not come true after the call that took it back`, async () => {
      await withTakenBack(
        () => makeStoreUrl(),
        row,
        async ({ bridge, before, release }) => {
          const { calls, service } = bridge.sandbox;
          // Without the call that nobody waits for any more.
          const countAnswered = () =>
            calls.count({ operation: back }) - calls.count({ operation: back, status: 0 });
          await expect.poll(countAnswered, { interval: 5 }).toBeGreaterThan(0);
          release();

          // Seen in the turn in which it comes, because the bridge takes it back within some milliseconds.
          while (isDeepStrictEqual(read(service), before)) await nextTurn();
          await expect.poll(() => read(service)).toEqual(before);
        },
      );
    });
  }

  for (const { what, operation, change, nothing } of rows) {
    if (nothing === undefined) continue;
    test(`${what} whose answer shows what was before is taken back by a call of its own`, async () => {
      const settings = { ...IMPATIENT };
      await withTestBridge({ settings }, async (bridge) => {
        const ids = { user: await addUser(bridge, 'ada'), group: await addGroup(bridge, 'Pilots') };
        await change(bridge, ids, false);
        await untilSettled(bridge);
        const { faults, calls } = bridge.sandbox;
        const fault: Fault = { kind: 'altered', body: nothing };
        calls.reset();
        const asBefore = faults.add({ operation, fault, times: 1 });
        await change(bridge, ids, true);
        await asBefore.until(1);

        await change(bridge, ids, false);
        await untilSettled(bridge);

        // The one that was answered so, and the one that takes it back.
        expect(calls.count({ operation })).toBe(2);
      });
    });
  }

  test('the deactivation of a deleted user who was created again meanwhile does not come true', async () => {
    const settings = { ...IMPATIENT };
    await withTestBridge({ settings }, async (bridge) => {
      const { service, faults, calls } = bridge.sandbox;
      const first = await addUser(bridge, 'ada');
      await untilSettled(bridge);
      const late = faults.add({ operation: 'scim.updateUser', fault: LATE, times: 1 });

      await send(bridge, 'DELETE', `/Users/${first}`);
      await late.until(1);
      calls.reset();
      await addUser(bridge, 'ada');
      // The look of the new user, and one for the call of the deleted user.
      await calls.until(2, { operation: 'scim.getUser' });
      faults.release();
      await untilSettled(bridge);

      expect(service.getUser(ada).active).toBe(true);
      expect(service.users()).toHaveLength(2);
    });
  });
});
