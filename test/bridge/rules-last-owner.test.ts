import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addUsers, send, toPatch, untilSettled } from '../support/provider.ts';
import { SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PAIRS = 5;
const enable = toPatch({ op: 'replace', path: 'active', value: true });
const disable = toPatch({ op: 'replace', path: 'active', value: false });
const suspend = toPatch({
  op: 'replace',
  path: `${USER_EXTENSION}:temporarilyInactive`,
  value: true,
});

/** These two people are the owners of the company, and nobody else is. */
async function addOwners(bridge: TestBridge): Promise<[string, string]> {
  const [first = '', second = ''] = await addUsers(bridge, 2);
  const { service } = bridge.sandbox;
  for (const email of ['person1@example.com', 'person2@example.com']) service.setRole(email, 1);
  service.setRole('owner@example.com', 2);
  await sweep(bridge);
  return [`/Users/${first}`, `/Users/${second}`];
}

describe('the last owner', () => {
  async function withOwners(
    run: (bridge: TestBridge, paths: [string, string]) => Promise<void>,
  ): Promise<void> {
    await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) =>
      run(bridge, await addOwners(bridge)),
    );
  }

  const departures: { what: string; leave: (path: string) => [string, string, JsonObject?] }[] = [
    { what: 'deactivated', leave: (path) => ['PATCH', path, disable] },
    { what: 'suspended', leave: (path) => ['PATCH', path, suspend] },
    { what: 'deleted', leave: (path) => ['DELETE', path] },
  ];
  for (const { what, leave } of departures) {
    test(`is neither deactivated nor suspended nor deleted once the other one was ${what}`, () =>
      withOwners(async (bridge, [first, second]) => {
        await send(bridge, ...leave(first));
        await untilSettled(bridge);
        bridge.sandbox.calls.reset();

        for (const departure of departures) {
          const answer = await bridge.request(...departure.leave(second));
          expect(answer.status).toBe(403);
          expect(answer.body.detail).toContain('last owner');
        }

        expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
      }));
  }

  test('does not count on somebody whom the service was seen to have deactivated', () =>
    withOwners(async (bridge, [first, second]) => {
      bridge.sandbox.service.setActive('person1@example.com', false);
      // The answer to this one shows it.
      await send(
        bridge,
        'PATCH',
        first,
        toPatch({ op: 'replace', path: 'name.familyName', value: 'K' }),
      );

      expect((await bridge.request('PATCH', second, disable)).status).toBe(403);
    }));

  test('is left by two requests at the same time that would each deactivate one of two owners', () =>
    withOwners(async (bridge, paths) => {
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const answers = await Promise.all(
          paths.map((path) => bridge.request('PATCH', path, disable)),
        );

        expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
        for (const path of paths) await send(bridge, 'PATCH', path, enable);
      }
    }));
});
