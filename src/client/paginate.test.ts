import { describe, expect, test } from 'vitest';
import { operationGroups } from '../upstream/operations/all.ts';
import type { OperationGroup, PagedOperation, Paging } from '../upstream/operations/operation.ts';
import { type Answering, sendJson } from '../upstream/testing/service.ts';
import type { Client } from './create-client.ts';
import type { Entries, PaginateOptions } from './paginate.ts';
import { startClient } from './start-client-test-support.ts';

type Version = 1 | 2 | undefined;

interface List {
  readonly why: string;
  readonly group: string;
  readonly name: string;
  readonly row: PagedOperation;
  readonly version: Version;
}

const lists = Object.entries(operationGroups).flatMap(([group, rows]: [string, OperationGroup]) =>
  Object.entries(rows).flatMap(([name, row]): List[] => {
    const { paging } = row;
    if (paging === undefined) return [];
    const list = { group, name, row: { ...row, paging } };
    const plain = { ...list, why: row.id, version: undefined };
    return paging === 'start-position'
      ? [plain, { ...list, why: `${row.id}, version 2`, version: 2 as const }]
      : [plain];
  }),
);

const everybody = Array.from({ length: 7 }, (_, n) => ({ id: 11 + n }));
const firstPage = everybody.slice(0, 3);

interface Asked {
  readonly skip: number;
  readonly limit: number;
  readonly query: URLSearchParams;
}

function toAsked(paging: Paging, url: string): Asked {
  const query = new URL(url, 'http://x').searchParams;
  const number = (name: string) => Number(query.get(name) ?? 0);
  const limit = number(paging === 'start-index' ? 'count' : 'limit');
  const after = number('last_user_id');
  switch (paging) {
    case 'start-index':
      return { query, limit, skip: number('startIndex') - 1 };
    case 'last-user-id':
      return { query, limit, skip: everybody.filter(({ id }) => id <= after).length };
    case 'offset':
      return { query, limit, skip: number('offset') };
    case 'start-position': {
      const name = query.has('start_position') ? 'start_position' : 'offset';
      return { query, limit, skip: number(name) };
    }
  }
}

function toBody(paging: Paging, asked: Asked, items: readonly object[], totalResults: number) {
  if (paging === 'start-index') return { Resources: items, totalResults };
  if (paging !== 'start-position' || asked.query.get('version') !== '2') return items;
  return { result: items, position: String(asked.skip + items.length) };
}

function listing(
  { row: { paging } }: List,
  choose: (asked: Asked) => readonly object[] | 'down',
  total = everybody.length,
): Answering {
  return (res, { url }) => {
    const asked = toAsked(paging, url);
    const items = choose(asked);
    if (items === 'down') return sendJson(res, 503, {});
    return sendJson(res, 200, toBody(paging, asked, items, total));
  };
}
const honest = ({ skip, limit }: Pick<Asked, 'skip' | 'limit'>) =>
  everybody.slice(skip, skip + limit);

async function start(list: List, choose: Parameters<typeof listing>[1], total?: number) {
  const { client, seen } = await startClient(listing(list, choose, total), { attemptsMax: 1 });
  const open = () => paginate(client, list, { pageSize: 3 });
  return { open, seen };
}

function paginate(client: Client, list: List, options: PaginateOptions): Entries<unknown> {
  const { row, version } = list;
  const group: unknown = Reflect.get(client, list.group);
  const operation: unknown = Reflect.get(Object(group), list.name);
  const query = { ...toValues(row.query ?? {}), ...(version === undefined ? {} : { version }) };
  const args = { path: toValues(row.pathParameters ?? {}, true), query };
  return Reflect.apply(client.paginate, client, [operation, args, options]);
}

function toValues(fields: object, all = false): Record<string, unknown> {
  const required = Object.entries(fields).filter(([name]) => all || name.endsWith('*'));
  return Object.fromEntries(
    required.map(([name, type]) => [name.replace('*', ''), type === 'integer' ? 1 : '2026-01-01']),
  );
}

async function readAll(entries: Entries<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of entries) items.push(item);
  return items;
}

test('what makes a list page is a parameter of it', () => {
  const named = lists.flatMap(({ row }) =>
    Object.keys(row.pagesOnlyWith ?? {}).map((name) => [row.query?.[name], row.id]),
  );
  expect(named).toEqual([
    ['boolean', 'companyUsers.getListOfUsers'],
    ['boolean', 'customPropertySelectValues.getListOfSelectValues'],
  ]);
});

describe.each(lists)('$why', (list) => {
  test('three pages: every entry once, to the proven end', async () => {
    const { open, seen } = await start(list, honest);
    const entries = open();
    expect(await readAll(entries)).toEqual(everybody);
    expect(entries.result).toEqual({ complete: true });
    // Without a total a page with nothing new ends the list.
    expect(seen).toHaveLength(list.row.paging === 'start-index' ? 3 : 4);
  });
});

const [users] = lists.filter(({ row }) => row.id === 'scim.getUsers');
const [spaces] = lists.filter(({ row }) => row.id === 'spaces.retrieveListOfSpaces');
const [people] = lists.filter(({ row }) => row.id === 'companyUsers.getListOfUsers');
const ofDocuments = 'documents.retrieveListOfDocuments, version 2';
const [documents] = lists.filter(({ why }) => why === ofDocuments);
if (!users || !spaces || !people || !documents) throw new Error('a list has another name');

test('a list that pages only with a parameter of its own is asked with it', async () => {
  const { open, seen } = await start(people, (asked) =>
    asked.query.get('for_members_section') === 'true' ? honest(asked) : firstPage,
  );
  expect(await readAll(open())).toEqual(everybody);
  expect(seen).toHaveLength(4);
});

test('no position says that nothing follows, and nothing is asked again', async () => {
  const body = { result: firstPage, position: null };
  const { client, seen } = await startClient((res) => sendJson(res, 200, body));
  const entries = paginate(client, documents, {});
  expect(await readAll(entries)).toEqual(firstPage);
  expect(entries.result).toEqual({ complete: true });
  expect(seen).toHaveLength(1);
});

test('a service that does not know version 2 is read by number', async () => {
  const { client } = await startClient((res, { url }) =>
    sendJson(res, 200, honest(toAsked('offset', url))),
  );
  expect(await readAll(paginate(client, documents, { pageSize: 3 }))).toEqual(everybody);
});

test.each([
  { why: 'no list', list: spaces, body: { total: 0 } },
  { why: 'an object without a result', list: documents, body: { position: 'x' } },
  { why: 'a position that is none', list: documents, body: { result: [{}], position: {} } },
])('an answer that is $why is an error', async ({ list, body }) => {
  const { client } = await startClient((res) => sendJson(res, 200, body));
  await expect(readAll(paginate(client, list, {}))).rejects.toMatchObject({ code: 'unreadable' });
});

test('people without an id cannot be gone on from', async () => {
  const { client } = await startClient((res) => sendJson(res, 200, [{ name: 'x' }]));
  const entries = client.paginate(client.spaceUsers.getListOfUsers, { path: { space_id: 1 } });
  await expect(readAll(entries)).rejects.toThrow(/no id to go on from/);
});

test('a page that is too large is asked for by halves', async () => {
  const { client, seen } = await startClient(listing(spaces, honest), { responseBytesMax: 30 });
  expect(await readAll(paginate(client, spaces, { pageSize: 4 }))).toEqual(everybody);
  expect(seen.map(({ url }) => toAsked('offset', url).limit)).toEqual([4, 2, 2, 2, 2, 2, 2, 2]);
});

test('a page that comes twice, while there is more, is an error', async () => {
  const { open } = await start(users, ({ skip }) => honest({ skip: Math.min(skip, 2), limit: 3 }));
  await expect(readAll(open())).rejects.toMatchObject({ code: 'unreadable' });
});

test('none is handed out behind a page that fails', async () => {
  const { open } = await start(spaces, ({ skip, limit }) =>
    skip >= 3 ? 'down' : everybody.slice(skip, skip + limit),
  );
  const all = open();

  await expect(readAll(all)).rejects.toMatchObject({ code: 'unavailable' });
  expect(all.result).toEqual({ complete: false, reason: 'not read to the end' });
});

test('100 entries are asked for where nobody says how many', async () => {
  const { client, seen } = await startClient((res) => sendJson(res, 200, []));
  await readAll(client.paginate(client.spaces.retrieveListOfSpaces));
  expect(seen[0]?.url).toBe('/api/latest/spaces?offset=0&limit=100');
});

describe('a TypeError at once', () => {
  type Mistake = { list?: string; args?: unknown; options?: object };
  test.each<[string, RegExp, Mistake]>([
    ['no list', /retrieveSpace does not go on page by page/, { list: 'retrieveSpace' }],
    ['no operation', /must be an operation/, { list: 'nothing' }],
    ['a page of its own', /query\.offset is set/, { args: { query: { offset: 3 } } }],
    ['arguments that are none', /arguments must be an object/, { args: null }],
    ['no page size', /pageSize must be/, { options: { pageSize: 0 } }],
  ])('%s', async (_, message, mistake) => {
    const { list = 'retrieveListOfSpaces', args = {}, options = {} } = mistake;
    const { client, seen } = await startClient(listing(spaces, honest));
    const operation: unknown = Reflect.get(client.spaces, list);
    const call = () => Reflect.apply(client.paginate, client, [operation, args, options]);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(seen).toEqual([]);
  });
});
