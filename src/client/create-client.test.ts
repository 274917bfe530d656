import { expect, onTestFinished, test } from 'vitest';
import { sendJson, startService } from '../upstream/testing/service.ts';
import type { Client } from './create-client.ts';
import { createClient } from './create-client.ts';

async function start(answer: Parameters<typeof startService>[0]) {
  const service = await startService(answer);
  const client = createClient({ baseUrl: service.baseUrl, token: 'secret', requestsPerSecond: 0 });
  onTestFinished(() => client.close());
  return { client, seen: service.seen };
}

test('an operation is called by its group and name, with path, query and body apart', async () => {
  const { client, seen } = await start((res) => sendJson(res, 200, { id: 7 }));
  const answer = await client.groupUsers.addUserToGroup({
    path: { group_uid: 'a b' },
    body: { user_id: 7 },
  });
  expect(answer).toEqual({ id: 7 });
  expect(seen).toMatchObject([
    {
      method: 'POST',
      url: '/api/latest/groups/a%20b/users',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: '{"user_id":7}',
    },
  ]);
});

test('arguments may be left out where nothing is required', async () => {
  const { client, seen } = await start((res) => sendJson(res, 200, []));
  expect(await client.groups.getListOfGroups()).toEqual([]);
  expect(seen[0]?.url).toBe('/api/latest/company/groups');
});

test('from JavaScript, wrong arguments are a TypeError and nothing is sent', async () => {
  const { client, seen } = await start((res) => sendJson(res, 200, {}));
  const call: (args: unknown) => Promise<unknown> = toUntyped(client, 'addUserToGroup');
  await expect(call({ path: { group_uid: 'g' }, body: {} })).rejects.toThrow(
    new TypeError('groupUsers.addUserToGroup: body.user_id is missing'),
  );
  expect(seen).toEqual([]);
});

test('an operation shows the row that it follows from', async () => {
  const { client } = await start((res) => sendJson(res, 200, {}));
  expect(client.users.retrieveCurrentUser.operation.path).toBe('/users/current');
});

/** As JavaScript sees it. */
function toUntyped(client: Client, name: 'addUserToGroup') {
  return (args: unknown) => Reflect.apply(client.groupUsers[name], undefined, [args]);
}
