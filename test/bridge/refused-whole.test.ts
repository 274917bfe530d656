import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { admit, dismiss, replace, toGroup, toUser } from '../support/provider.ts';

describe('refused whole', () => {
  const settings = { SCIM_WRITE_WAIT: '10s', GROUPS_PERMISSIONS_MAX: '31' };
  const licence = `${USER_EXTENSION}:appsPermissions`;

  const bridge = bridgeForSuite({ settings });

  afterEach(async () => {
    bridge.sandbox.faults.clear();
    await bridge.settled(bridge.ops('POST', '/retry', { all: true }));
  });

  function refuse(operation: OperationName, times = 1): void {
    bridge.sandbox.faults.add({ operation, fault: failing(400), times });
  }

  async function show(path: string): Promise<JsonObject> {
    const { meta: _, ...shown } = (await bridge.send('GET', path)).body;
    return shown;
  }

  test('a user who is refused access is not renamed either', async () => {
    const path = `/Users/${await bridge.addUser('otto')}`;
    await bridge.settled(bridge.patch(path, replace('active', false)));
    const before = await show(path);
    refuse('scim.updateUser', 2);

    const title = replace('title', 'Countess');
    const answer = await bridge.settled(bridge.tryPatch(path, replace('active', true), title));

    expect(answer.status).toBe(400);
    expect(await show(path)).toEqual(before);
    expect(bridge.sandbox.service.getUser('otto@example.com').active).toBe(false);
  });

  test('what another write was told is done stays, when an earlier one is refused', async () => {
    const path = `/Users/${await bridge.addUser('sam')}`;
    await bridge.untilSettled();
    const operation = 'companyUsers.updateUser';
    const waiting = bridge.sandbox.faults.add({ operation, fault: HANGING, times: 1 });
    const title = replace('title', 'Countess');

    const refused = bridge.tryPatch(path, title, replace(licence, 1));
    await waiting.until(1);
    const same = await bridge.tryPatch(path, title);
    refuse(operation);
    bridge.sandbox.faults.release(HANGING);
    await refused;
    await bridge.untilSettled();

    expect([same.status, (await show(path)).title]).toEqual([200, 'Countess']);
  });

  test.each([
    ['its attributes are', 'groups.updateGroup', 2],
    ['an addition is', 'groupUsers.addUserToGroup', 1],
  ] as const)('a write of a group of which %s refused changes nothing at all', async (...row) => {
    const [what, operation, times] = row;
    const [first, second] = await bridge.addPeople(`amy${times}`, `ben${times}`);
    const path = `/Groups/${await bridge.addGroup(what, [first])}`;
    await bridge.settled(bridge.patch(path, replace('externalId', `e-${times}`)));
    const before = await show(path);
    refuse(operation, times);

    const extension = { [GROUP_EXTENSION]: { permissions: 1 } };
    const value = { displayName: 'Renamed', externalId: 'e-3', ...extension };
    const answer = await bridge.settled(
      bridge.tryPatch(path, admit(second), { op: 'replace', value }),
    );

    expect(answer.status).toBe(400);
    expect(await show(path)).toEqual(before);
    expect(bridge.sandbox.service.members(what)).toEqual([`amy${times}@example.com`]);
    expect(bridge.sandbox.service.getGroup(what).permissions ?? 0).toBe(0);
  });

  test('a removal from a group is done, whatever is refused of its rest', async () => {
    const user = await bridge.addUser('rex');
    const path = `/Groups/${await bridge.addGroup('Removed', [user])}`;
    await bridge.untilSettled();
    refuse('groups.updateGroup', 100);

    const answer = await bridge.tryPatch(
      path,
      dismiss(user),
      replace('displayName', 'Removed, renamed'),
    );

    expect(answer.status).toBe(204);
    expect(bridge.sandbox.service.members('Removed')).toEqual([]);
    expect((await bridge.ops('GET', '/status')).body.stuckCount).toBe(1);
  });
});

const ada = 'ada@example.com';
let bridge: TestBridge;

function refuse(operation: 'scim.updateUser' | 'groups.updateGroup' | 'groupUsers.addUserToGroup') {
  bridge.sandbox.faults.add({ operation, fault: failing(400, 'message') });
}

async function listNames(type: 'Users' | 'Groups'): Promise<unknown[]> {
  const resources = await bridge.list(`/${type}`);
  return resources.map(({ userName, displayName }) => userName ?? displayName);
}

describe('a POST that the service refuses in time leaves', () => {
  beforeAll(async () => {
    bridge = await startTestBridge({
      prepare({ service }) {
        service.addUser({ email: ada, userName: ada, fullName: 'Somebody Else' });
        for (const name of ['Pilots', 'Cooks']) service.createGroup({ name });
      },
    });
  });
  afterEach(() => bridge.sandbox.faults.clear());
  afterAll(() => bridge.stop());

  test('nobody who was deleted before, and the next POST succeeds', async () => {
    await bridge.settled(bridge.send('DELETE', `/Users/${await bridge.addUser('bob')}`));
    refuse('scim.updateUser');

    const refused = await bridge.request('POST', '/Users', toUser('bob'));

    expect(refused.status).toBe(400);
    expect(await listNames('Users')).not.toContain('bob@example.com');
    expect(bridge.sandbox.service.getUser('bob@example.com').active).toBe(false);
    expect(await bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
    bridge.sandbox.faults.clear();
    await bridge.addUser('bob');
    expect(bridge.sandbox.service.getUser('bob@example.com').active).toBe(true);
  });

  test.each([
    ['Users', ada, 'scim.updateUser', toUser('ada')],
    ['Groups', 'Pilots', 'groups.updateGroup', toGroup('PILOTS')],
  ] as const)(
    'what existed as unmanaged as it was, and the next POST adopts it: %s',
    async (type, name, operation, body) => {
      const path = `/${type}/${await bridge.findId({ type, name })}`;
      const before = await bridge.send('GET', path);

      refuse(operation);
      const refused = await bridge.request('POST', `/${type}`, body);

      expect(refused.status).toBe(400);
      const { meta: _, ...rest } = (await bridge.send('GET', path)).body;
      expect(before.body).toMatchObject(rest);
      bridge.sandbox.faults.clear();
      expect((await bridge.request('POST', `/${type}`, body)).status).toBe(201);
    },
  );

  test('no group, also where it is a member that is refused after the group was created', async () => {
    const adaId = await bridge.addUser('carl');
    refuse('groupUsers.addUserToGroup');

    const refused = await bridge.settled(
      bridge.request('POST', '/Groups', toGroup('Drivers', [adaId])),
    );

    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(adaId);
    expect(await listNames('Groups')).not.toContain('Drivers');
    expect(bridge.sandbox.service.groups().map(({ name }) => name)).not.toContain('Drivers');
    expect(await bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('a group that was let go before as it was, and the next POST takes it up', async () => {
    const adaId = await bridge.addUser('dan');
    await bridge.settled(bridge.send('DELETE', `/Groups/${await bridge.addGroup('Cooks')}`));
    refuse('groups.updateGroup');

    const refused = await bridge.settled(
      bridge.request('POST', '/Groups', toGroup('COOKS', [adaId])),
    );

    expect(refused.status).toBe(400);
    expect(await listNames('Groups')).not.toContain('Cooks');
    expect(bridge.sandbox.service.members('Cooks')).toEqual([]);
    bridge.sandbox.faults.clear();
    expect(await bridge.readMemberIds(await bridge.addGroup('COOKS', [adaId]))).toEqual([adaId]);
    const names = bridge.sandbox.service.groups().map(({ name }) => name);
    expect(names.filter((name) => /cooks/i.test(name))).toEqual(['COOKS']);
  });
});

test('a refusal that is being recorded when the wait of its request ends is the answer', async () => {
  const clock = createLeapingClock();
  const waitMs = 3_000;
  let isRefused = () => false;
  // The wait ends in the middle of the transaction that takes the write back.
  const toStore: TestBridgeOptions['toStore'] = (store) => ({
    ...store,
    write: (work) =>
      store.write(async (tx) => {
        const result = await work(tx);
        if (isRefused()) clock.leap(waitMs);
        return result;
      }),
  });
  const settings = { SCIM_WRITE_WAIT: `${waitMs}ms` };
  const bridge = await bridgeForTest({ clock, toStore, settings });
  const path = `/Users/${await bridge.addUser('ada')}`;
  await bridge.untilSettled();
  const refusal = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400) });
  isRefused = () => refusal.met > 0;

  const { status } = await bridge.tryPatch(path, replace('name.familyName', 'King'));

  expect(status).toBe(400);
  expect((await bridge.send('GET', path)).body.name).toMatchObject({ familyName: 'Example' });
});

test('a deletion is not refused where a later user of that name has the account by then', async () => {
  const bugs: unknown[] = [];
  const onLog = ({ error }: JsonObject) => void (error && bugs.push(error));
  const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '10s' }, onLog });
  const { faults, service } = bridge.sandbox;
  const creation = { operation: 'scim.addUser', about: 'Refused' } as const;
  const slow = faults.add({ ...creation, fault: { kind: 'delay', delayMs: 500 }, times: 1 });
  faults.add({ ...creation, fault: failing(400) });
  const refused = toUser('ada', { name: { givenName: 'Refused', familyName: 'Example' } });
  const first = bridge.request('POST', '/Users', refused);
  await slow.until(1);
  const [{ id } = {}] = await bridge.find('/Users', 'userName eq "ada@example.com"');
  const look = faults.add({ operation: 'scim.getUsers', fault: { ...HANGING } });
  const deletion = bridge.request('DELETE', `/Users/${id}`);
  await look.until(1);
  const second = await bridge.addUser('ada');

  faults.clear();
  await Promise.all([first, deletion]);
  await bridge.untilSettled();

  expect((await deletion).status).toBe(204);
  const [ada, ...others] = await bridge.find('/Users', 'userName eq "ada@example.com"');
  expect([ada?.id, others]).toEqual([second, []]);
  expect(service.getUser('ada@example.com').active).toBe(true);
  expect(bugs).toEqual([]);
});
