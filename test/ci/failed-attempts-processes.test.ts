import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

describePostgres('a store that cannot be asked', ({ makeUrl }) => {
  test('lets nobody in and calls nobody wrong: 503 with a time to come again, for tokens of the store', async () => {
    const proxy = await startPostgresProxy(await makeUrl('migrated'));
    onTestFinished(() => proxy.stop());
    const settings = { DATABASE_URL: proxy.url };
    const bridge = await forTest(startTestBridge({ settings }));
    const { body } = await bridge.ops('POST', '/tokens', { name: 'okta' });
    const { body: made } = await bridge.ops('POST', '/clients', { name: 'entra' });
    const presented = { authorization: `Bearer ${body.token}` };
    const client = new URLSearchParams({
      ...{ grant_type: 'client_credentials' },
      ...{ client_id: String(made.id), client_secret: String(made.secret) },
    });
    const url = new URL('/ops/status', bridge.baseUrl).href;
    proxy.setRefusing(true);
    const [scim, ops, oauth] = await Promise.all([
      bridge.request('GET', '/Users', undefined, presented),
      bridge.request('GET', url, undefined, presented),
      request(new URL('/oauth/token', bridge.baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: client.toString(),
      }),
    ]);
    await oauth.body.dump();
    proxy.setRefusing(false);

    expect([scim.status, ops.status, oauth.statusCode]).toEqual([503, 503, 503]);
    for (const { headers } of [scim, ops, oauth]) expect(headers['retry-after']).toMatch(/^\d+$/);
    const retry = () => bridge.request('GET', '/Users', undefined, presented);
    await expect.poll(async () => (await retry()).status).toBe(200);
  });
});
