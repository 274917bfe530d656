import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addUser, send, toPatch, toUser, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const ada = 'ada@example.com';
const suspended = { [USER_EXTENSION]: { temporarilyInactive: true } };

function isSuspended({ sandbox }: TestBridge, name = 'ada'): boolean | undefined {
  return sandbox.service.getUser(`${name}@example.com`).temporarilyInactive;
}

const SUSPENSION = `${USER_EXTENSION}:temporarilyInactive`;
const clearings: { what: string; method: string; toBody: (name: string) => JsonObject }[] = [
  { what: 'a PUT without the extension', method: 'PUT', toBody: (name) => toUser(name) },
  {
    what: 'a null',
    method: 'PATCH',
    toBody: () => toPatch({ op: 'replace', path: SUSPENSION, value: null }),
  },
];

describe.each(['scim', 'temporarilyInactive'])('where %s deactivates', (deactivation) => {
  let bridge: TestBridge;
  beforeAll(async () => {
    const settings = { ...SWEEP_SETTINGS, USERS_DEACTIVATION: deactivation };
    bridge = await startTestBridge({ settings });
  });
  afterAll(() => bridge.stop());

  test.each(clearings.map((row, index) => ({ ...row, name: `ada${index}` })))(
    '$what ends a suspension in the service too',
    async ({ method, toBody, name }) => {
      const id = await addUser(bridge, name, suspended);
      await untilSettled(bridge);
      const before = isSuspended(bridge, name);

      await send(bridge, method, `/Users/${id}`, toBody(name));
      await untilSettled(bridge);
      await sweep(bridge);

      expect([before, isSuspended(bridge, name)]).toEqual([true, false]);
      expect(await listManagedDrifts(bridge)).toEqual([]);
    },
  );
});

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

const writes: { method: string; body: JsonObject }[] = [
  {
    method: 'PATCH',
    body: toPatch({
      op: 'replace',
      path: `${USER_EXTENSION}:temporarilyInactive`,
      value: true,
    }),
  },
  { method: 'PATCH', body: toPatch({ op: 'replace', value: suspended }) },
];

test.each(writes)(
  'a write of one attribute of an extension ($body) leaves drift of its sibling',
  async ({ method, body }) => {
    await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
      const id = await addUser(bridge, 'ada', { [USER_EXTENSION]: { appsPermissions: 1 } });
      await untilSettled(bridge);
      bridge.sandbox.service.updateUser(ada, { appsPermissions: 2 });
      await sweep(bridge);

      await send(bridge, method, `/Users/${id}`, body);
      await untilSettled(bridge);

      expect(isSuspended(bridge)).toBe(true);
      expect(bridge.sandbox.service.getUser(ada).appsPermissions).toBe(2);
    });
  },
);
