import { expect, onTestFinished, test } from 'vitest';
import { bridgeForTest } from '../support/bridge.ts';
import { askWith, fetchToken, makeClient, makeToken } from '../support/credentials.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { describePostgres } from '../support/take-store.ts';

describePostgres('a store that cannot be asked', ({ makeUrl }) => {
  test('lets nobody in and calls nobody wrong: 503 with a time to come again, for tokens of the store', async () => {
    const proxy = await startPostgresProxy(await makeUrl('migrated'));
    onTestFinished(() => proxy.stop());
    const bridge = await bridgeForTest({ settings: { DATABASE_URL: proxy.url } });
    const { text } = await makeToken(bridge, { name: 'okta' });
    const client = await makeClient(bridge, 'entra');
    const url = new URL('/ops/status', bridge.baseUrl).href;
    proxy.setRefusing(true);
    const [scim, ops, oauth] = await Promise.all([
      askWith(bridge, text),
      bridge.request('GET', url, undefined, { authorization: `Bearer ${text}` }),
      fetchToken(bridge, client),
    ]);
    proxy.setRefusing(false);

    expect([scim.status, ops.status, oauth.status]).toEqual([503, 503, 503]);
    for (const { headers } of [scim, ops, oauth]) expect(headers['retry-after']).toMatch(/^\d+$/);
    await expect.poll(async () => (await askWith(bridge, text)).status).toBe(200);
  });
});
