import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../upstream/errors.ts';
import type { RawRequest } from '../upstream/raw-request.ts';
import { cut, ok } from '../upstream/testing/connect.ts';
import { type Answering, sendJson } from '../upstream/testing/service.ts';
import { startClient, token } from './start-client-test-support.ts';

const get = (path: string) => ({ method: 'GET', path }) as const;
const put = { method: 'PUT', path: '/x' } as const;
const sent: { why: string; request: RawRequest; url: string; body?: string }[] = [
  { why: 'REST by default', request: get('/api-keys'), url: '/api/latest/api-keys' },
  { why: 'an address of its own', request: get('/api/v1/x'), url: '/api/v1/x' },
  { why: 'SCIM', request: get('/scim/v2/Users'), url: '/scim/v2/Users' },
  {
    why: 'a query in every style',
    request: {
      method: 'GET',
      path: '/x',
      query: { a: [1, 2], b: ['x', 'y'], c: { d: 1 }, e: undefined, f: false },
      queryStyle: { b: 'brackets', c: 'json' },
    },
    url: '/api/latest/x?a=1%2C2&b%5B%5D=x&b%5B%5D=y&c=%7B%22d%22%3A1%7D&f=false',
  },
  {
    why: 'any JSON as a body, also of DELETE',
    request: { method: 'DELETE', path: '/x/7', body: [{ force: true }] },
    url: '/api/latest/x/7',
    body: '[{"force":true}]',
  },
  { why: 'null', request: { ...put, body: null }, url: '/api/latest/x', body: 'null' },
  { why: 'what is encoded', request: get('/a%20b/c%2Fd'), url: '/api/latest/a%20b/c%2Fd' },
];
describe('what no row describes is sent', () => {
  test.each(sent)('$why', async ({ request, url, body = '' }) => {
    const { client, seen } = await startClient(ok);
    expect(await client.request(request)).toEqual({ id: 1 });
    const headers = { authorization: `Bearer ${token}` };
    expect(seen).toMatchObject([{ method: request.method, url, body, headers }]);
  });
});

test('a form holds text and files', async () => {
  const { client, seen } = await startClient(ok);
  const files = [Buffer.from('a'), new File(['b'], 'b.txt')];
  const form = { text: '/etc/passwd', n: 1, 'files[]': files };
  await client.request({ method: 'POST', path: '/x', form });
  const type = seen[0]?.headers['content-type'] ?? '';
  const read = await new Response(seen[0]?.bytes, { headers: { 'content-type': type } }).formData();
  expect([read.get('text'), read.get('n')]).toEqual(['/etc/passwd', '1']);
  expect(read.getAll('files[]')).toMatchObject([{ name: 'file' }, { name: 'b.txt' }]);
});

describe('a path that leads elsewhere is a TypeError', () => {
  const elsewhere = ['', 'cards', 'https://elsewhere.example/x', '//elsewhere.example/x', '/../x'];
  const up = ['/a/../../../x', '/a/%2e%2e/x', '/a/..%2f..%2fx', '/a/%2E./x', '/api/../../x'];
  const strange = ['/a\\..\\x', '/a?b=c', '/a#b', '/a b', '/é', '/a%', '/a\r\nx: y', '/a\tb'];
  test.each([...elsewhere, ...up, ...strange])('%j', async (path) => {
    const { client, seen } = await startClient(ok);
    const request = client.request({ method: 'GET', path });
    await expect(request).rejects.toThrow(TypeError);
    await expect(request).rejects.toThrow(/path/);
    expect(seen).toEqual([]);
  });
});

test.each([
  { why: 'another method', request: { method: 'TRACE', path: '/x' }, message: /method/ },
  { why: 'no path', request: { method: 'GET' }, message: /path/ },
  { why: 'a query that is a list', request: { ...get('/x'), query: [] }, message: /query/ },
  { why: 'body and form', request: { ...put, body: 1, form: {} }, message: /form/ },
  { why: 'a form that is a list', request: { ...put, form: [] }, message: /form/ },
])('from JavaScript, $why is a TypeError', async ({ request, message }) => {
  const { client, seen } = await startClient(ok);
  const call: (request: unknown) => Promise<unknown> = (given) =>
    Reflect.apply(client.request, undefined, [given]);
  await expect(call(request)).rejects.toThrow(TypeError);
  await expect(call(request)).rejects.toThrow(message);
  expect(seen).toEqual([]);
});

const cutOnce: Answering = (res, request, n) =>
  n === 0 ? cut(res, request, n) : ok(res, request, n);

test.each([
  { method: 'GET', repeat: undefined, calls: 2 },
  { method: 'DELETE', repeat: undefined, calls: 2 },
  { method: 'POST', repeat: undefined, calls: 1 },
  { method: 'PATCH', repeat: undefined, calls: 1 },
  { method: 'POST', repeat: 'safe', calls: 2 },
  { method: 'GET', repeat: 'unsafe', calls: 1 },
] as const)(
  'a lost answer of $method ($repeat) makes $calls calls',
  async ({ method, repeat, calls }) => {
    const { client, seen } = await startClient(cutOnce);
    const result = await client
      .request({ method, path: '/x', repeat })
      .catch((error: unknown) => error);
    expect(seen).toHaveLength(calls);
    expect(result instanceof UpstreamError).toBe(calls === 1);
  },
);

describe('a redirect', () => {
  const to =
    (location: string, status = 302): Answering =>
    (res) => {
      res.writeHead(status, { location });
      res.end('<a>moved</a>');
    };

  test.each([
    { location: 'https://files.example/a?sig=1', url: 'https://files.example/a?sig=1' },
    { location: '../b', url: '/api/latest/b' },
  ])('to $location is given, not followed', async ({ location, url }) => {
    const { client, baseUrl, seen } = await startClient(to(location));
    const target = await client.request({ method: 'GET', path: '/x/y', redirect: true });
    expect(target).toEqual({ url: new URL(url, baseUrl).href, status: 302 });
    expect(seen).toHaveLength(1);
  });

  test('to another host never brings it our token', async () => {
    const { seen: elsewhere, baseUrl: other } = await startClient(ok);
    const { client } = await startClient(to(`${other}/stolen`));
    await client.request({ method: 'GET', path: '/x', redirect: true });
    await client.request({ method: 'GET', path: '/x' }).catch(() => undefined);
    await client.users.retrieveCurrentUser().catch(() => undefined);
    expect(elsewhere).toEqual([]);
  });

  test.each([
    { why: 'to no web address', answer: to('javascript:alert(1)') },
    { why: 'without an address', answer: ((res) => sendJson(res, 302, {})) satisfies Answering },
    { why: 'that is none', answer: to('https://files.example', 304) },
  ])('$why is an error', async ({ answer }) => {
    const { client } = await startClient(answer);
    const request = client.request({ method: 'GET', path: '/x', redirect: true });
    await expect(request).rejects.toMatchObject({ code: 'redirected' });
  });
});
