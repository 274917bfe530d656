import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge, TestBridgeOptions } from './bridge.ts';
import { startTestBridge } from './bridge.ts';
import { makeStoreUrl } from './take-store.ts';

/** A service and a store that outlive the bridges between them. Ends with the test. */
export type Lives = Awaited<ReturnType<typeof makeLives>>;

interface Given {
  readonly settings?: Readonly<Record<string, string>>;
  readonly sandbox?: SandboxOptions | undefined;
  readonly clock?: Clock;
}

/** What all lives have: a store, unless the settings name one, and the service. */
export async function makeLives(given: Given = {}) {
  const { clock } = given;
  const time = clock === undefined ? {} : { clock: clock.now };
  const sandbox = await startSandbox({ ...time, ...given.sandbox });
  onTestFinished(() => sandbox.stop());
  const DATABASE_URL = given.settings?.DATABASE_URL ?? (await makeStoreUrl());
  return {
    sandbox,
    async live<T>(
      life: (bridge: TestBridge) => Promise<T>,
      settings?: Readonly<Record<string, string>>,
      options: Omit<TestBridgeOptions, 'service' | 'settings'> = {},
    ): Promise<T> {
      const all = { ...given.settings, DATABASE_URL, ...settings };
      const bridge = await startTestBridge({
        ...{ service: sandbox, settings: all, ...(clock && { clock }) },
        ...options,
      });
      try {
        return await life(bridge);
      } finally {
        await bridge.stop();
      }
    },
  };
}

/** Every person and group of the service, with who is in it. */
export function describeService({ service }: Pick<Sandbox, 'service'>) {
  return {
    people: service.users().map(({ email, active, fullName }) => ({ email, active, fullName })),
    groups: service.groups().map(({ name }) => ({ name, members: service.members(name) })),
  };
}
