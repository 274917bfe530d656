import { beforeAll, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';

const PAIRS = 5;
const setActive = (value: boolean) => toPatch(replace('active', value));
const suspend = (value: boolean) =>
  toPatch(replace(`${USER_EXTENSION}:temporarilyInactive`, value));

/** These two people are the owners of the company, and nobody else is. */
async function addOwners(bridge: TestBridge): Promise<[string, string]> {
  const [first = '', second = ''] = await bridge.addUsers(2);
  const { service } = bridge.sandbox;
  for (const email of ['person1@example.com', 'person2@example.com'])
    service.updateUser(email, { role: 1 });
  service.updateUser('owner@example.com', { role: 2 });
  await bridge.sweep();
  return [`/Users/${first}`, `/Users/${second}`];
}

describe('the last owner', () => {
  const bridge = forSuite(() => startTestBridge({}));
  let paths: [string, string];
  beforeAll(async () => {
    paths = await addOwners(bridge);
  });

  test('is left by two requests at the same time that would each deactivate one of two owners', async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const answers = await Promise.all(
        paths.map((path) => bridge.request('PATCH', path, setActive(false))),
      );

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      for (const path of paths) await bridge.send('PATCH', path, setActive(true));
    }
  });

  test('does not count on somebody whom the service was seen to have deactivated', async () => {
    const [first, second] = paths;
    bridge.sandbox.service.updateUser('person1@example.com', { active: false });
    // The answer to this one shows it.
    const name = replace('name.familyName', 'K');
    await bridge.patch(first, name);

    expect((await bridge.request('PATCH', second, setActive(false))).status).toBe(403);
    await bridge.send('PATCH', first, setActive(true));
  });

  test('is neither deactivated nor suspended nor deleted once the other one was', async () => {
    const [first, second] = paths;
    const { calls } = bridge.sandbox;
    const departures: {
      leave: (path: string) => [string, string, JsonObject?];
      back?: JsonObject;
    }[] = [
      { leave: (path) => ['PATCH', path, setActive(false)], back: setActive(true) },
      { leave: (path) => ['PATCH', path, suspend(true)], back: suspend(false) },
      { leave: (path) => ['DELETE', path] },
    ];
    for (const { leave, back } of departures) {
      await bridge.send(...leave(first));
      await bridge.untilSettled();
      calls.reset();

      for (const other of departures) {
        const answer = await bridge.request(...other.leave(second));
        expect(answer.status).toBe(403);
        expect(answer.body.detail).toContain('last owner');
      }

      expect(calls.count({ mutating: true })).toBe(0);
      if (back !== undefined) await bridge.send('PATCH', first, back);
      await bridge.untilSettled();
    }
  });
});
