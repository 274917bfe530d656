import { expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, send, toPatch, toUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SCIM_WRITE_WAIT: '10s', GROUPS_PERMISSIONS_MAX: '31' };
const ada = 'ada@example.com';
const licence = `${USER_EXTENSION}:appsPermissions`;

function refuse({ sandbox }: TestBridge, operation: OperationName, times = 1): void {
  sandbox.faults.add({ operation, fault: { kind: 'status', status: 400 }, times });
}

/** All that a provider is shown of a resource, but its versions. */
async function show(bridge: TestBridge, path: string): Promise<JsonObject> {
  const { meta: _, ...shown } = (await send(bridge, 'GET', path)).body;
  return shown;
}

const replace = (path: string, value: JsonObject[string]): JsonObject => ({
  op: 'replace',
  path,
  value,
});

const userWrites: { method: string; body: JsonObject }[] = [
  {
    method: 'PATCH',
    body: toPatch(
      replace('name.familyName', 'Byron'),
      replace('title', 'Countess'),
      replace('externalId', 'e-2'),
      replace(licence, 1),
    ),
  },
  {
    method: 'PUT',
    body: toUser('ada', {
      name: { givenName: 'Augusta', familyName: 'Byron' },
      title: 'Countess',
      externalId: 'e-2',
      [USER_EXTENSION]: { appsPermissions: 1 },
    }),
  },
];

test.each(userWrites)(
  'a $method of a user that is refused changes nothing at all',
  async ({ method, body }) => {
    await withTestBridge({ settings }, async (bridge) => {
      const path = `/Users/${await addUser(bridge, 'ada', { externalId: 'e-1' })}`;
      await untilSettled(bridge);
      const before = await show(bridge, path);
      const held = bridge.sandbox.service.getUser(ada);
      refuse(bridge, 'companyUsers.updateUser');

      const answer = await bridge.request(method, path, body);
      await untilSettled(bridge);

      expect(answer.status).toBe(400);
      expect(await show(bridge, path)).toEqual(before);
      expect(bridge.sandbox.service.getUser(ada)).toMatchObject({
        fullName: held.fullName,
        appsPermissions: held.appsPermissions,
      });
    });
  },
);

test('a write that takes access away is done, whatever is refused of its rest', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;
    await untilSettled(bridge);
    refuse(bridge, 'companyUsers.updateUser', 100);

    const off = toPatch(replace('active', false), replace(licence, 1));
    const answer = await bridge.request('PATCH', path, off);

    expect([answer.status, answer.body.active]).toEqual([200, false]);
    expect(bridge.sandbox.service.getUser(ada).active).toBe(false);
    const { body: status } = await askOps(bridge, 'GET', '/status');
    expect(status.stuckCount).toBe(1);
  });
});

test('a user who is refused access is not renamed either', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;
    await send(bridge, 'PATCH', path, toPatch(replace('active', false)));
    await untilSettled(bridge);
    const before = await show(bridge, path);
    refuse(bridge, 'scim.updateUser', 2);

    const on = toPatch(replace('active', true), replace('title', 'Countess'));
    const answer = await bridge.request('PATCH', path, on);
    await untilSettled(bridge);

    expect(answer.status).toBe(400);
    expect(await show(bridge, path)).toEqual(before);
    expect(bridge.sandbox.service.getUser(ada).active).toBe(false);
  });
});

test('what another write was told is done stays, when an earlier one is refused', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;
    await untilSettled(bridge);
    const hang = { kind: 'hang' } as const;
    const operation = 'companyUsers.updateUser';
    const waiting = bridge.sandbox.faults.add({ operation, fault: hang, times: 1 });
    const title = replace('title', 'Countess');

    const refused = bridge.request('PATCH', path, toPatch(title, replace(licence, 1)));
    await waiting.until(1);
    const same = await bridge.request('PATCH', path, toPatch(title));
    refuse(bridge, operation);
    bridge.sandbox.faults.release(hang);
    await refused;
    await untilSettled(bridge);

    expect([same.status, (await show(bridge, path)).title]).toEqual([200, 'Countess']);
  });
});

test('a write of a group that is refused changes nothing at all', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const user = await addUser(bridge, 'ada');
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    await send(bridge, 'PATCH', path, toPatch(replace('externalId', 'e-1')));
    await untilSettled(bridge);
    const before = await show(bridge, path);
    refuse(bridge, 'groups.updateGroup', 2);

    const answer = await bridge.request(
      'PATCH',
      path,
      toPatch(
        replace('displayName', 'Flyers'),
        { op: 'add', path: 'members', value: [{ value: user }] },
        replace('externalId', 'e-2'),
      ),
    );
    await untilSettled(bridge);

    expect(answer.status).toBe(400);
    expect(await show(bridge, path)).toEqual(before);
    expect(bridge.sandbox.service.members('Pilots')).toEqual([]);
  });
});

test('an addition that reached the service is taken back with the name that did not', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const [first, second] = await Promise.all(['ada', 'bob'].map((name) => addUser(bridge, name)));
    const path = `/Groups/${await addGroup(bridge, 'Pilots', [String(first)])}`;
    await untilSettled(bridge);
    refuse(bridge, 'groupUsers.addUserToGroup');

    const value = [{ value: String(second) }];
    const extension = { permissions: 1 };
    const answer = await bridge.request(
      'PATCH',
      path,
      toPatch(
        { op: 'add', path: 'members', value },
        { op: 'replace', value: { displayName: 'Flyers', [GROUP_EXTENSION]: extension } },
      ),
    );
    await untilSettled(bridge);

    expect(answer.status).toBe(400);
    expect((await show(bridge, path)).displayName).toBe('Pilots');
    expect(bridge.sandbox.service.members('Pilots')).toEqual([ada]);
    expect(bridge.sandbox.service.getGroup('Pilots').permissions ?? 0).toBe(0);
  });
});

test('a removal from a group is done, whatever is refused of its rest', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const user = await addUser(bridge, 'ada');
    const path = `/Groups/${await addGroup(bridge, 'Pilots', [user])}`;
    await untilSettled(bridge);
    refuse(bridge, 'groups.updateGroup', 100);

    const answer = await bridge.request(
      'PATCH',
      path,
      toPatch(
        { op: 'remove', path: `members[value eq "${user}"]` },
        replace('displayName', 'Flyers'),
      ),
    );

    expect(answer.status).toBe(204);
    expect(bridge.sandbox.service.members('Pilots')).toEqual([]);
    const { body: status } = await askOps(bridge, 'GET', '/status');
    expect(status.stuckCount).toBe(1);
  });
});
