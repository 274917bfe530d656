import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { boss, clerk, startBridgeOf, startLaggingService } from '../support/lagging-service.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const LIST = 'companyUsers.getListOfUsers';
const off = toPatch(replace('active', false));

const takeovers: {
  what: string;
  status: number;
  send(id: string): [string, string, JsonObject?];
}[] = [
  { what: 'POST', status: 409, send: () => ['POST', '/Users', toUser('boss')] },
  { what: 'DELETE', status: 403, send: (id) => ['DELETE', `/Users/${id}`] },
];

describe('an account whose role no list has told', () => {
  const start = async (settings = {}) => {
    const service = await startLaggingService();
    const url = await makeStoreUrl();
    const all = { DATABASE_URL: url, USERS_ADOPT_ON_DELETE: 'yes', ...settings };
    return startBridgeOf(service, all);
  };

  test.each(takeovers)('is looked up before $what: an owner is not taken over', async (write) => {
    const bridge = await start();
    const { service, calls } = bridge.sandbox;
    const id = await bridge.findId({ type: 'Users', name: 'boss' });
    calls.reset();

    const [method, path, body] = write.send(id);
    const answer = await bridge.request(method, path, body);
    const again = await bridge.request(method, path, body);

    expect([answer.status, again.status]).toEqual([write.status, write.status]);
    expect(answer.body.detail).toContain('owner');
    expect(calls.counts()).toEqual({ [LIST]: { 200: 1 } });
    expect(service.getUser(boss).active).toBe(true);
    expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
  });

  test('is neither taken over nor changed while the service cannot tell', async () => {
    const bridge = await start({ UPSTREAM_TIMEOUT: '1s' });
    const { service, faults } = bridge.sandbox;
    const id = await bridge.findId({ type: 'Users', name: 'clerk' });
    faults.add({ operation: LIST, fault: { kind: 'status', status: 500 } });

    const answer = await bridge.request('PATCH', `/Users/${id}`, off);

    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('30');
    expect(service.getUser(clerk).active).toBe(true);
    expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
    const adoption = await bridge.ops('POST', `/users/${id}/adopt`);
    expect(adoption).toMatchObject({ status: 503, body: { code: 'could-not-look' } });
  });
});
