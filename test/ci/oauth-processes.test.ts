import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { withTestBridge } from '../support/bridge.ts';
import { askUsers, fetchToken, getToken, makeClient } from '../support/oauth-clients.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { createSetClock } from '../support/set-clock.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

describePostgres('OAuth of two processes on one store', ({ makeUrl }) => {
  test('a token from here opens there, and ends there within five seconds of its client', async () => {
    const clock = createSetClock();
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ service, settings, clock }, (here) =>
      withTestBridge({ service, settings, clock }, async (there) => {
        const client = await makeClient(here, 'entra');
        const token = await getToken(there, client);
        expect((await askUsers(here, token)).status).toBe(200);
        expect((await askUsers(there, token)).status).toBe(200);
        await askOps(here, 'POST', '/clients/entra/revoke');
        expect((await askUsers(here, token)).status).toBe(401);
        expect((await fetchToken(there, client)).status).toBe(401);
        clock.state.aheadMs = 5_000;
        expect((await askUsers(there, token)).status).toBe(401);
      }),
    );
  });
});
