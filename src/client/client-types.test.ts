import { expect, expectTypeOf, test } from 'vitest';
import type { PositionedPage, RedirectTarget } from '../upstream/operations/call-types.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import type { ClientOperation } from './client-types.ts';
import type { Client } from './create-client.ts';

const common = {
  api: 'rest',
  method: 'GET',
  repeat: 'safe',
  about: 'A test.',
  source: 'test',
} as const;
const list = {
  ...common,
  id: 'x.list',
  path: '/x',
  query: { version: 'integer', limit: 'integer', offset: 'integer', start_position: 'string' },
  paging: 'start-position',
  response: { kind: 'array', fields: ['id', 'title'], types: { id: 'number' } },
} as const satisfies Operation;
const file = {
  ...common,
  id: 'x.file',
  path: '/x/{id}',
  pathParameters: { id: 'string' },
  query: { redirect: 'boolean' },
  response: { kind: 'redirect', fields: ['url'] },
} as const satisfies Operation;
const unshown = {
  ...common,
  id: 'x.unshown',
  path: '/x',
  response: { kind: 'object', fields: [] },
} as const satisfies Operation;
const removed = {
  ...common,
  id: 'x.removed',
  path: '/x',
  response: { kind: 'none', fields: [] },
} as const satisfies Operation;

/** Never called: only its types are checked. */
async function answersOf(
  call: ClientOperation<typeof list>,
  getFile: ClientOperation<typeof file>,
  other: ClientOperation<typeof unshown>,
  remove: ClientOperation<typeof removed>,
) {
  const path = { id: '1' };
  return {
    listed: await call(),
    asBefore: await call({ query: { version: 1 } }),
    positioned: await call({ query: { version: 2 } }),
    file: await getFile({ path }),
    target: await getFile({ path, query: { redirect: true } }),
    unshown: await other(),
    removed: await remove(),
  };
}
type Answers = Awaited<ReturnType<typeof answersOf>>;
type Entry = { id: number; title: unknown };

test('an answer has the documented fields, unknown where no type is known', () => {
  expectTypeOf<Answers['listed']>().toEqualTypeOf<Entry[]>();
  expectTypeOf<Answers['asBefore']>().toEqualTypeOf<Entry[]>();
  expectTypeOf<Answers['unshown']>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<Answers['removed']>().toEqualTypeOf<undefined>();
  expect(list.id).toBe('x.list');
});

test('version 2 answers a page with its position', () => {
  expectTypeOf<Answers['positioned']>().toEqualTypeOf<PositionedPage<Entry>>();
});

test('a redirect that was asked for is its target', () => {
  expectTypeOf<Answers['file']>().toEqualTypeOf<{ url: unknown }>();
  expectTypeOf<Answers['target']>().toEqualTypeOf<RedirectTarget>();
});

/** Never called: each line has an error of its own. */
function mistakes(client: Client): unknown[] {
  const path = { group_uid: 'g' };
  return [
    // @ts-expect-error a missing body
    client.groupUsers.addUserToGroup({ path }),
    // @ts-expect-error a missing required field
    client.groupUsers.addUserToGroup({ path, body: {} }),
    // @ts-expect-error a wrong type
    client.groupUsers.addUserToGroup({ path, body: { user_id: '1' } }),
    // @ts-expect-error an unknown name
    client.groupUsers.addUserToGroup({ path, body: { user_id: 1, role: 2 } }),
    // @ts-expect-error an unknown part
    client.groupUsers.addUserToGroup({ path, body: { user_id: 1 }, query: {} }),
    // @ts-expect-error no arguments where some are required
    client.groupUsers.addUserToGroup(),
    // @ts-expect-error no condition, and no `everything`
    client.cards.batchUpdateForCards({ body: { attributes: {} } }),
    // @ts-expect-error everything where the operation is about one
    client.groups.getGroup({ path: { uid: 'g' }, everything: true }),
    // @ts-expect-error an unknown group
    client.cardss,
    // @ts-expect-error an unknown operation
    client.groupUsers.addUser,
    // @ts-expect-error an unknown option
    client.groups.getListOfGroups({}, { retries: 3 }),
    // @ts-expect-error the page is not the caller's choice
    client.paginate(client.spaces.retrieveListOfSpaces, { query: { limit: 1 } }),
    // @ts-expect-error the same beside other parameters
    client.paginate(client.scim.getUsers, { query: { filter: 'x', count: 1 } }),
    // @ts-expect-error no list of pages
    client.paginate(client.spaces.retrieveSpace, { path: { space_id: 1 } }),
    // @ts-expect-error a missing path
    client.paginate(client.spaceUsers.getListOfUsers),
    // @ts-expect-error a cursor that is none
    client.paginate(client.spaces.retrieveListOfSpaces, {}, { from: { position: 1 } }),
    client.paginate(client.spaces.retrieveListOfSpaces),
    client.paginate(client.documents.retrieveListOfDocuments, { query: { version: 2 } }),
    client.groups.getListOfGroups(),
    client.groups.getListOfGroups({ query: { limit: 1 } }, { timeoutMs: 1_000 }),
  ];
}

test('a mistake in a call does not compile', () => {
  expect(mistakes).toBeTypeOf('function');
});
