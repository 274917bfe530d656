import { describe, expect, test } from 'vitest';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  listResources,
  readMemberIds,
  readWork,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';

const ada = 'ada@example.com';
const words = 'the sandbox was told to fail';

function rename(familyName: string) {
  return toPatch({ op: 'replace', path: 'name.familyName', value: familyName });
}

/** The service refuses what this operation asks, in its own words. */
function refuse({ sandbox }: TestBridge, operation: 'scim.updateUser' | 'scim.addUser') {
  const fault = { kind: 'status', status: 400, body: 'message' } as const;
  return sandbox.faults.add({ operation, fault });
}

async function readFamilyName(bridge: TestBridge, path: string): Promise<unknown> {
  const { body } = await send(bridge, 'GET', path);
  return body.name;
}

describe('acknowledged or refused', () => {
  async function withStore(
    settings: Record<string, string>,
    run: (bridge: TestBridge) => Promise<void>,
  ): Promise<void> {
    await withTestBridge({ settings: { ...settings } }, run);
  }

  test('a write that the service refuses in time is undone and told in its words', () =>
    withStore({}, async (bridge) => {
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      const before = await send(bridge, 'GET', path);
      refuse(bridge, 'scim.updateUser');

      const answer = await bridge.request('PATCH', path, rename('King'));

      expect(answer.status).toBe(400);
      expect(answer.body.detail).toContain(words);
      expect(await readFamilyName(bridge, path)).toEqual(before.body.name);
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
    }));

  test('a create that the service refuses leaves nothing, and the next one is free to succeed', () =>
    withStore({}, async (bridge) => {
      const fault = refuse(bridge, 'scim.addUser');
      const refused = await bridge.request('POST', '/Users', toUser('ada'));
      const found = listResources(await send(bridge, 'GET', '/Users'));
      fault.remove();

      const created = await bridge.request('POST', '/Users', toUser('ada'));

      expect(refused.status).toBe(400);
      expect(found.map(({ userName }) => userName)).toEqual(['owner']);
      expect(created.status).toBe(201);
    }));

  test('refused after it was acknowledged: stuck, kept, told with the next refusal, tried on a new write', () =>
    withStore({ SCIM_WRITE_WAIT: '1s' }, async (bridge) => {
      const { faults, service, calls } = bridge.sandbox;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      // The wait is short, so her creation may still go on.
      await untilSettled(bridge);
      calls.reset();
      const slow = faults.add({
        operation: 'scim.updateUser',
        fault: { kind: 'delay', delayMs: 1_500 },
      });
      const refused = refuse(bridge, 'scim.updateUser');

      const acknowledged = await bridge.request('PATCH', path, rename('King'));
      await calls.until(1, { status: 400 });
      await untilStuck(bridge);
      slow.remove();
      const second = await bridge.request('PATCH', path, rename('Queen'));
      refused.remove();

      expect(acknowledged.status).toBe(200);
      expect(second.status).toBe(400);
      expect(second.body.detail).toContain(words);
      expect(await readFamilyName(bridge, path)).toMatchObject({ familyName: 'King' });
      expect(await readReasons(bridge)).toContain('stuck');

      await send(bridge, 'PATCH', path, rename('King'));
      await untilSettled(bridge);
      expect(service.getUser(ada).fullName).toBe('Ada King');
      expect(await readReasons(bridge)).toEqual([]);
    }));

  test('a slow write is acknowledged when the wait ends and becomes true all the same', () =>
    withStore({ SCIM_WRITE_WAIT: '50ms' }, async (bridge) => {
      const { faults, service } = bridge.sandbox;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      await untilSettled(bridge);
      const fault = { kind: 'hang' } as const;
      const hang = faults.add({ operation: 'scim.updateUser', fault, times: 1 });

      const answer = await bridge.request('PATCH', path, rename('King'));
      await hang.until(1);
      const nameBefore = service.getUser(ada).fullName;
      faults.release();
      await untilSettled(bridge);

      expect(answer.status).toBe(200);
      expect(answer.body.name).toMatchObject({ familyName: 'King' });
      expect(nameBefore).toBe('Ada Example');
      expect(service.getUser(ada).fullName).toBe('Ada King');
    }));

  test('100 PATCHes of one member each at the same time lose nobody', () =>
    withStore({}, async (bridge) => {
      const ids = await addUsers(bridge, 100);
      const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;

      const answers = await Promise.all(
        ids.map((id) =>
          bridge.request(
            'PATCH',
            path,
            toPatch({ op: 'add', path: 'members', value: toMembers([id]) }),
          ),
        ),
      );
      await untilSettled(bridge);

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await readMemberIds(bridge, path.replace('/Groups/', ''))).toEqual(ids.toSorted());
      expect(bridge.sandbox.service.members('Pilots')).toHaveLength(100);
    }));
});

test('of 100 members of one PATCH the one that the service refuses is named, and nobody joins', () =>
  withTestBridge({ settings: { SCIM_WRITE_WAIT: '60s' } }, async (bridge) => {
    const ids = await addUsers(bridge, 100);
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    const refusal = { kind: 'status', status: 400, body: 'message' } as const;
    bridge.sandbox.faults.add({ operation: 'scim.updateGroup', fault: refusal });
    bridge.sandbox.faults.add({
      operation: 'groupUsers.addUserToGroup',
      fault: refusal,
      skip: 40,
      times: 1,
    });

    const body = toPatch({ op: 'add', path: 'members', value: toMembers(ids) });
    const answer = await bridge.request('PATCH', path, body);
    await untilSettled(bridge);

    expect(answer.status).toBe(400);
    expect(await readMemberIds(bridge, path.replace('/Groups/', ''))).toEqual([]);
    expect(bridge.sandbox.service.members('Pilots')).toEqual([]);
    const named = ids.filter((id) => String(answer.body.detail).includes(id));
    expect(named).toHaveLength(1);
  }));

test('a person unknown to the bridge refuses the whole PATCH before anything is stored', () =>
  withTestBridge({}, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;

    const value = toMembers([id, 'no-such-id']);
    const answer = await bridge.request(
      'PATCH',
      path,
      toPatch({ op: 'add', path: 'members', value }),
    );

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect((await send(bridge, 'GET', path)).body.members).toEqual([]);
    expect(bridge.sandbox.service.members('Pilots')).toEqual([]);
  }));

test('with whenUpstreamIsDown refuse, a write is refused while the credentials are, and nothing is stored', () =>
  withTestBridge({ settings: { SCIM_WHEN_UPSTREAM_IS_DOWN: 'refuse' } }, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;
    bridge.sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 401 } });
    await bridge.request('PATCH', path, rename('King'));

    const answer = await bridge.request('PATCH', path, rename('Queen'));

    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await readFamilyName(bridge, path)).toMatchObject({ familyName: 'King' });
  }));

async function untilStuck(bridge: TestBridge): Promise<void> {
  await expect.poll(async () => (await readWork(bridge))?.stuck, { interval: 5 }).toBe(1);
}

async function readReasons(bridge: TestBridge): Promise<unknown[]> {
  const url = new URL('/readyz', bridge.baseUrl).href;
  const { status, body } = await bridge.request('GET', url);
  expect(status).toBe(200);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}
