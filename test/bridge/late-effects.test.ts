import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { toMembers, toPatch, replace } from '../support/provider.ts';

const ada = 'ada@example.com';

/** A change that is asked for and taken back before the service has answered. */
interface Wavering {
  readonly what: string;
  readonly operation: OperationName;
  /** Takes it back. */
  readonly back: OperationName;
  change(bridge: TestBridge, ids: Ids, isOn: boolean): Promise<unknown>;
  read(service: SandboxService): unknown;
}

interface Ids {
  readonly user: string;
  readonly group: string;
}

const setTo = (path: string, value: string | boolean) => toPatch(replace(path, value));

function changeList(bridge: TestBridge, path: string, { group, user }: Ids, isOn: boolean) {
  const change = { op: isOn ? 'add' : 'remove', path, value: toMembers([user]) };
  return bridge.patch(`/Groups/${group}`, change);
}

const rows: readonly Wavering[] = [
  {
    what: 'a deactivation',
    operation: 'scim.updateUser',
    back: 'scim.updateUser',
    change: (bridge, { user }, isOn) =>
      bridge.send('PATCH', `/Users/${user}`, setTo('active', !isOn)),
    read: (service) => service.getUser(ada).active,
  },
  {
    what: 'a membership',
    operation: 'groupUsers.addUserToGroup',
    back: 'groupUsers.removeUserFromGroup',
    change: (bridge, ids, isOn) => changeList(bridge, 'members', ids, isOn),
    read: (service) => service.members('Pilots'),
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
  row: Wavering,
  run: (taken: TakenBack) => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await playTakenBack(row, run);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
    }
  }
}

async function playTakenBack(
  { operation, change, read }: Wavering,
  run: (taken: TakenBack) => Promise<void>,
): Promise<void> {
  const bridge = await startTestBridge({ settings: IMPATIENT });
  try {
    const { service, faults, calls } = bridge.sandbox;
    const user = await bridge.addUser('ada');
    const ids = { user, group: await bridge.addGroup('Pilots') };
    await change(bridge, ids, false);
    await bridge.untilSettled();
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
  } finally {
    await bridge.stop();
  }
}

const LATE = { kind: 'hang', effect: 'late' } as const;

describe('a call that the service carries out after nobody waits for it', () => {
  for (const row of rows) {
    const { what, back, read } = row;

    test.concurrent(`${what} that was taken back does not come true after the call that took it back`, async ({
      expect,
    }) => {
      await withTakenBack(row, async ({ bridge, before, release }) => {
        const { calls, service } = bridge.sandbox;
        // Without the call that nobody waits for any more.
        const countAnswered = () =>
          calls.count({ operation: back }) - calls.count({ operation: back, status: 0 });
        await expect.poll(countAnswered, { interval: 5 }).toBeGreaterThan(0);
        release();

        // Seen in the turn in which it comes, because the bridge takes it back within some milliseconds.
        while (isDeepStrictEqual(read(service), before)) await nextTurn();
        await expect.poll(() => read(service)).toEqual(before);
      });
    });
  }
});
