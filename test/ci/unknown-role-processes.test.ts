import { expect, test } from 'vitest';
import { startBridgeOf, startLaggingService } from '../support/lagging-service.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { findId, toPatch } from '../support/provider.ts';

const off = toPatch({ op: 'replace', path: 'active', value: false });

describePostgres('the role of an account, asked for by a process that does not lead', (stores) => {
  test('is read by the leader', async () => {
    const service = await startLaggingService();
    const DATABASE_URL = await stores.makeUrl('migrated');
    await startBridgeOf(service, { DATABASE_URL });
    const other = await startBridgeOf(service, { DATABASE_URL });
    const id = await findId(other, { type: 'Users', name: 'boss' });

    const answer = await other.request('PATCH', `/Users/${id}`, off);

    expect(answer.status).toBe(403);
    expect(answer.body.detail).toContain('owner');
  });
});
