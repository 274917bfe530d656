import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import type { TestAnswer } from '../support/provider.ts';

const bridge = bridgeForSuite();

beforeAll(async () => {
  for (let index = 0; index < 12; index += 1)
    await createUser(`u${index}@example.com`, index % 2 === 0 ? 'Even' : 'odd');
  for (const displayName of ['red', 'green', 'blue'])
    await bridge.request('POST', '/Groups', { displayName });
});

async function createUser(userName: string, title: string): Promise<string> {
  return String((await bridge.request('POST', '/Users', { userName, title })).body.id);
}

function list(query: Record<string, string>, endpoint = 'Users'): Promise<TestAnswer> {
  return bridge.request('GET', `/${endpoint}?${new URLSearchParams({ count: '4', ...query })}`);
}

function listNames({ body }: TestAnswer): string[] {
  const resources = body.Resources as JsonObject[];
  return resources.map(({ userName, displayName }) => String(userName ?? displayName));
}

async function walk(
  query: Record<string, string>,
  { endpoint = 'Users', between = async () => {} } = {},
): Promise<string[]> {
  const names: string[] = [];
  let cursor = '';
  for (let page = 0; page < 100; page += 1) {
    const answer = await list({ ...query, cursor }, endpoint);
    expect(answer.status).toBe(200);
    names.push(...listNames(answer));
    if (answer.body.nextCursor === undefined) return names;
    cursor = String(answer.body.nextCursor);
    await between();
  }
  throw new Error('the pages do not end');
}

async function listAll(query: Record<string, string>, endpoint = 'Users'): Promise<string[]> {
  return listNames(await list({ ...query, count: '100' }, endpoint));
}

describe('pages by cursor hold what pages by number hold, in the same order', () => {
  const byName = { sortBy: 'displayName', sortOrder: 'descending' };
  const sorted = { sortBy: 'userName' };
  const cases: { why: string; endpoint?: string; query: Record<string, string> }[] = [
    { why: 'all users', query: {} },
    { why: 'a page that ends with the list', query: { count: '6' } },
    { why: 'all groups', endpoint: 'Groups', query: { count: '2' } },
    { why: 'roles', endpoint: 'Roles', query: { count: '1' } },
    { why: 'licences', endpoint: 'Entitlements', query: { count: '2' } },
    { why: 'licences by name', endpoint: 'Entitlements', query: { count: '1', ...byName } },
    { why: 'a filter that an index answers', query: { filter: 'active eq true', count: '5' } },
    { why: 'a filter that only looking answers', query: { filter: 'title eq "odd"', count: '2' } },
    { why: 'both', query: { filter: 'active eq true and title eq "even"', count: '1' } },
    { why: 'a filter that nothing matches', query: { filter: 'title eq "none"' } },
    { why: 'sorted', query: { ...sorted, count: '5' } },
    { why: 'sorted downwards', query: { ...sorted, sortOrder: 'descending', count: '5' } },
    { why: 'sorted by what many share', query: { sortBy: 'title', count: '1' } },
    { why: 'sorted by what some lack', query: { sortBy: 'externalId', count: '3' } },
    { why: 'sorted and filtered', query: { ...sorted, filter: 'title eq "odd"', count: '2' } },
  ];

  test.each(cases)('$why', async ({ query, endpoint = 'Users' }) => {
    const { count: _, ...unpaged } = query;

    const all = await listAll(unpaged, endpoint);
    expect(await walk(query, { endpoint })).toEqual(all);
    for (const cursor of [{}, { cursor: '' }])
      expect((await list({ ...query, ...cursor }, endpoint)).body.totalResults).toBe(all.length);
  });
});

describe('one page', () => {
  test('has totalResults and nextCursor, and no startIndex', async () => {
    const { body } = await list({ cursor: '' });

    expect(body).toMatchObject({ totalResults: 13, itemsPerPage: 4 });
    expect(body.nextCursor).toMatch(/^[\w-]+$/);
    expect(body).not.toHaveProperty('startIndex');
  });

  test('by .search is the same as by GET, and an answer leads from one to the other', async () => {
    const search = { filter: 'title eq "odd"', count: 2 };
    const first = await bridge.request('POST', '/Users/.search', { ...search, cursor: '' });
    const cursor = String(first.body.nextCursor);

    const second = await bridge.request('POST', '/Users/.search', { ...search, cursor });

    expect(listNames(second)).toEqual(['u5@example.com', 'u7@example.com']);
    const { body } = await list({ filter: 'title eq "odd"', count: '2', cursor });
    expect(second.body).toEqual(body);
  });
});

describe('the list changes meanwhile', () => {
  test('nobody is shown twice and nobody who stays is left out', async () => {
    const before = await listAll({});
    let made = 0;

    const between = async () => {
      made += 1;
      if (made > 3) return;
      const id = await createUser(`new${made}@example.com`, 'new');
      // Somebody of a page that was shown goes, which moves everybody's number.
      if (made === 1) await bridge.request('DELETE', `/Users/${id}`);
    };
    const seen = await walk({ count: '2' }, { between });

    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...before, 'new2@example.com', 'new3@example.com']);
  });

  test('a cursor that points at somebody who is gone still leads on', async () => {
    const id = await createUser('gone@example.com', 'last');
    await createUser('stays@example.com', 'last');
    const query = { filter: 'title eq "last"', count: '1' };
    const first = await list({ ...query, cursor: '' });
    await bridge.request('DELETE', `/Users/${id}`);

    const second = await list({ ...query, cursor: String(first.body.nextCursor) });

    expect(listNames(first)).toEqual(['gone@example.com']);
    expect(listNames(second)).toEqual(['stays@example.com']);
  });
});

describe('what is refused', () => {
  const cases: { why: string; query: Record<string, string>; scimType: string }[] = [
    { why: 'rubbish', query: { cursor: 'rubbish' }, scimType: 'invalidCursor' },
    { why: 'far too long', query: { cursor: 'a'.repeat(5_000) }, scimType: 'invalidCursor' },
    { why: 'count 0', query: { cursor: '', count: '0' }, scimType: 'invalidCount' },
    { why: 'count -1', query: { cursor: '', count: '-1' }, scimType: 'invalidCount' },
    { why: 'count of words', query: { cursor: '', count: 'many' }, scimType: 'invalidCount' },
    { why: 'no filter', query: { cursor: '', filter: 'name' }, scimType: 'invalidFilter' },
  ];

  test.each(cases.flatMap((one) => ['Users', 'Roles'].map((endpoint) => ({ ...one, endpoint }))))(
    '$endpoint: $why',
    async ({ query, scimType, endpoint }) => {
      const answer = await list(query, endpoint);

      expect(answer).toMatchObject({ status: 400, body: { status: '400', scimType } });
    },
  );

  test('a cursor of another list or another query', async () => {
    const cursor = String((await list({ cursor: '' })).body.nextCursor);

    for (const [query, endpoint] of [
      [{ cursor }, 'Groups'],
      [{ cursor, sortBy: 'title' }, 'Users'],
      [{ cursor, filter: 'active eq true' }, 'Users'],
    ] as const)
      expect((await list(query, endpoint)).body.scimType).toBe('invalidCursor');
  });
});

test('the server tells that it pages by cursor', async () => {
  const { body } = await bridge.request('GET', '/ServiceProviderConfig');

  expect(body.pagination).toEqual({
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: 100,
    maxPageSize: 1_000,
  });
});
