import { describe, expect, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from './bridge.ts';
import { addGroup, addUser, untilSettled } from './provider.ts';

/** Every call that reached the service, reads too; what is not named must not be called. */
export type Calls = Partial<Record<OperationName, number>>;

/** What a request of an identity provider costs. */
export interface CallRow {
  readonly what: string;
  /** Default: none. */
  readonly tags?: readonly string[];
  readonly sandbox?: SandboxOptions;
  /** As environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly calls: Calls;
  /** What happened before; gives the requests whose calls are counted. */
  prepare(bridge: TestBridge): Promise<() => Promise<unknown>>;
}

/** 2 people and 1 group with both of them that were there before the bridge. */
export const inhabited: SandboxOptions = { seed: { users: 2, groups: 1 } };

/** A row that is about one person, ada, whom the bridge has created. */
export function withAda(
  act: (bridge: TestBridge, path: string) => Promise<unknown>,
): Pick<CallRow, 'prepare'> {
  return {
    async prepare(bridge) {
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      return () => act(bridge, path);
    },
  };
}

/** A row that is about one group, of which ada is a member and bob is not. */
export function withGroup(
  act: (bridge: TestBridge, ids: { path: string; ada: string; bob: string }) => Promise<unknown>,
): Pick<CallRow, 'prepare'> {
  return {
    async prepare(bridge) {
      const [ada, bob] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const path = `/Groups/${await addGroup(bridge, 'Pilots', [ada])}`;
      return () => act(bridge, { path, ada, bob });
    },
  };
}

/** A test for each row: its calls are counted until nothing is left to do. */
export function runCallTable(title: string, rows: readonly CallRow[]): void {
  describe(title, () => {
    for (const { what = [], sandbox, settings = {}, calls, prepare } of rows) {
      test(`${what}: ${toWords(calls)}`, async () => {
        await withTestBridge({ ...(sandbox ? { sandbox } : {}), settings }, async (bridge) => {
          const act = await prepare(bridge);
          await untilSettled(bridge);
          bridge.sandbox.calls.reset();

          await act();
          await untilSettled(bridge);

          expect(countCalls(bridge)).toEqual(withoutZeros(calls));
        });
      });
    }
  });
}

function countCalls({ sandbox }: TestBridge): Record<string, number> {
  const byStatus = Object.entries(sandbox.calls.counts());
  return Object.fromEntries(
    byStatus.map(([operation, counts]) => [
      operation,
      Object.values(counts).reduce((total, count) => total + count, 0),
    ]),
  );
}

function withoutZeros(calls: Calls): Record<string, number> {
  return Object.fromEntries(Object.entries(calls).filter(([, count]) => count > 0));
}

function toWords(calls: Calls): string {
  const parts = Object.entries(withoutZeros(calls)).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'no call' : parts.join(', ');
}
