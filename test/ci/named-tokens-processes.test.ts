import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { createSetClock } from '../support/set-clock.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

/** Makes a token below `/ops`. */
async function makeToken(bridge: TestBridge, wish: { [name: string]: string }) {
  const { status, body } = await askOps(bridge, 'POST', '/tokens', wish);
  expect(status).toBe(201);
  return { id: String(body.id), text: String(body.token) };
}

async function ask(bridge: TestBridge, text: string) {
  return bridge.request('GET', '/Users', undefined, { authorization: `Bearer ${text}` });
}

describePostgres('named tokens of two processes on one store', ({ makeUrl }) => {
  test('one made here opens there, and ends there within five seconds of being revoked here', async () => {
    const clock = createSetClock();
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ service, settings, clock }, (here) =>
      withTestBridge({ service, settings, clock }, async (there) => {
        const { text } = await makeToken(here, { name: 'okta' });
        expect((await ask(there, text)).status).toBe(200);
        await askOps(here, 'POST', '/tokens/okta/revoke');
        expect((await ask(here, text)).status).toBe(401);
        clock.state.aheadMs = 5_000;
        expect((await ask(there, text)).status).toBe(401);
      }),
    );
  });
});
