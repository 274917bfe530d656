import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { bridgeForTest, type TestBridge } from '../support/bridge.ts';
import { admit, listResources, type TestAnswer, toPatch } from '../support/provider.ts';

const GROUP = 'Pilots';

interface Row {
  readonly what: string;
  readonly shape: SandboxShapeChange;
  readonly members: number;
  readonly callsMax: number;
}

const rows: readonly Row[] = [
  { what: 'where a call may carry many members', shape: {}, members: 500, callsMax: 59 },
  {
    what: 'where a call carries one member',
    shape: { memberPatch: 'none' },
    members: 100,
    // One each, and what it takes to find out that no batch is taken: halves, in each form, and looks between.
    callsMax: 100 + 30,
  },
];

const ATTEMPTS_MAX = 50;

/** As a provider does: a server that is busy, on a machine that is, is asked again when it says. */
async function sendUntilTaken(
  bridge: TestBridge,
  path: string,
  body: JsonObject,
): Promise<TestAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await bridge.request('PATCH', path, body);
    if (answer.status !== 503 || attempt === ATTEMPTS_MAX) return answer;
    await sleep(Number(answer.headers['retry-after']) * 1_000);
  }
}

describe('hundreds of PATCHes of one member each at the same time', () => {
  for (const { what, shape, members, callsMax } of rows) {
    test(`${what}: nobody is lost, in the fewest calls`, async () => {
      const bridge = await bridgeForTest({ sandbox: { shape, seed: { users: members } } });
      const { sandbox } = bridge;
      const list = await bridge.send('GET', '/Users?count=1000');
      const people = listResources(list).filter(({ userName }) => userName !== 'owner');
      const ids = people.map(({ id }) => String(id));
      const path = `/Groups/${await bridge.addGroup(GROUP)}`;
      sandbox.calls.reset();

      const answers = await Promise.all(
        ids.map((id) => sendUntilTaken(bridge, path, toPatch(admit(id)))),
      );
      await bridge.untilSettled();

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await bridge.readMemberIds(path.replace('/Groups/', ''))).toEqual(ids.toSorted());
      expect(sandbox.service.members(GROUP)).toHaveLength(members);
      expect(sandbox.calls.count()).toBeLessThanOrEqual(callsMax);
    });
  }
});
