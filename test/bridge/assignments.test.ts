import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import { userId } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { withTestBridge } from '../support/bridge.ts';
import {
  addUser,
  findId,
  listResources,
  send,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const TOTALS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Assignments';
const FULL = { value: 'licence:full', display: 'Full licence', type: 'Entitlement' };
const GUEST = { value: 'licence:guest', display: 'Guest licence', type: 'Entitlement' };
const DESK = { value: 'licence:service-desk', display: 'Service desk', type: 'Entitlement' };

/** How often each of a list is assigned, by its id. */
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

describe('roles and licences that governance assigns', () => {
  async function withCompany(run: (bridge: TestBridge) => Promise<void>): Promise<void> {
    const sandbox = await startSandbox();
    try {
      sandbox.service.addUser({
        email: 'old@example.com',
        userName: 'old@example.com',
        fullName: 'Old Hand',
      });
      const settings = { ...SWEEP_SETTINGS };
      await withTestBridge({ settings, service: sandbox }, run);
    } finally {
      await sandbox.stop();
    }
  }

  test('are found, imported, assigned and taken in the order of Okta', async () => {
    await withCompany(async (bridge) => {
      await sweep(bridge);
      const types = listResources(await bridge.request('GET', '/ResourceTypes'));
      const schemas = listResources(await bridge.request('GET', '/Schemas')).map(({ id }) => id);
      const found = types.filter(({ name }) => name === 'Role' || name === 'Entitlement');
      const lists = await Promise.all(
        found.map(async ({ endpoint }) =>
          listResources(await bridge.request('GET', `${endpoint}?startIndex=1&count=100`)),
        ),
      );
      const old = await findId(bridge, { type: 'Users', name: 'old@example.com' });
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

      const ada = await addUser(bridge, 'ada', { entitlements: [GUEST] });
      await untilSettled(bridge);
      expect(readLicence(bridge, 'ada')).toBe(2);

      const desk = { value: DESK.value, display: 'Help desk' };
      const more = { op: 'add', path: 'entitlements', value: [desk] };
      await send(bridge, 'PATCH', `/Users/${ada}`, toPatch(more));
      await untilSettled(bridge);
      expect(readLicence(bridge, 'ada')).toBe(6);
      expect((await readUser(bridge, ada)).entitlements).toEqual([GUEST, desk]);
      await sweep(bridge);
      expect(await readTotals(bridge, '/Entitlements')).toEqual({
        'licence:full': 2,
        'licence:guest': 1,
        'licence:service-desk': 1,
      });
      expect(await readTotals(bridge, '/Roles')).toEqual({ 'role:owner': 1, 'role:user': 2 });

      const one = { op: 'remove', path: `entitlements[value eq "${GUEST.value}"]` };
      await send(bridge, 'PATCH', `/Users/${ada}`, toPatch(one));
      await untilSettled(bridge);
      expect(readLicence(bridge, 'ada')).toBe(4);

      await send(bridge, 'PUT', `/Users/${ada}`, toUser('ada', { entitlements: [] }));
      await untilSettled(bridge);
      expect(readLicence(bridge, 'ada')).toBe(0);
    });
  });

  test('are the same in any case', async () => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada', { entitlements: [FULL] });
      await untilSettled(bridge);
      bridge.sandbox.calls.reset();
      const change = (op: 'add' | 'replace', value: string) =>
        send(
          bridge,
          'PATCH',
          `/Users/${ada}`,
          toPatch({ op, path: 'entitlements', value: [{ value }] }),
        );

      await change('add', 'LICENCE:FULL');
      await change('replace', 'Licence:Full');
      await send(
        bridge,
        'PUT',
        `/Users/${ada}`,
        toUser('ada', { entitlements: [{ value: 'licence:FULL' }] }),
      );
      await untilSettled(bridge);

      expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
      expect((await readUser(bridge, ada)).entitlements).toEqual([{ value: 'licence:FULL' }]);
      expect((await bridge.request('GET', `/Users/${ada}`)).body[USER_EXTENSION]).toMatchObject({
        appsPermissions: 1,
      });

      await change('replace', 'LICENCE:GUEST');
      await untilSettled(bridge);
      expect(readLicence(bridge, 'ada')).toBe(2);
    });
  });

  test.each([
    ['entitlements', 'LICENCE:GOLD'],
    ['roles', 'Role:Pilot'],
    ['roles', 'ROLE:OWNER'],
  ])('that nobody can give are refused in any case: %s %s', async (list, value) => {
    await withCompany(async (bridge) => {
      const user = toUser('bob', { [list]: [{ value }] });
      const { status, body } = await bridge.request('POST', '/Users', user);

      expect({ status, scimType: body.scimType }).toEqual({
        status: 400,
        scimType: 'invalidValue',
      });
    });
  });

  test('stay where a PUT does not name them, and where nobody has assigned any', async () => {
    await withCompany(async (bridge) => {
      await sweep(bridge);
      const ada = await addUser(bridge, 'ada', { entitlements: [GUEST, { value: 'other' }] });
      const old = await findId(bridge, { type: 'Users', name: 'old@example.com' });
      await untilSettled(bridge);
      bridge.sandbox.calls.reset();

      await send(bridge, 'PUT', `/Users/${ada}`, toUser('ada'));
      const shown = await readUser(bridge, old);
      await send(bridge, 'PUT', `/Users/${old}`, { ...shown, entitlements: [{ value: 'other' }] });
      await untilSettled(bridge);

      expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
      expect([readLicence(bridge, 'ada'), readLicence(bridge, 'old')]).toEqual([2, 1]);
      expect(await readUser(bridge, ada)).toMatchObject({ entitlements: [GUEST] });
      expect((await readUser(bridge, old)).entitlements).toEqual([{ value: 'other' }]);
    });
  });

  test('are no longer shown of an account that is taken over without them', async () => {
    await withCompany(async (bridge) => {
      await sweep(bridge);
      const old = await findId(bridge, { type: 'Users', name: 'old@example.com' });

      const named = { op: 'replace', path: 'title', value: 'Captain' };
      await send(bridge, 'PATCH', `/Users/${old}`, toPatch(named));
      const cleared = { op: 'replace', path: 'entitlements', value: [] };
      await send(bridge, 'PATCH', `/Users/${old}`, toPatch(cleared));
      await untilSettled(bridge);

      expect(await readUser(bridge, old)).not.toHaveProperty('entitlements');
      expect(await readUser(bridge, old)).not.toHaveProperty('roles');
      expect(readLicence(bridge, 'old')).toBe(1);
    });
  });

  test('are the same in both places, whichever a write names', async () => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada', { entitlements: [GUEST] });
      const number = (value: number) => ({
        op: 'replace',
        path: `${USER_EXTENSION}:appsPermissions`,
        value,
      });
      await send(bridge, 'PATCH', `/Users/${ada}`, toPatch(number(5)));
      await untilSettled(bridge);

      expect((await readUser(bridge, ada)).entitlements).toEqual([FULL, DESK]);
      const both = toPatch(number(1), { op: 'replace', path: 'entitlements', value: [GUEST] });
      const refused = await bridge.request('PATCH', `/Users/${ada}`, both);
      expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
      expect(readLicence(bridge, 'ada')).toBe(5);
    });
  });

  test('go with the number where that is cleared', async () => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada', { entitlements: [GUEST, { value: 'other' }] });
      const clear = { op: 'remove', path: `${USER_EXTENSION}:appsPermissions` };
      await send(bridge, 'PATCH', `/Users/${ada}`, toPatch(clear));
      await untilSettled(bridge);

      const after = await readUser(bridge, ada);
      expect(after.entitlements).toEqual([{ value: 'other' }]);
      expect(after).not.toHaveProperty(USER_EXTENSION);
      expect(readLicence(bridge, 'ada')).toBe(2);
    });
  });

  test('that were stored before there were any keep nobody from losing access', async () => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada');
      const attributes = { ...toUser('ada'), entitlements: [{ value: 'licence:of-old' }] };
      await bridge.store.write((tx) =>
        tx
          .updateTable('users')
          .set({ attributes: JSON.stringify(attributes) })
          .where('id', '=', userId(ada))
          .execute(),
      );
      const inactive = toPatch({ op: 'replace', path: 'active', value: false });

      await send(bridge, 'PATCH', `/Users/${ada}`, inactive);

      expect((await readUser(bridge, ada)).entitlements).toEqual(attributes.entitlements);
    });
  });

  test('are taken back where the service refuses them together', async () => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada', { entitlements: [GUEST] });
      await untilSettled(bridge);
      const add = { op: 'add', path: 'entitlements', value: [FULL] };

      const refused = await bridge.request('PATCH', `/Users/${ada}`, toPatch(add));

      expect(refused.status).toBe(400);
      expect(await readUser(bridge, ada)).toMatchObject({
        entitlements: [GUEST],
        [USER_EXTENSION]: { appsPermissions: 2 },
      });
    });
  });

  test.each([
    { list: 'entitlements', value: 'licence:gold' },
    { list: 'roles', value: 'role:admin' },
    { list: 'roles', value: 'role:owner' },
  ])('are refused where the service has or gives none: $value', async ({ list, value }) => {
    await withCompany(async (bridge) => {
      const ada = await addUser(bridge, 'ada');
      const add = toPatch({ op: 'add', path: list, value: [{ value }] });
      const created = await bridge.request(
        'POST',
        '/Users',
        toUser('bea', { [list]: [{ value }] }),
      );
      const patched = await bridge.request('PATCH', `/Users/${ada}`, add);

      for (const answer of [created, patched]) {
        expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
      }
      expect(await readUser(bridge, ada)).not.toHaveProperty(list);
    });
  });

  test('are searched, sorted and cut as other lists are, and written by nobody', async () => {
    await withCompany(async (bridge) => {
      const get = async (path: string) =>
        listResources(await bridge.request('GET', path)).map(({ id }) => id);
      const filter = encodeURIComponent('displayName co "licence"');

      expect(await get(`/Entitlements?filter=${filter}`)).toEqual([FULL.value, GUEST.value]);
      expect(await get('/Entitlements?sortBy=displayName&sortOrder=descending&count=2')).toEqual([
        DESK.value,
        GUEST.value,
      ]);
      expect(await get('/Entitlements?startIndex=3')).toEqual([DESK.value]);
      const sought = { filter: 'id sw "role:"', sortBy: 'id', sortOrder: 'descending', count: 1 };
      const search = await bridge.request('POST', '/Roles/.search', sought);
      expect(search).toMatchObject({
        status: 200,
        body: { totalResults: 2, Resources: [{ id: 'role:user' }] },
      });
      expect((await bridge.request('POST', '/Entitlements/.search', [])).status).toBe(400);
      const allowed = await bridge.request('GET', '/Entitlements/.search');
      expect(allowed).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      const one = await bridge.request('GET', `/Entitlements/${FULL.value}?attributes=displayName`);
      expect(Object.keys(one.body).toSorted()).toEqual(['displayName', 'id', 'schemas']);
      expect((await bridge.request('GET', '/Roles/role:nobody')).status).toBe(404);
      expect((await bridge.request('POST', '/Roles', { displayName: 'x' })).status).toBe(405);
      expect((await bridge.request('DELETE', '/Roles/role:user')).status).toBe(405);
    });
  });
});
