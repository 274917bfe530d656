import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';

const PATIENT = { interval: 25 };
const ada = 'ada@example.com';

function look(bridge: TestBridge, path: string, body: JsonObject = {}) {
  return bridge.ops('POST', `/${path}/look`, body);
}

/** Runs `look` as a command. */
function runLook(bridge: TestBridge, ...args: string[]) {
  return runner(bridge)('look', ...args);
}

describe('a look at one', () => {
  const bridge = forSuite(async () => {
    const limits = { LIMITS_REPAIR: '1', LIMITS_REPAIR_PERCENT: '100' };
    return startTestBridge({ settings: { ...limits } });
  });

  test('user takes one call, says what differs, stores it, and changes nothing', async () => {
    const { service, calls } = bridge.sandbox;
    const id = await bridge.addUser('ada');
    await bridge.untilSettled();
    service.updateUser(ada, { fullName: 'Somebody Else' });
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
    expect(await bridge.listDrifts()).toEqual([`user.renamed ${ada}`]);
    expect(calls.counts()).toEqual({ 'scim.getUser': { 200: 2 } });
  });

  test('user whose licence takes more than three calls to find is left to a sweep', async () => {
    const own = await forTest(startTestBridge({ settings: { UPSTREAM_PAGE_SIZE: '2' } }));
    const { service, calls } = own.sandbox;
    for (let index = 0; index < 9; index += 1) {
      service.addUser({ email: `ada@example.com.x${index}`, fullName: 'ada@example.com' });
    }
    const extension = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
    const id = await own.addUser('ada', { [extension]: { appsPermissions: 2 } });
    await own.untilSettled();
    calls.reset();

    const { status, body } = await look(own, `users/${id}`);

    expect([status, body.code]).toEqual([503, 'could-not-look']);
    expect(calls.count()).toBe(3);
  });

  test('group takes two calls, and its members are repaired too', async () => {
    const cyd = 'cyd@example.com';
    const { service, calls } = bridge.sandbox;
    const [first, second] = [await bridge.addUser('cyd'), await bridge.addUser('dan')];
    const id = await bridge.addGroup('Pilots', [first, second]);
    await bridge.untilSettled();
    service.unlink('Pilots', cyd);
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
    const id = await bridge.addGroup('Cooks', [await bridge.addUser('eva')]);
    for (const name of ['fay', 'gus']) await bridge.addUser(name);
    await bridge.untilSettled();
    for (const name of ['fay', 'gus']) service.link('Cooks', `${name}@example.com`);

    const { body } = await look(bridge, `groups/${id}`, { repair: true });

    expect(body).toMatchObject({
      differences: [{ kind: 'member.added' }, { kind: 'member.added' }],
      repair: { planId: null, exceeded: [expect.stringContaining('removeMember: 2')] },
    });
    await bridge.untilSettled();
    expect(service.members('Cooks')).toHaveLength(3);
  });
});

test('who is not in the service, was just written or cannot be asked for is told so', async () => {
  const bridge = await forTest(startTestBridge({ settings: { DRIFT_SETTLE: '60s' } }));
  const inactive = await bridge.send('POST', '/Users', toUser('idle', { active: false }));
  const id = await bridge.addUser('ada');
  await bridge.untilSettled();

  const unknown = await look(bridge, 'users/nobody');
  const idle = await look(bridge, `users/${inactive.body.id}`);
  const written = await look(bridge, `users/${id}`);

  expect(unknown).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(idle).toMatchObject({ status: 409, body: { code: 'not-linked' } });
  expect(written).toMatchObject({ status: 409, body: { code: 'just-written' } });
  expect((await runLook(bridge, 'nobody')).code).toBe(1);
});
