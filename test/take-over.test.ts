import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { listReplicas } from '../src/store/replicas.ts';
import { listSweeps } from '../src/store/sweeps.ts';
import { addUser, toPatch, untilSettled } from './support/provider.ts';
import { toRequester } from './support/send-raw.ts';
import { startBridge } from './support/server.ts';
import { describePostgres } from './support/stores.ts';
import { withSlowness } from './support/yardstick.ts';

/** A lane is held for 18 s with it, a sweep always for a minute. */
const TIMEOUT_S = 4;
const OPS_TOKEN = 'ops-token-of-a-test-bridge';

describePostgres('a process that is killed', ({ makeUrl, open }) => {
  test('leaves its lanes and its sweep to another one within seconds, but no lane before its call has ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-take-over-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const url = await makeUrl('migrated');
    const env = {
      DATABASE_URL: url,
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_TIMEOUT: `${TIMEOUT_S}s`,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      SCIM_TOKENS: 'token-of-a-provider',
      SCIM_WRITE_WAIT: '0',
      AUDIT_POLL_INTERVAL: '0',
      SWEEP_INTERVAL: '0',
      OPS_TOKEN,
    };
    const doomed = await startBridge({ folder, env });
    onTestFinished(() => doomed.kill());
    await doomed.ready();
    const heir = await startBridge({ folder, env });
    onTestFinished(() => heir.kill());
    await heir.ready();
    const store = await open(url);
    const provider = toRequester(doomed);
    const rename = toPatch({ op: 'replace', path: 'name.familyName', value: 'King' });
    const ada = await addUser(provider, 'ada');
    await untilSettled({ store });
    sandbox.calls.reset();
    const change = sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
    const page = sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' } });
    await provider.request('PATCH', `/Users/${ada}`, rename);
    await change.until(1);
    const sweeping = new URL('/ops/sweeps', doomed.baseUrl).href;
    const asOperator = {
      authorization: `Bearer ${OPS_TOKEN}`,
      'content-type': 'application/json',
    };
    await provider.request('POST', sweeping, {}, asOperator);
    await page.until(1);

    await doomed.kill();
    const killedAt = performance.now();
    change.remove();
    page.remove();
    sandbox.faults.release();
    const sinceKilled = () => performance.now() - killedAt;
    const { result, slowness } = await withSlowness(() =>
      Promise.all([
        sandbox.calls.until(1, { operation: 'scim.getUser' }).then(sinceKilled),
        sandbox.calls.until(2, { operation: 'scim.getUsers' }).then(sinceKilled),
      ]),
    );
    const [laneMs, sweepMs] = result;
    await expect
      .poll(async () => (await listSweeps(store.read, ALL))[0]?.status, { timeout: 10_000 })
      .toBe('complete');

    // Five seconds when nothing else runs on the machine.
    expect(sweepMs / slowness.wall).toBeLessThan(12_000);
    expect(laneMs).toBeGreaterThan(TIMEOUT_S * 1_000);
    expect(laneMs / slowness.wall).toBeLessThan(15_000);
    expect(await listReplicas(store.read)).toHaveLength(1);
    await expect
      .poll(() => sandbox.service.getUser('ada@example.com').fullName, { timeout: 5_000 })
      .toBe('Ada King');
    expect(await heir.stop()).toBe(0);
    expect(await listReplicas(store.read)).toEqual([]);
  });
});

const ALL = { beforeSeq: Number.MAX_SAFE_INTEGER, limit: 10 };
