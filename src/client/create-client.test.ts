import { Agent, interceptors, MockAgent } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ok } from '../upstream/testing/connect.ts';
import { sendJson } from '../upstream/testing/service.ts';
import { type Client, createClient } from './create-client.ts';
import { openClient, startClient, token } from './start-client-test-support.ts';

test('an operation is called by its group and name, with path, query and body apart', async () => {
  const { client, seen } = await startClient((res) => sendJson(res, 200, { id: 7 }));
  const args = { path: { group_uid: 'a b' }, body: { user_id: 7 } };
  expect(await client.groupUsers.addUserToGroup(args)).toEqual({ id: 7 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = '/api/latest/groups/a%20b/users';
  expect(seen).toMatchObject([{ method: 'POST', url, headers, body: '{"user_id":7}' }]);
});

test('from JavaScript, wrong arguments are a TypeError and nothing is sent', async () => {
  const { client, seen } = await startClient(ok);
  const call = untyped(client);
  const error = new TypeError('groupUsers.addUserToGroup: body.user_id is missing');
  await expect(call({ path: { group_uid: 'g' }, body: {} })).rejects.toThrow(error);
  expect(seen).toEqual([]);
});

test('an answer that differs from the documents is no error', async () => {
  const { client } = await startClient((res) => sendJson(res, 200, 'something else'));
  expect(await client.groups.getListOfGroups()).toBe('something else');
});

test('a file is its object, or where the service redirects, asked or not, the address', async () => {
  const { client } = await startClient((res, { url }) => {
    if (url.endsWith('?redirect=false'))
      return sendJson(res, 200, { url: 'https://files.example/a' });
    return res.writeHead(302, { location: 'https://files.example/a' }).end();
  });
  const path = { card_uid: 'c', id: 'f' };
  const get = client.restrictedAccessCardFiles.getCardFile;
  const target = { url: 'https://files.example/a', status: 302 };
  expect(await get({ path, query: { redirect: true } })).toEqual(target);
  expect(await get({ path })).toEqual(target);
  expect(await get({ path, query: { redirect: false } })).toEqual({ url: target.url });
});

test('apiVersion is the prefix of REST and not of SCIM', async () => {
  const { client, seen } = await startClient(ok, { apiVersion: 'v1' });
  await client.users.retrieveCurrentUser();
  await client.scim.getUser({ path: { user_id: 1 } });
  expect(seen.map(({ url }) => url)).toEqual(['/api/v1/users/current', '/scim/v2/Users/1']);
});

test('a base URL may have a path', async () => {
  const { baseUrl, seen } = await startClient(ok);
  const client = openClient({ baseUrl: `${baseUrl}/tenant/` });
  await client.scim.getUser({ path: { user_id: 1 } });
  await client.request({ method: 'GET', path: '/scim/v2/Users/2' });
  const urls = [1, 2].map((id) => `/tenant/scim/v2/Users/${id}`);
  expect(seen.map(({ url }) => url)).toEqual(urls);
});

describe('requestsPerSecond', () => {
  async function sendTimesOf(count: number, requestsPerSecond: number | undefined) {
    const times: number[] = [];
    const hooks = { beforeAttempt: () => times.push(performance.now()) };
    const { client } = await startClient(ok, { requestsPerSecond, hooks });
    const call = () => client.users.retrieveCurrentUser({}, {});
    await Promise.all(Array.from({ length: count }, call));
    return times;
  }

  test('is five, as the service allows, when nothing else is said', async () => {
    const times = await sendTimesOf(6, undefined);
    expect((times[5] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('a negative one is refused', () => {
    const options = { baseUrl: 'http://127.0.0.1', token, requestsPerSecond: -1 };
    expect(() => createClient(options)).toThrow(RangeError);
  });
});

test('a dispatcher may be one that answers by itself', async () => {
  const agent = new MockAgent();
  onTestFinished(() => agent.close());
  agent.disableNetConnect();
  const mock = agent.get('https://service.example');
  mock.intercept({ path: '/api/latest/users/current' }).reply(200, { id: 3 });
  const client = openClient({ baseUrl: 'https://service.example', dispatcher: agent });
  expect(await client.users.retrieveCurrentUser()).toEqual({ id: 3 });
});

test('a dispatcher may repeat by itself: only the last answer counts', async () => {
  const options = { minTimeout: 1, retryAfter: false };
  const agent = new Agent().compose(interceptors.retry(options));
  onTestFinished(() => agent.close());
  const { client, seen } = await startClient(
    (res, request, n) => (n === 0 ? sendJson(res, 503, { half: 1 }) : ok(res, request, n)),
    { dispatcher: agent },
  );
  expect(await client.users.retrieveCurrentUser()).toEqual({ id: 1 });
  expect(seen).toHaveLength(2);
});

describe('a call ends', () => {
  test('when its time is over, also when it is longer than usual', async () => {
    const { client, seen } = await startClient(() => undefined);
    const failed = client.users.retrieveCurrentUser({}, { timeoutMs: 20 });
    await expect(failed).rejects.toMatchObject({ code: 'timeout', status: undefined });
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  test('not before its own time, should that be longer', async () => {
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const dispatch = vi.spyOn(agent, 'dispatch');
    const { client } = await startClient(ok, { timeoutMs: 20, dispatcher: agent });
    await client.users.retrieveCurrentUser({}, { timeoutMs: 60_000 });
    const waits = expect.objectContaining({ headersTimeout: 60_000, bodyTimeout: 60_000 });
    expect(dispatch).toHaveBeenCalledExactlyOnceWith(waits, expect.anything());
  });
});

function untyped({ groupUsers }: Client): (args: unknown) => Promise<unknown> {
  return (args) => Reflect.apply(groupUsers.addUserToGroup, undefined, [args]);
}
