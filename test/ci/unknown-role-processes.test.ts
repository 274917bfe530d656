import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { findId, toPatch } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';
import { tamperWith, withEntries } from '../support/tampering-proxy.ts';

const [boss, clerk] = ['boss@example.com', 'clerk@example.com'];
const off = toPatch({ op: 'replace', path: 'active', value: false });

/** A service whose list of company users leaves these two out, although a search finds them: so is a list that lags. */
async function startService() {
  const sandbox = await startSandbox();
  sandbox.service.addUser({ email: boss, role: 1 });
  sandbox.service.addUser({ email: clerk });
  const proxy = await tamperWith(sandbox);
  const isLagging = (url: URL) =>
    url.pathname.endsWith('/company/users') && !url.searchParams.get('query');
  const leaveOut = withEntries((entries) =>
    entries.filter((entry) => ![boss, clerk].includes(String(Object(entry).email))),
  );
  proxy.setTamper((url, body) => (isLagging(url) ? leaveOut(body) : body));
  onTestFinished(async () => {
    await proxy.stop();
    await sandbox.stop();
  });
  return proxy.service;
}

async function startBridge(
  service: Awaited<ReturnType<typeof startService>>,
  settings: Readonly<Record<string, string>>,
): Promise<TestBridge> {
  const bridge = await startTestBridge({ service, settings: { ...SWEEP_SETTINGS, ...settings } });
  onTestFinished(() => bridge.stop());
  return bridge;
}

describePostgres('the role of an account, asked for by a process that does not lead', (stores) => {
  test('is read by the leader', async () => {
    const service = await startService();
    const DATABASE_URL = await stores.makeUrl('migrated');
    await startBridge(service, { DATABASE_URL });
    const other = await startBridge(service, { DATABASE_URL });
    const id = await findId(other, { type: 'Users', name: 'boss' });

    const answer = await other.request('PATCH', `/Users/${id}`, off);

    expect(answer.status).toBe(403);
    expect(answer.body.detail).toContain('owner');
  });
});
