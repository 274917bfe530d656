import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { withTestBridge } from '../support/bridge.ts';
import { askWith, makeToken } from '../support/named-token.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { createSetClock } from '../support/set-clock.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

describePostgres('named tokens of two processes on one store', ({ makeUrl }) => {
  test('one made here opens there, and ends there within five seconds of being revoked here', async () => {
    const clock = createSetClock();
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ service, settings, clock }, (here) =>
      withTestBridge({ service, settings, clock }, async (there) => {
        const { text } = await makeToken(here, { name: 'okta' });
        expect((await askWith(there, text)).status).toBe(200);
        await askOps(here, 'POST', '/tokens/okta/revoke');
        expect((await askWith(here, text)).status).toBe(401);
        clock.state.aheadMs = 5_000;
        expect((await askWith(there, text)).status).toBe(401);
      }),
    );
  });
});
