import { describe, expect, test } from 'vitest';
import { addExplainCommand } from '../../src/cli/explain.ts';
import { addLookCommand } from '../../src/cli/look.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import {
  addGroup,
  addUser,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS } from '../support/sweep.ts';

const PATIENT = { interval: 10 };
const ada = 'ada@example.com';

function look(bridge: TestBridge, path: string, body: JsonObject = {}) {
  return askOps(bridge, 'POST', `/${path}/look`, body);
}

/** Runs `look` as a command. */
function runLook(bridge: TestBridge, ...args: string[]) {
  return runner(bridge, [addLookCommand])('look', ...args);
}

describe('a look at one', () => {
  async function withBridge(
    run: (bridge: TestBridge) => Promise<void>,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await withTestBridge({ settings: { ...SWEEP_SETTINGS, ...settings } }, run);
  }

  test('user takes one call, says what differs, stores it, and changes nothing', () =>
    withBridge(async (bridge) => {
      const { service, calls } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await untilSettled(bridge);
      service.renameUser(ada, 'Somebody Else');
      calls.reset();

      const { status, body } = await look(bridge, `users/${id}`);
      const text = (await runLook(bridge, ada)).text;

      expect(status).toBe(200);
      expect(body).toMatchObject({ type: 'user', id, gone: false, calls: 1, repair: null });
      expect(body.differences).toMatchObject([
        {
          kind: 'user.renamed',
          status: 'open',
          desired: { name: 'Ada Example' },
          observed: { name: 'Somebody Else' },
        },
      ]);
      expect(text).toContain('Differences: 1\n  user.renamed: wanted {"name":"Ada Example"}');
      expect(await listManagedDrifts(bridge)).toEqual([`user.renamed ${ada}`]);
      expect(calls.counts()).toEqual({ 'scim.getUser': { 200: 2 } });
    }));

  test('user who is as wanted says so, and ends what was known to differ', () =>
    withBridge(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await untilSettled(bridge);
      service.setActive(ada, false);
      await look(bridge, `users/${id}`);
      service.setActive(ada, true);

      const { body } = await look(bridge, `users/${id}`);

      expect(body).toMatchObject({ differences: [] });
      expect(await listManagedDrifts(bridge, 'gone')).toEqual([`user.deactivated ${ada}`]);
    }));

  test('user whom the service has no more says so', () =>
    withBridge(async (bridge) => {
      const id = await addUser(bridge, 'ada');
      await untilSettled(bridge);
      const gone = { kind: 'status', status: 404 } as const;
      bridge.sandbox.faults.add({ operation: 'scim.getUser', fault: gone });

      const { body } = await look(bridge, `users/${id}`);

      expect(body).toMatchObject({ gone: true, differences: [{ kind: 'user.missing' }] });
    }));

  test('user with a licence of the provider takes two calls', () =>
    withBridge(async (bridge) => {
      const { service, calls } = bridge.sandbox;
      const extension = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
      const id = await addUser(bridge, 'ada', { [extension]: { appsPermissions: 2 } });
      await untilSettled(bridge);
      service.updateUser(ada, { appsPermissions: 1 });
      calls.reset();

      const { body } = await look(bridge, `users/${id}`);

      expect(body).toMatchObject({ calls: 2, differences: [{ kind: 'user.access' }] });
      expect(calls.count()).toBe(2);
    }));

  test('user whose licence takes more than three calls to find is left to a sweep', () =>
    withBridge(
      async (bridge) => {
        const { service, calls } = bridge.sandbox;
        for (let index = 0; index < 9; index += 1) {
          service.addUser({ email: `ada@example.com.x${index}`, fullName: 'ada@example.com' });
        }
        const extension = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
        const id = await addUser(bridge, 'ada', { [extension]: { appsPermissions: 2 } });
        await untilSettled(bridge);
        calls.reset();

        const { status, body } = await look(bridge, `users/${id}`);

        expect([status, body.code]).toEqual([503, 'could-not-look']);
        expect(calls.count()).toBe(3);
      },
      { UPSTREAM_PAGE_SIZE: '2' },
    ));

  test('user is repaired where that is asked for', () =>
    withBridge(async (bridge) => {
      const { service } = bridge.sandbox;
      await addUser(bridge, 'ada');
      await untilSettled(bridge);
      service.setActive(ada, false);

      const { text } = await runLook(bridge, ada, '--repair');

      expect(text).toMatch(/user\.deactivated.*\nIt is repaired by plan /);
      await expect.poll(() => service.getUser(ada).active, PATIENT).toBe(true);
    }));

  test('group takes two calls, and its members are repaired too', () =>
    withBridge(async (bridge) => {
      const { service, calls } = bridge.sandbox;
      const [first, second] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const id = await addGroup(bridge, 'Pilots', [first, second]);
      await untilSettled(bridge);
      service.removeMember('Pilots', ada);
      calls.reset();

      const { body } = await look(bridge, `groups/${id}`, { repair: true });

      expect(body).toMatchObject({
        calls: 2,
        differences: [{ kind: 'member.removed', member: { id: first, name: ada } }],
        repair: { exceeded: [] },
      });
      const members = () => service.members('Pilots');
      await expect.poll(members, PATIENT).toEqual([ada, 'bob@example.com']);
    }));

  test('that says nothing of what waits, is stuck or is held says that there is such', () =>
    withBridge(
      async (bridge) => {
        const [stuck, held, eve] = [
          await addUser(bridge, 'ada'),
          await addUser(bridge, 'bob'),
          await addUser(bridge, 'eve'),
        ];
        const group = await addGroup(bridge, 'Pilots', [held]);
        await untilSettled(bridge);
        const settled = (await look(bridge, `users/${eve}`)).body;
        const { faults } = bridge.sandbox;
        const refused = { operation: 'scim.updateUser', times: 1 } as const;
        faults.add({ ...refused, fault: { kind: 'delay', delayMs: 120 } });
        faults.add({ ...refused, fault: { kind: 'status', status: 400 } });
        const rename = { op: 'replace', path: 'name.familyName', value: 'King' };
        await send(bridge, 'PATCH', `/Users/${stuck}`, toPatch(rename));
        const readStuck = async () => (await askOps(bridge, 'GET', '/status')).body.stuckCount;
        await expect.poll(readStuck, PATIENT).toBe(1);
        const leave = toPatch({ op: 'replace', path: 'active', value: false });
        for (const id of [eve, held]) await send(bridge, 'PATCH', `/Users/${id}`, leave);
        const readHeld = async () => (await askOps(bridge, 'GET', `/users/${held}/explain`)).text;
        await expect.poll(readHeld, PATIENT).toContain('"standing":"held"');
        await askOps(bridge, 'POST', '/pause', {});
        const join = toPatch({ op: 'add', path: 'members', value: toMembers([stuck]) });
        await send(bridge, 'PATCH', `/Groups/${group}`, join);

        for (const path of [`users/${stuck}`, `users/${held}`, `groups/${group}`])
          expect({ path, body: (await look(bridge, path)).body }).toMatchObject({
            path,
            body: { differences: [], unfinished: true },
          });
        expect(settled).toMatchObject({ differences: [], unfinished: false });
        expect((await runLook(bridge, ada)).text).toBe(
          `user ${ada}, 1 call. Nothing differs but what waits, is stuck or is held: scim-bridge explain ${stuck}\n`,
        );
      },
      { SCIM_WRITE_WAIT: '40ms', LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' },
    ));

  test('group counts who is out and who is in its place, though the numbers are the same', () =>
    withBridge(async (bridge) => {
      const { service } = bridge.sandbox;
      const [first] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const id = await addGroup(bridge, 'Pilots', [first]);
      await untilSettled(bridge);
      service.removeMember('Pilots', ada);
      service.addMember('Pilots', 'bob@example.com');
      await look(bridge, `groups/${id}`);

      const { body } = await askOps(bridge, 'GET', `/groups/${id}/explain`);
      const text = (await runner(bridge, [addExplainCommand])('explain', 'Pilots')).text;

      expect(body.members).toEqual({
        ...{ desired: 1, observed: 1 },
        ...{ pending: 0, stuck: 0, differing: 2 },
      });
      expect(text).toContain('Members: 1 wanted, 1 seen, 0 waiting, 2 different\n');
    }));

  test('is not repaired where a limit would be exceeded', () =>
    withBridge(
      async (bridge) => {
        const { service } = bridge.sandbox;
        const id = await addGroup(bridge, 'Pilots', [await addUser(bridge, 'ada')]);
        await addUser(bridge, 'bob');
        await untilSettled(bridge);
        service.addMember('Pilots', 'bob@example.com');

        const { body } = await look(bridge, `groups/${id}`, { repair: true });

        expect(body).toMatchObject({
          differences: [{ kind: 'member.added' }],
          repair: { planId: null, exceeded: [expect.stringContaining('removeMember: 1')] },
        });
        await untilSettled(bridge);
        expect(service.members('Pilots')).toEqual([ada, 'bob@example.com']);
      },
      { LIMITS_REMOVE_MEMBER_COUNT: '0', LIMITS_REMOVE_MEMBER_PERCENT: '0' },
    ));

  test('that nobody manages says that, and one that is gone is forgotten', () =>
    withBridge(async (bridge) => {
      const { service } = bridge.sandbox;
      const stranger = service.addUser({
        email: 'eve@example.com',
        userName: 'eve',
        virtual: true,
      });
      const { body: swept } = await askOps(bridge, 'POST', '/sweeps');
      const read = async () => (await askOps(bridge, 'GET', `/sweeps/${swept.id}`)).body.status;
      await expect.poll(read, PATIENT).toBe('complete');
      const { body: found } = await askOps(bridge, 'GET', '/explain/eve');

      const before = await look(bridge, `users/${found.id}`, { repair: true });
      service.removeUser(stranger.id);
      const after = await look(bridge, `users/${found.id}`);

      expect(before.body).toMatchObject({
        differences: [{ kind: 'user.unmanaged' }],
        repair: { planId: null, exceeded: [] },
      });
      expect(after.body).toMatchObject({ gone: true, differences: [] });
      expect((await look(bridge, `users/${found.id}`)).status).toBe(404);
    }));
});

test('who is not in the service, was just written or cannot be asked for is told so', () =>
  withTestBridge({ settings: { ...SWEEP_SETTINGS, DRIFT_SETTLE: '60s' } }, async (bridge) => {
    const inactive = await send(bridge, 'POST', '/Users', toUser('idle', { active: false }));
    const id = await addUser(bridge, 'ada');
    await untilSettled(bridge);

    const unknown = await look(bridge, 'users/nobody');
    const idle = await look(bridge, `users/${inactive.body.id}`);
    const written = await look(bridge, `users/${id}`);

    expect(unknown).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(idle).toMatchObject({ status: 409, body: { code: 'not-linked' } });
    expect(written).toMatchObject({ status: 409, body: { code: 'just-written' } });
    expect((await runLook(bridge, 'nobody')).code).toBe(1);
  }));

test('a service that does not answer is asked once, and the look is refused', () =>
  withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const { faults, calls } = bridge.sandbox;
    const id = await addUser(bridge, 'ada');
    await untilSettled(bridge);
    faults.add({ operation: 'scim.getUser', fault: { kind: 'status', status: 503 } });
    calls.reset();

    const answer = await look(bridge, `users/${id}`);

    expect(answer).toMatchObject({ status: 503, body: { code: 'could-not-look' } });
    expect(calls.count()).toBe(1);
  }));
