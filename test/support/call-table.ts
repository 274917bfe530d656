import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge, withTestBridge } from './bridge.ts';
import { addGroup, addUser, untilSettled } from './provider.ts';

/** Every call that reached the service, reads too; what is not named must not be called. */
export type Calls = Partial<Record<OperationName, number>>;

/** What a request of an identity provider costs. */
export interface CallRow {
  readonly what: string;
  readonly sandbox?: SandboxOptions;
  /** As environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly calls: Calls;
  /** What happened before; gives the requests whose calls are counted. */
  prepare(bridge: TestBridge): Promise<() => Promise<unknown>>;
}

let counter = 0;

/** A row that is about one person, whom the bridge has created under this name. */
export function withAda(
  act: (bridge: TestBridge, path: string, name: string) => Promise<unknown>,
): Pick<CallRow, 'prepare'> {
  return {
    async prepare(bridge) {
      counter += 1;
      const name = `ada${counter}`;
      const path = `/Users/${await addUser(bridge, name)}`;
      return () => act(bridge, path, name);
    },
  };
}

/** A row that is about one group of this name, of which ada is a member and bob is not. */
export function withGroup(
  act: (
    bridge: TestBridge,
    ids: { path: string; name: string; ada: string; bob: string },
  ) => Promise<unknown>,
): Pick<CallRow, 'prepare'> {
  return {
    async prepare(bridge) {
      counter += 1;
      const name = `Pilots ${counter}`;
      const ada = await addUser(bridge, `ada${counter}`);
      const bob = await addUser(bridge, `bob${counter}`);
      const path = `/Groups/${await addGroup(bridge, name, [ada])}`;
      return () => act(bridge, { path, name, ada, bob });
    },
  };
}

/**
 * A test for each row: its calls are counted until nothing is left to do. Rows without a sandbox or settings of their
 * own share a bridge, before which 2 people were there and 1 group with both of them.
 */
export function runCallTable(title: string, rows: readonly CallRow[]): void {
  describe(title, () => {
    const isShared = ({ sandbox, settings }: CallRow) => (sandbox ?? settings) === undefined;
    let shared: TestBridge | undefined;
    beforeAll(async () => {
      const sandbox = { seed: { users: 2, groups: 1 } };
      if (rows.some(isShared)) shared = await startTestBridge({ sandbox });
    });
    afterAll(() => shared?.stop());

    for (const row of rows) {
      const { what, sandbox, settings = {}, calls, prepare } = row;
      test(`${what}: ${toWords(calls)}`, async () => {
        const run = async (bridge: TestBridge) => {
          const counted = await countCalls(bridge, await prepare(bridge));
          expect(counted).toEqual(withoutZeros(calls));
        };
        if (shared !== undefined && isShared(row)) await run(shared);
        else await withTestBridge({ ...(sandbox ? { sandbox } : {}), settings }, run);
      });
    }
  });
}

/** How often each operation was called until nothing was left to do. */
export async function countCalls(
  bridge: TestBridge,
  act: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const { calls } = bridge.sandbox;
  await untilSettled(bridge);
  calls.reset();
  await act();
  await untilSettled(bridge);
  return Object.fromEntries(
    Object.entries(calls.counts()).map(([operation, counts]) => [
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
