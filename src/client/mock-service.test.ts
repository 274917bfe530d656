import { expect, onTestFinished, test } from 'vitest';
import { createClient } from './create-client.ts';
import { createMockService, MockFailure, type MockHandlers } from './mock-service.ts';

function start(handlers?: MockHandlers) {
  const service = createMockService(handlers);
  const client = createClient(service.options);
  onTestFinished(() => client.close());
  return { client, service };
}

test('a call is answered by the function of its operation, with its own arguments', async () => {
  const { client, service } = start({
    spaces: { retrieveSpace: ({ path }) => ({ id: path.space_id, title: 'Board' }) },
    groupUsers: { addUserToGroup: ({ path, body }) => ({ id: body.user_id, uid: path.group_uid }) },
  });

  const space = await client.spaces.retrieveSpace({ path: { space_id: 7 } });
  expect(space).toEqual({ id: 7, title: 'Board' });
  await client.groupUsers.addUserToGroup({ path: { group_uid: 'a b' }, body: { user_id: 3 } });

  expect(service.calls).toMatchObject([
    { operation: 'spaces.retrieveSpace', method: 'GET', url: '/api/latest/spaces/7' },
    {
      operation: 'groupUsers.addUserToGroup',
      path: { group_uid: 'a b' },
      body: { user_id: 3 },
      headers: { authorization: 'Bearer token-of-the-mock' },
    },
  ]);
});

test('a query arrives as it was given', async () => {
  const { client, service } = start({ documents: { retrieveListOfDocuments: () => [] } });
  const query = { owner_only: true, limit: 3, group_ids: [1, 'b'], permissions: [2] };
  await client.companyUsers.getListOfUsers({ query }).catch(() => undefined);

  expect(service.calls[0]?.query).toEqual(query);
});

test('a call without an answer is refused at once, and says what is missing', async () => {
  const { client, service } = start();

  await expect(client.spaces.retrieveListOfSpaces()).rejects.toThrow(
    'the mock has no answer for spaces.retrieveListOfSpaces',
  );
  expect(service.calls).toHaveLength(1);
});

test('a failure is met as one of the service', async () => {
  const retrieveSpace = () => {
    throw new MockFailure(403, { message: 'not yours' }, { 'x-request-id': 'r' });
  };
  const { client, service } = start({ spaces: { retrieveSpace } });
  const read = () => client.spaces.retrieveSpace({ path: { space_id: 1 } });
  const failure = { code: 'not-permitted', words: 'not yours', requestId: 'r' };
  await expect(read()).rejects.toMatchObject(failure);

  const retrieveLater = () => {
    if (service.calls.length === 2) throw new MockFailure(503);
    return { id: 2 };
  };
  service.on({ spaces: { retrieveSpace: retrieveLater } });
  expect(await read()).toEqual({ id: 2 });
  expect(service.calls).toHaveLength(3);
});

test('an error of the test itself is told, and not repeated', async () => {
  const retrieveCurrentUser = () => {
    throw new Error('expected another call');
  };
  const { client, service } = start({ users: { retrieveCurrentUser } });

  await expect(client.users.retrieveCurrentUser()).rejects.toThrow('expected another call');
  expect(service.calls).toHaveLength(1);
});

test('all entries of a list are handed out page by page', async () => {
  const ids = Array.from({ length: 250 }, (_, n) => ({ id: n + 1 }));
  const documents = ids.map(({ id }) => ({ uid: `d${id}` }));
  const { client, service } = start({
    spaces: { retrieveListOfSpaces: () => ids },
    spaceUsers: { getListOfUsers: () => ids },
    scim: { getUsers: () => ({ Resources: ids }) },
    documents: { retrieveListOfDocuments: () => documents },
  });
  const path = { space_id: 1 };
  const lists = [
    client.paginate(client.spaces.retrieveListOfSpaces),
    client.paginate(client.spaceUsers.getListOfUsers, { path }),
    client.paginate(client.scim.getUsers),
    client.paginate(client.documents.retrieveListOfDocuments, { query: { version: 2 } }),
  ];
  for (const list of lists) {
    const entries: unknown[] = [];
    for await (const entry of list) entries.push(entry);
    expect(entries).toHaveLength(250);
    expect(list.result).toEqual({ complete: true });
  }
  expect(service.calls.length).toBeGreaterThan(12);
});

test('a form arrives with its files', async () => {
  const { client, service } = start({ cardFiles: { attachFileToCard: () => ({ id: 1 }) } });
  const body = { file: new File(['a'], 'a.txt') };
  await client.cardFiles.attachFileToCard({ path: { card_id: 1 }, body });

  const { file } = Object(service.calls[0]?.body);
  expect(file).toBeInstanceOf(File);
  expect([file.name, await file.text()]).toEqual(['a.txt', 'a']);
});

test('a request that no operation describes arrives, too', async () => {
  const { client, service } = start();
  await client.request({ method: 'GET', path: '/api-keys' }).catch(() => undefined);

  const call = { operation: 'client.request', url: '/api/latest/api-keys' };
  expect(service.calls).toMatchObject([call]);
});

test('nothing answered is a removal without content', async () => {
  const { client } = start({ spaces: { removeSpace: () => undefined } });

  expect(await client.spaces.removeSpace({ path: { space_id: 1 } })).toBeUndefined();
});

test('an operation or a field that does not exist is found by the compiler, and the first at run time too', () => {
  // @ts-expect-error no such operation
  expect(() => createMockService({ spaces: { retrieveSpaces: () => ({}) } })).toThrow(
    'there is no operation spaces.retrieveSpaces',
  );
  createMockService({
    spaces: {
      // @ts-expect-error an id that is a number
      retrieveSpace: () => ({ id: '7' }),
      // @ts-expect-error no such parameter
      updateSpace: ({ path }) => ({ id: path.id }),
    },
  });
});
