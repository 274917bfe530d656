import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { listResources, replace, toUser } from '../support/provider.ts';

const TOTALS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Assignments';
const FULL = { value: 'licence:full', display: 'Full licence', type: 'Entitlement' };
const GUEST = { value: 'licence:guest', display: 'Guest licence', type: 'Entitlement' };
const DESK = { value: 'licence:service-desk', display: 'Service desk', type: 'Entitlement' };

async function readTotals(bridge: TestBridge, path: '/Roles' | '/Entitlements') {
  const list = listResources(await bridge.request('GET', path));
  return Object.fromEntries(
    list.map((each) => [each.id, Object(each[TOTALS]).totalAssignmentsUsed]),
  );
}

function readLicence({ sandbox }: TestBridge, name: string): unknown {
  return sandbox.service.findUser(`${name}@example.com`)?.appsPermissions;
}

async function readUser(bridge: TestBridge, id: string): Promise<JsonObject> {
  return (await bridge.request('GET', `/Users/${id}`)).body;
}

const OLD = ['old', 'older', 'oldest'].map((name) => `${name}@example.com`);

const bridge = bridgeForSuite({
  prepare({ service }) {
    for (const email of OLD) service.addUser({ email, userName: email, fullName: 'Old Hand' });
  },
});

describe('roles and licences that governance assigns', () => {
  test('are found, imported, assigned and taken in the order of Okta', async () => {
    await bridge.sweep();
    const types = listResources(await bridge.request('GET', '/ResourceTypes'));
    const schemas = listResources(await bridge.request('GET', '/Schemas')).map(({ id }) => id);
    const found = types.filter(({ name }) => name === 'Role' || name === 'Entitlement');
    const lists = await Promise.all(
      found.map(async ({ endpoint }) =>
        listResources(await bridge.request('GET', `${endpoint}?startIndex=1&count=100`)),
      ),
    );
    const old = await bridge.findId({ type: 'Users', name: 'old@example.com' });
    const imported = await readUser(bridge, old);

    expect(found).toMatchObject([
      { endpoint: '/Roles', schema: 'urn:okta:scim:schemas:core:1.0:Role' },
      { endpoint: '/Entitlements', schema: 'urn:okta:scim:schemas:core:1.0:Entitlement' },
    ]);
    for (const { schema } of found) expect(schemas).toContain(schema);
    expect(lists.flat().map(({ id, type }) => `${type} ${id}`)).toEqual([
      'Role role:owner',
      'Role role:user',
      'Entitlement licence:full',
      'Entitlement licence:guest',
      'Entitlement licence:service-desk',
    ]);
    expect(imported).toMatchObject({
      entitlements: [FULL],
      roles: [{ value: 'role:user', display: 'User', type: 'Role' }],
    });

    const ada = await bridge.settled(bridge.addUser('ada', { entitlements: [GUEST] }));
    expect(readLicence(bridge, 'ada')).toBe(2);

    const desk = { value: DESK.value, display: 'Help desk' };
    const more = { op: 'add', path: 'entitlements', value: [desk] };
    await bridge.settled(bridge.patch(`/Users/${ada}`, more));
    expect(readLicence(bridge, 'ada')).toBe(6);
    expect((await readUser(bridge, ada)).entitlements).toEqual([GUEST, desk]);
    await bridge.sweep();
    expect(await readTotals(bridge, '/Entitlements')).toEqual({
      'licence:full': 4,
      'licence:guest': 1,
      'licence:service-desk': 1,
    });
    expect(await readTotals(bridge, '/Roles')).toEqual({ 'role:owner': 1, 'role:user': 4 });

    const one = { op: 'remove', path: `entitlements[value eq "${GUEST.value}"]` };
    await bridge.settled(bridge.patch(`/Users/${ada}`, one));
    expect(readLicence(bridge, 'ada')).toBe(4);

    await bridge.settled(bridge.send('PUT', `/Users/${ada}`, toUser('ada', { entitlements: [] })));
    expect(readLicence(bridge, 'ada')).toBe(0);
  });

  test('stay where a PUT does not name them, and where nobody has assigned any', async () => {
    await bridge.sweep();
    const cleo = await bridge.addUser('cleo', { entitlements: [GUEST, { value: 'other' }] });
    const old = await bridge.findId({ type: 'Users', name: 'older@example.com' });
    await bridge.untilSettled();
    bridge.sandbox.calls.reset();

    await bridge.send('PUT', `/Users/${cleo}`, toUser('cleo'));
    const shown = await readUser(bridge, old);
    const other = { ...shown, entitlements: [{ value: 'other' }] };
    await bridge.settled(bridge.send('PUT', `/Users/${old}`, other));

    expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
    expect([readLicence(bridge, 'cleo'), readLicence(bridge, 'older')]).toEqual([2, 1]);
    expect(await readUser(bridge, cleo)).toMatchObject({ entitlements: [GUEST] });
    expect((await readUser(bridge, old)).entitlements).toEqual([{ value: 'other' }]);
  });

  test('are no longer shown of an account that is taken over without them', async () => {
    await bridge.sweep();
    const old = await bridge.findId({ type: 'Users', name: 'oldest@example.com' });

    await bridge.patch(`/Users/${old}`, replace('title', 'Captain'));
    await bridge.settled(bridge.patch(`/Users/${old}`, replace('entitlements', [])));

    expect(await readUser(bridge, old)).not.toHaveProperty('entitlements');
    expect(await readUser(bridge, old)).not.toHaveProperty('roles');
    expect(readLicence(bridge, 'oldest')).toBe(1);
  });

  test('are the same in both places, whichever a write names', async () => {
    const dora = await bridge.addUser('dora', { entitlements: [GUEST] });
    const number = (value: number) => replace(`${USER_EXTENSION}:appsPermissions`, value);
    await bridge.settled(bridge.patch(`/Users/${dora}`, number(5)));

    expect((await readUser(bridge, dora)).entitlements).toEqual([FULL, DESK]);
    const guest = replace('entitlements', [GUEST]);
    const refused = await bridge.tryPatch(`/Users/${dora}`, number(1), guest);
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(readLicence(bridge, 'dora')).toBe(5);
  });

  test.each([
    { list: 'entitlements', value: 'licence:gold' },
    { list: 'roles', value: 'role:admin' },
    { list: 'roles', value: 'role:owner' },
    { list: 'entitlements', value: 'LICENCE:SILVER' },
    { list: 'roles', value: 'Role:Pilot' },
  ])('are refused where the service has or gives none: $value', async ({ list, value }) => {
    const id = await bridge.addUser(`refused.${value.replace(':', '.')}`);
    const one = [{ value }];
    const created = await bridge.request('POST', '/Users', toUser('nobody', { [list]: one }));
    const patched = await bridge.tryPatch(`/Users/${id}`, { op: 'add', path: list, value: one });

    for (const answer of [created, patched])
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(await readUser(bridge, id)).not.toHaveProperty(list);
  });
});
