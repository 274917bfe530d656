import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { addUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const PATIENT = { interval: 10 };
const ada = 'ada@example.com';

function look(bridge: TestBridge, path: string, body: JsonObject = {}) {
  return askOps(bridge, 'POST', `/${path}/look`, body);
}

describePostgres('a look that a process is asked for which does not lead', ({ makeUrl }) => {
  async function startPair() {
    const service = await startSandbox();
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    const leader = await startTestBridge({ settings, service });
    const other = await startTestBridge({ settings, service });
    onTestFinished(async () => {
      await other.stop();
      await leader.stop();
      await service.stop();
    });
    return { service, other };
  }

  test('is made by the leader, which repairs too', async () => {
    const { service, other } = await startPair();
    const id = await addUser(other, 'ada');
    await untilSettled(other);
    service.service.setActive(ada, false);
    service.calls.reset();

    const { status, body } = await look(other, `users/${id}`, { repair: true });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ type: 'user', id, calls: 1, repair: { exceeded: [] } },
      differences: [{ kind: 'user.deactivated' }],
    });
    await expect.poll(() => service.service.getUser(ada).active, PATIENT).toBe(true);
  });

  test('says as there that nothing has the id, and what the service answered', async () => {
    const { service, other } = await startPair();
    const id = await addUser(other, 'ada');
    await untilSettled(other);
    const failing = { kind: 'status', status: 500 } as const;
    service.faults.add({ operation: 'scim.getUser', fault: failing });

    const unknown = await look(other, `users/${'0'.repeat(32)}`);
    const failed = await look(other, `users/${id}`);

    expect([unknown.status, unknown.body.code]).toEqual([404, 'not-found']);
    expect([failed.status, failed.body.code]).toEqual([503, 'could-not-look']);
  });
});
