import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { addGroup, addUser, send, toUser, untilSettled } from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS } from '../support/sweep.ts';

const PATIENT = { interval: 25 };
const ada = 'ada@example.com';

function look(bridge: TestBridge, path: string, body: JsonObject = {}) {
  return askOps(bridge, 'POST', `/${path}/look`, body);
}

/** Runs `look` as a command. */
function runLook(bridge: TestBridge, ...args: string[]) {
  return runner(bridge, commands)('look', ...args);
}

describe('a look at one', () => {
  let bridge: TestBridge;
  beforeAll(async () => {
    const limits = { LIMITS_REPAIR: '1', LIMITS_REPAIR_PERCENT: '100' };
    bridge = await startTestBridge({ settings: { ...SWEEP_SETTINGS, ...limits } });
  });
  afterAll(() => bridge.stop());

  test('user takes one call, says what differs, stores it, and changes nothing', async () => {
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
    expect(text).toContain(
      'Differences: 1\n  user.renamed (renamed user): wanted {"name":"Ada Example"}',
    );
    expect(await listManagedDrifts(bridge)).toEqual([`user.renamed ${ada}`]);
    expect(calls.counts()).toEqual({ 'scim.getUser': { 200: 2 } });
  });

  test('user whose licence takes more than three calls to find is left to a sweep', () =>
    withTestBridge({ settings: { ...SWEEP_SETTINGS, UPSTREAM_PAGE_SIZE: '2' } }, async (own) => {
      const { service, calls } = own.sandbox;
      for (let index = 0; index < 9; index += 1) {
        service.addUser({ email: `ada@example.com.x${index}`, fullName: 'ada@example.com' });
      }
      const extension = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
      const id = await addUser(own, 'ada', { [extension]: { appsPermissions: 2 } });
      await untilSettled(own);
      calls.reset();

      const { status, body } = await look(own, `users/${id}`);

      expect([status, body.code]).toEqual([503, 'could-not-look']);
      expect(calls.count()).toBe(3);
    }));

  test('group takes two calls, and its members are repaired too', async () => {
    const cyd = 'cyd@example.com';
    const { service, calls } = bridge.sandbox;
    const [first, second] = [await addUser(bridge, 'cyd'), await addUser(bridge, 'dan')];
    const id = await addGroup(bridge, 'Pilots', [first, second]);
    await untilSettled(bridge);
    service.removeMember('Pilots', cyd);
    calls.reset();

    const { body } = await look(bridge, `groups/${id}`, { repair: true });

    expect(body).toMatchObject({
      calls: 2,
      differences: [{ kind: 'member.removed', member: { id: first, name: cyd } }],
      repair: { exceeded: [] },
    });
    const members = () => service.members('Pilots');
    await expect.poll(members, PATIENT).toEqual([cyd, 'dan@example.com']);
  });

  test('is not repaired where a limit would be exceeded', async () => {
    const { service } = bridge.sandbox;
    const id = await addGroup(bridge, 'Cooks', [await addUser(bridge, 'eva')]);
    for (const name of ['fay', 'gus']) await addUser(bridge, name);
    await untilSettled(bridge);
    for (const name of ['fay', 'gus']) service.addMember('Cooks', `${name}@example.com`);

    const { body } = await look(bridge, `groups/${id}`, { repair: true });

    expect(body).toMatchObject({
      differences: [{ kind: 'member.added' }, { kind: 'member.added' }],
      repair: { planId: null, exceeded: [expect.stringContaining('removeMember: 2')] },
    });
    await untilSettled(bridge);
    expect(service.members('Cooks')).toHaveLength(3);
  });
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
