import { expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addUser, send, toPatch, toUser, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const ada = 'ada@example.com';
const suspended = { [USER_EXTENSION]: { temporarilyInactive: true } };

function isSuspended({ sandbox }: TestBridge, name = 'ada'): boolean | undefined {
  return sandbox.service.getUser(`${name}@example.com`).temporarilyInactive;
}

const SUSPENSION = `${USER_EXTENSION}:temporarilyInactive`;

test.each(['scim', 'temporarilyInactive'])(
  'where %s deactivates, a PUT without the extension and a null end a suspension in the service too',
  (deactivation) =>
    withTestBridge(
      { settings: { ...SWEEP_SETTINGS, USERS_DEACTIVATION: deactivation } },
      async (bridge) => {
        const put = await addUser(bridge, 'ada', suspended);
        const patched = await addUser(bridge, 'bob', suspended);
        await untilSettled(bridge);
        const before = ['ada', 'bob'].map((name) => isSuspended(bridge, name));

        const end = toPatch({ op: 'replace', path: SUSPENSION, value: null });
        await send(bridge, 'PUT', `/Users/${put}`, toUser('ada'));
        await send(bridge, 'PATCH', `/Users/${patched}`, end);
        await sweep(bridge);

        expect(before).toEqual([true, true]);
        expect(['ada', 'bob'].map((name) => isSuspended(bridge, name))).toEqual([false, false]);
        expect(await listManagedDrifts(bridge)).toEqual([]);
      },
    ),
);

test('a PUT that says nothing of it leaves alone a suspension that no provider asked for', async () => {
  const sandbox = { seed: { users: 0 } };
  await withTestBridge(
    {
      sandbox,
      prepare: ({ service }) => {
        service.addUser({ email: ada });
        service.updateUser(ada, { temporarilyInactive: true });
      },
    },
    async (bridge) => {
      const { body } = await send(bridge, 'POST', '/Users', toUser('ada'));

      await send(bridge, 'PUT', `/Users/${String(body.id)}`, toUser('ada', { title: 'Pilot' }));
      await untilSettled(bridge);

      expect(isSuspended(bridge)).toBe(true);
    },
  );
});

test('a write of one attribute of an extension leaves drift of its sibling, with a path and without one', () =>
  withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const { service } = bridge.sandbox;
    const writes: Record<string, JsonObject> = {
      ada: toPatch({ op: 'replace', path: SUSPENSION, value: true }),
      bob: toPatch({ op: 'replace', value: suspended }),
    };
    const ids = new Map<string, string>();
    for (const name of Object.keys(writes)) {
      ids.set(name, await addUser(bridge, name, { [USER_EXTENSION]: { appsPermissions: 1 } }));
    }
    await untilSettled(bridge);
    for (const name of ids.keys()) {
      service.updateUser(`${name}@example.com`, { appsPermissions: 2 });
    }
    await sweep(bridge);

    for (const [name, id] of ids) await send(bridge, 'PATCH', `/Users/${id}`, writes[name]);
    await untilSettled(bridge);

    for (const name of ids.keys()) {
      const shown = { temporarilyInactive: true, appsPermissions: 2 };
      expect(service.getUser(`${name}@example.com`)).toMatchObject(shown);
    }
  }));
