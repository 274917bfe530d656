import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { TestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  listStuck,
  send,
  toMembers,
  toPatch,
} from '../support/provider.ts';
import { type TimedBridge, untilQuiet, withTimedBridge } from '../support/timed-bridge.ts';

const ada = 'ada@example.com';
const words = 'the sandbox was told to fail';
const SECONDS_MS = 30_000;
/** No request of a test waits so long but one whose time is moved on. */
const WRITE_WAIT_MS = 10_000;
const HOURS_MS = 2 * 60 * 60_000;

const toName = (familyName: string) =>
  toPatch({ op: 'replace', path: 'name.familyName', value: familyName });
const toActive = (active: boolean) => toPatch({ op: 'replace', path: 'active', value: active });
const toDisplayName = (value: string) => toPatch({ op: 'replace', path: 'displayName', value });
const toMember = (id: string) => toPatch({ op: 'add', path: 'members', value: toMembers([id]) });

/** The service refuses this operation, and says so only after the provider has had its answer. */
function refuseLate({ sandbox }: TestBridge, operation: OperationName) {
  const slow = sandbox.faults.add({ operation, fault: { kind: 'delay', delayMs: 120 } });
  const fault = { kind: 'status', status: 400, body: 'message' } as const;
  const refused = sandbox.faults.add({ operation, fault });
  return {
    begun: () => slow.until(1),
    /** It is refused at once. */
    hurry: () => slow.remove(),
    end() {
      slow.remove();
      refused.remove();
    },
  };
}

/** Sends a write that is acknowledged, and waits until the service has refused it. */
async function makeStuck(
  timed: TimedBridge,
  operation: OperationName,
  { path, body }: { path: string; body: JsonObject },
) {
  const refusal = refuseLate(timed.bridge, operation);
  const sending = send(timed.bridge, 'PATCH', path, body);
  await refusal.begun();
  timed.clock.leap(WRITE_WAIT_MS);
  await sending;
  await untilQuiet(timed, SECONDS_MS);
  return refusal;
}

async function listStuckFields({ bridge }: TimedBridge) {
  const stuck = await listStuck(bridge);
  return stuck.map(({ field, problem }) => `${field}: ${Object(problem).words}`);
}

function withBridge(run: (timed: TimedBridge) => Promise<void>): Promise<void> {
  const settings = {
    SCIM_WRITE_WAIT: `${WRITE_WAIT_MS}ms`,
  };
  return withTimedBridge({ settings }, run);
}

describe('what is refused after it was acknowledged', () => {
  test('rests by itself: other fields and people of the group go on at once', async () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const ids = await addUsers(bridge, 2);
      const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
      await makeStuck(timed, 'groups.updateGroup', { path, body: toDisplayName('Aces') });

      await send(bridge, 'PATCH', path, toMember(String(ids[0])));
      await send(bridge, 'PATCH', path, toMember(String(ids[1])));
      await untilQuiet(timed, SECONDS_MS);

      expect(bridge.sandbox.service.members('Pilots')).toHaveLength(2);
      expect(await listStuckFields(timed)).toEqual([`displayName: ${words}`]);
    }));

  test('one person of a group rests by himself, named with the words of the service', async () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const [first = '', second = ''] = await addUsers(bridge, 2);
      const id = await addGroup(bridge, 'Pilots');
      const path = `/Groups/${id}`;
      const refusal = await makeStuck(timed, 'groupUsers.addUserToGroup', {
        path,
        body: toMember(first),
      });
      refusal.end();

      await send(bridge, 'PATCH', path, toMember(second));
      await send(bridge, 'PATCH', path, toDisplayName('Aces'));
      await untilQuiet(timed, SECONDS_MS);

      expect(bridge.sandbox.service.members('Aces')).toEqual(['person2@example.com']);
      expect(await listStuck(bridge)).toMatchObject([
        { type: 'group', id, name: 'Aces', field: 'members', person: first, problem: { words } },
      ]);

      await untilQuiet(timed, HOURS_MS);
      expect(bridge.sandbox.service.members('Aces')).toHaveLength(2);
      expect(await listStuck(bridge)).toEqual([]);
    }));

  test('is tried again after an hour, and no longer shown once it holds', async () =>
    withBridge(async (timed) => {
      const { bridge, clock } = timed;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      const refusal = await makeStuck(timed, 'scim.updateUser', { path, body: toName('King') });
      refusal.end();
      bridge.sandbox.calls.reset();

      clock.leap(50 * 60_000);
      await untilQuiet(timed, SECONDS_MS);
      const callsBefore = bridge.sandbox.calls.count();
      await untilQuiet(timed, HOURS_MS);

      expect(callsBefore).toBe(0);
      expect(bridge.sandbox.service.getUser(ada).fullName).toBe('Ada King');
      expect(await listStuckFields(timed)).toEqual([]);
    }));
});

describe('what is stuck', () => {
  test('stays visible through a success of something else', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      const refusal = await makeStuck(timed, 'scim.updateUser', { path, body: toName('King') });
      refusal.end();

      await send(bridge, 'PATCH', path, toActive(false));
      await untilQuiet(timed, SECONDS_MS);

      expect(bridge.sandbox.service.getUser(ada)).toMatchObject({
        active: false,
        fullName: 'Ada Example',
      });
      expect(await listStuckFields(timed)).toEqual([`name: ${words}`]);
    }));

  test('is tried at once by a new write of the field, whose refusal tells of the earlier one', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      const refusal = await makeStuck(timed, 'scim.updateUser', { path, body: toName('King') });
      refusal.end();
      const other = { kind: 'status', status: 409, body: 'message' } as const;
      const again = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: other });

      const answer = await bridge.request('PATCH', path, toName('Queen'));
      again.remove();

      expect(answer.status).toBe(409);
      expect(answer.body.detail).toContain('a change that was accepted before was refused as well');
      expect((await send(bridge, 'GET', path)).body.name).toMatchObject({ familyName: 'King' });
      expect(await listStuckFields(timed)).toEqual([`name: ${words}`]);

      await send(bridge, 'PATCH', path, toName('Queen'));
      expect(bridge.sandbox.service.getUser(ada).fullName).toBe('Ada Queen');
      expect(await listStuckFields(timed)).toEqual([]);
    }));

  test('is tried again when the service was looked at anew', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      const refusal = await makeStuck(timed, 'scim.updateUser', { path, body: toName('King') });
      refusal.end();
      bridge.sandbox.faults.add({
        operation: 'scim.updateUser',
        fault: { kind: 'html' },
        times: 1,
      });

      await send(bridge, 'PATCH', path, toActive(false));
      await untilQuiet(timed, SECONDS_MS);

      expect(bridge.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(1);
      expect(bridge.sandbox.service.getUser(ada).fullName).toBe('Ada King');
      expect(await listStuckFields(timed)).toEqual([]);
    }));
});
