import { describe, expect, test } from 'vitest';
import { UpstreamError } from './errors.ts';
import type { PagedOperation } from './operations/operation.ts';
import { auditLogs } from './operations/people.ts';
import { scim } from './operations/scim.ts';
import { type PageOptions, type Pages, paginate } from './paginate.ts';
import { createEagerClock } from './testing/fake-clock.ts';
import { type Answering, sendJson, startService } from './testing/service.ts';
import { createTransport } from './transport.ts';

const everybody = Array.from({ length: 7 }, (_, n) => ({ id: n + 1 }));

interface Query {
  readonly startIndex: number;
  readonly count: number;
  readonly offset: number;
  readonly limit: number;
}

function queryOf(url: string): Query {
  const { searchParams } = new URL(url, 'http://x');
  const number = (name: string) => Number(searchParams.get(name));
  return {
    startIndex: number('startIndex'),
    count: number('count'),
    offset: number('offset'),
    limit: number('limit'),
  };
}

/** A well-behaved SCIM list whose pages are never longer than 3. */
const scimList: Answering = (res, { url }) => {
  const { startIndex, count } = queryOf(url);
  const Resources = everybody.slice(startIndex - 1, startIndex - 1 + Math.min(count, 3));
  sendJson(res, 200, { Resources, totalResults: everybody.length });
};

/** A well-behaved REST list. */
const restList: Answering = (res, { url }) => {
  const { offset, limit } = queryOf(url);
  sendJson(res, 200, everybody.slice(offset, offset + limit));
};

async function startList(answer: Answering, responseBytesMax = 10_000) {
  const service = await startService(answer);
  const transport = createTransport({
    baseUrl: service.baseUrl,
    token: 't',
    requestsPerSecond: 0,
    clock: createEagerClock(),
    random: () => 0,
    attemptsMax: 1,
    responseBytesMax,
  });
  const open = (operation: PagedOperation, options: Partial<PageOptions> = {}) =>
    paginate(transport, operation, {}, { pageSize: 4, ...options });
  return { open, transport, urls: () => service.seen.map(({ url }) => url) };
}

async function readIds(pages: Pages): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { items } of pages) ids.push(...items);
  return ids;
}

describe('by startIndex and count', () => {
  test('every entry once, from 1, to the total, in pages as long as the service likes', async () => {
    const { open, urls } = await startList(scimList);
    const pages = open(scim.getUsers);
    expect(await readIds(pages)).toEqual(everybody);
    expect(pages.result).toEqual({ complete: true });
    expect(urls()).toEqual([
      '/scim/v2/Users?startIndex=1&count=4',
      '/scim/v2/Users?startIndex=3&count=4',
      '/scim/v2/Users?startIndex=5&count=4',
    ]);
  });

  test('other parameters stay', async () => {
    const { transport, urls } = await startList(scimList);
    const args = { query: { filter: 'userName eq "a"' } };
    await readIds(paginate(transport, scim.getUsers, args, { pageSize: 100 }));
    expect(urls()[0]).toBe('/scim/v2/Users?filter=userName%20eq%20%22a%22&startIndex=1&count=100');
  });
});

describe('by limit and offset', () => {
  test('every entry once, to a page with nothing new', async () => {
    const { open, urls } = await startList(restList);
    const pages = open(auditLogs.retrieveAuditLogEvents);
    expect(await readIds(pages)).toEqual(everybody);
    expect(pages.result).toEqual({ complete: true });
    expect(urls().map((url) => url.split('?')[1])).toEqual([
      'offset=0&limit=4',
      'offset=3&limit=4',
      'offset=6&limit=4',
    ]);
  });

  test('a service that ignores the offset proves nothing', async () => {
    const { open } = await startList((res) => sendJson(res, 200, everybody.slice(0, 4)));
    const pages = open(auditLogs.retrieveAuditLogEvents);
    expect(await readIds(pages)).toHaveLength(4);
    expect(pages.result).toEqual({ complete: false, reason: 'a page came twice' });
  });
});

test('a read that failed in the middle goes on where it stopped', async () => {
  let failing = true;
  const { open, urls } = await startList((res, request, n) => {
    if (failing && n === 1) return sendJson(res, 500, {});
    return restList(res, request, n);
  });
  const first = open(auditLogs.retrieveAuditLogEvents);
  await expect(readIds(first)).rejects.toThrow(UpstreamError);
  expect(first.result).toEqual({ complete: false, reason: 'not read to the end' });

  failing = false;
  const second = open(auditLogs.retrieveAuditLogEvents, { from: first.cursor });
  expect(await readIds(second)).toEqual(everybody.slice(4));
  expect(second.result).toEqual({ complete: true });
  expect(urls()[2]).toContain('offset=3');
});

test('a read that its reader left is not complete', async () => {
  const { open } = await startList(restList);
  const pages = open(auditLogs.retrieveAuditLogEvents);
  for await (const _page of pages) break;
  expect(pages.result.complete).toBe(false);
  expect(pages.cursor.position).toBe(4);
});

test('a page too large to hold is asked for by halves, and so are the next ones', async () => {
  const { open, urls } = await startList(restList, 20);
  const pages = open(auditLogs.retrieveAuditLogEvents);
  expect(await readIds(pages)).toEqual(everybody);
  expect(urls().map((url) => queryOf(url).limit)).toEqual([4, 2, 2, 2, 2, 2, 2, 2]);
});

test('an entry too large to hold is an error', async () => {
  const { open } = await startList((res) => sendJson(res, 200, ['x'.repeat(100)]), 20);
  await expect(readIds(open(auditLogs.retrieveAuditLogEvents))).rejects.toMatchObject({
    code: 'response-too-large',
  });
});

test('a list that never ends is left', async () => {
  let id = 0;
  const { open } = await startList((res) => {
    id += 1;
    sendJson(res, 200, [{ id }]);
  });
  const pages = open(auditLogs.retrieveAuditLogEvents, { pagesMax: 5 });
  expect(await readIds(pages)).toHaveLength(5);
  expect(pages.result).toEqual({ complete: false, reason: 'too many pages' });
});

test.each([
  { operation: scim.getUsers, body: [] },
  { operation: scim.getUsers, body: { totalResults: 3 } },
  { operation: auditLogs.retrieveAuditLogEvents, body: { events: [] } },
])('an answer that is no list is an error: $operation.id', async ({ operation, body }) => {
  const { open } = await startList((res) => sendJson(res, 200, body));
  await expect(readIds(open(operation))).rejects.toMatchObject({
    code: 'unreadable',
    retry: 'later',
  });
});
