import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { withOwnBridge } from '../../src/app/own-bridge.ts';
import { sweepCommand } from '../../src/cli/sweep.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { runAlone } from '../support/command.ts';
import { ada } from '../support/drift-cells.ts';
import { addUser, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const run = (args: string, env: Readonly<Record<string, string>>) =>
  runAlone([sweepCommand(withOwnBridge)], args.split(' '), env);

describe('scim-bridge sweep where no bridge runs', () => {
  async function leaveStore() {
    // The clocks of a database and of this process may differ by some milliseconds.
    const service = await startSandbox({ clock: () => Date.now() + 1_000 });
    service.service.addUser({ email: 'admin@example.com' });
    onTestFinished(() => service.stop());
    const DATABASE_URL = await makeStoreUrl();
    const bridge = await startTestBridge({ service, settings: { DATABASE_URL } });
    await addUser(bridge, 'ada');
    await untilSettled(bridge);
    const env = {
      DATABASE_URL,
      UPSTREAM_URL: service.url,
      UPSTREAM_TOKEN: service.token,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      DRIFT_SETTLE: '0',
    };
    return { service, bridge, env };
  }

  test('compares by itself, repairs what the policy says, and says what it found', async () => {
    const { service, bridge, env } = await leaveStore();
    await bridge.stop();
    service.service.as('admin@example.com').setActive(ada, false);

    const dry = await run('sweep --dry-run --exit-code', { ...env, DRIFT_POLICY: 'repair' });
    const isLeft = !service.service.getUser(ada).active;
    const repaired = await run('sweep --exit-code', { ...env, DRIFT_POLICY: 'repair' });
    const after = await run('sweep --exit-code', env);

    expect(dry.text).toContain('discarded (dry-run)');
    expect([dry.code, isLeft]).toEqual([2, true]);
    expect(repaired.text).toContain('1 action, applied');
    expect(repaired.code).toBe(0);
    expect(service.service.getUser(ada).active).toBe(true);
    expect(after.code).toBe(0);
  });

  test('says that a decision is needed first, where the store may be an old backup', async () => {
    const { service, bridge, env } = await leaveStore();
    await bridge.stop();
    // By the account of the token, and unknown to the store.
    service.service.setActive(ada, false);

    const { code, text } = await run('sweep', env);

    expect(code).toBe(1);
    expect(text).toContain('scim-bridge plan show');
  });

  test.runIf(inject('engine') === 'sqlite')(
    'leaves a store alone that a running bridge has',
    async () => {
      const { bridge, env } = await leaveStore();
      onTestFinished(() => bridge.stop());

      const { code, text } = await run('sweep', env);

      expect(code).toBe(1);
      expect(text).toContain('another process');
    },
    15_000,
  );
});
