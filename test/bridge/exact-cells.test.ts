import { expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';

const ada = 'ada@example.com';
const suspended = { [USER_EXTENSION]: { temporarilyInactive: true } };

function isSuspended({ sandbox }: TestBridge, name = 'ada'): boolean | undefined {
  return sandbox.service.getUser(`${name}@example.com`).temporarilyInactive;
}

const SUSPENSION = `${USER_EXTENSION}:temporarilyInactive`;

test.each(['scim', 'temporarilyInactive'])(
  'where %s deactivates, a PUT without the extension and a null end a suspension in the service too',
  async (deactivation) => {
    const bridge = await forTest(
      startTestBridge({ settings: { USERS_DEACTIVATION: deactivation } }),
    );
    const put = await bridge.addUser('ada', suspended);
    const patched = await bridge.addUser('bob', suspended);
    await bridge.untilSettled();
    const before = ['ada', 'bob'].map((name) => isSuspended(bridge, name));

    const end = toPatch(replace(SUSPENSION, null));
    await bridge.send('PUT', `/Users/${put}`, toUser('ada'));
    await bridge.send('PATCH', `/Users/${patched}`, end);
    await bridge.sweep();

    expect(before).toEqual([true, true]);
    expect(['ada', 'bob'].map((name) => isSuspended(bridge, name))).toEqual([false, false]);
    expect(await bridge.listDrifts()).toEqual([]);
  },
);

test('a PUT that says nothing of it leaves alone a suspension that no provider asked for', async () => {
  const sandbox = { seed: { users: 0 } };
  const bridge = await forTest(
    startTestBridge({
      sandbox,
      prepare: ({ service }) => {
        service.addUser({ email: ada });
        service.updateUser(ada, { temporarilyInactive: true });
      },
    }),
  );
  const { body } = await bridge.send('POST', '/Users', toUser('ada'));

  await bridge.send('PUT', `/Users/${String(body.id)}`, toUser('ada', { title: 'Pilot' }));
  await bridge.untilSettled();

  expect(isSuspended(bridge)).toBe(true);
});

test('a write of one attribute of an extension leaves drift of its sibling, with a path and without one', async () => {
  const bridge = await forTest(startTestBridge());
  const { service } = bridge.sandbox;
  const writes: Record<string, JsonObject> = {
    ada: toPatch(replace(SUSPENSION, true)),
    bob: toPatch({ op: 'replace', value: suspended }),
  };
  const ids = new Map<string, string>();
  for (const name of Object.keys(writes)) {
    ids.set(name, await bridge.addUser(name, { [USER_EXTENSION]: { appsPermissions: 1 } }));
  }
  await bridge.untilSettled();
  for (const name of ids.keys()) {
    service.updateUser(`${name}@example.com`, { appsPermissions: 2 });
  }
  await bridge.sweep();

  for (const [name, id] of ids) await bridge.send('PATCH', `/Users/${id}`, writes[name]);
  await bridge.untilSettled();

  for (const name of ids.keys()) {
    const shown = { temporarilyInactive: true, appsPermissions: 2 };
    expect(service.getUser(`${name}@example.com`)).toMatchObject(shown);
  }
});
