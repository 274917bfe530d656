import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, type TestAnswer, toMembers, toPatch } from '../support/provider.ts';

interface Row {
  readonly what: string;
  readonly operation: OperationName;
  /** Makes the resource. @returns its path and two changes of it */
  readonly make: (
    bridge: TestBridge,
  ) => Promise<{ path: string; changes: [JsonObject, JsonObject] }>;
}

const rows: readonly Row[] = [
  {
    what: 'user',
    operation: 'scim.updateUser',
    make: async (bridge) => ({
      path: `/Users/${await bridge.addUser('ada')}`,
      changes: [replace('name.familyName', 'King'), replace('name.familyName', 'Byron')],
    }),
  },
  {
    what: 'group',
    operation: 'groupUsers.addUserToGroup',
    make: async (bridge) => {
      const [ada, bob] = [await bridge.addUser('ada'), await bridge.addUser('bob')];
      const toAdd = (id: string) => ({ op: 'add', path: 'members', value: toMembers([id]) });
      return {
        path: `/Groups/${await bridge.addGroup('Pilots')}`,
        changes: [toAdd(ada), toAdd(bob)],
      };
    },
  },
];

async function readVersion(bridge: TestBridge, path: string): Promise<unknown> {
  const { meta } = (await bridge.send('GET', path)).body;
  return Object(meta).version;
}

describe('a change of a resource that is written again meanwhile', () => {
  test.each(rows)(
    'is answered when the service has it, not after the next one ($what)',
    async ({ operation, make }) => {
      const waits = { SCIM_WRITE_WAIT: '60s', UPSTREAM_TIMEOUT: '5m' };
      const bridge = await forTest(startTestBridge({ settings: { ...waits } }));
      const { path, changes } = await make(bridge);
      await bridge.untilSettled();
      const [first, second] = changes;
      const { faults } = bridge.sandbox;
      const hung = { kind: 'hang' } as const;
      const calls = faults.add({ operation, fault: hung, times: 1 });
      const next = faults.add({ operation, fault: { kind: 'hang' } });

      let early: TestAnswer | undefined;
      void bridge.request('PATCH', path, toPatch(first)).then((answer) => {
        early = answer;
      });
      await calls.until(1);
      const before = await readVersion(bridge, path);
      const other = bridge.request('PATCH', path, toPatch(second));
      await expect.poll(() => readVersion(bridge, path)).not.toBe(before);
      faults.release(hung);
      await next.until(1);

      // Long before its own wait is over, while the next call has no answer.
      const answered = expect.poll(() => early?.status, { timeout: 20_000 });
      await answered.toBeLessThan(300).finally(() => faults.clear());
      expect((await other).status).toBeLessThan(300);
    },
  );
});
