import { describe, expect, test } from 'vitest';
import { ok } from '../upstream/testing/connect.ts';
import { type Answering, sendJson } from '../upstream/testing/service.ts';
import { startClient } from './start-client-test-support.ts';

describe('headers of one call', () => {
  test('are sent with it alone', async () => {
    const { client, seen } = await startClient(ok);
    const headers = { 'X-Request-Id': 'r-1', 'user-agent': 'mine', Accept: 'text/plain' };
    await client.users.retrieveCurrentUser({}, { headers });
    await client.users.retrieveCurrentUser();

    const sent = { 'x-request-id': 'r-1', 'user-agent': 'mine', accept: 'text/plain' };
    expect(seen[0]?.headers).toMatchObject(sent);
    expect(seen[1]?.headers).toMatchObject({ 'user-agent': 'scim-bridge' });
    expect(seen[1]?.headers).not.toHaveProperty('x-request-id');
  });

  test.each([
    { Authorization: 'Bearer other' },
    { 'content-length': '3' },
    { host: 'other' },
    { 'accept-encoding': 'zstd' },
    { 'x-y': 'a\r\nb: c' },
    { 'x y': 'a' },
    { 'x-y': '😀' },
  ])('are refused before anything is sent: %j', async (headers) => {
    const { client, seen } = await startClient(ok);
    const call = client.users.retrieveCurrentUser({}, { headers: { ...headers } });

    await expect(call).rejects.toThrow(/^headers/);
    expect(seen).toEqual([]);
  });
});

describe('attempts of one call', () => {
  test.each([
    { of: 3, attemptsMax: 1, sent: 1 },
    { of: 1, attemptsMax: 2, sent: 2 },
    { of: 3, attemptsMax: undefined, sent: 3 },
  ])('are $attemptsMax in place of $of', async ({ of, attemptsMax, sent }) => {
    const down: Answering = (res) => sendJson(res, 503, {});
    const { client, seen } = await startClient(down, { attemptsMax: of });
    const call = client.users.retrieveCurrentUser({}, { attemptsMax });

    await expect(call).rejects.toMatchObject({ code: 'unavailable' });
    expect(seen).toHaveLength(sent);
  });

  test.each([0, 1.5, Number.NaN])('cannot be %s', async (attemptsMax) => {
    const { client } = await startClient(ok);

    await expect(client.users.retrieveCurrentUser({}, { attemptsMax })).rejects.toThrow(TypeError);
  });
});

describe('an answer with its response', () => {
  test('has the status, the headers and the request id', async () => {
    const sent = { 'x-request-id': 'r', 'x-ratelimit-remaining': '4' };
    const { client } = await startClient((res) => sendJson(res, 201, { id: 7 }, sent));

    const answer = await client.spaces.retrieveSpace({ path: { space_id: 7 } }).withResponse();

    const headers = { 'x-ratelimit-remaining': '4' };
    const told = { content: { id: 7 }, status: 201, requestId: 'r', headers };
    expect(answer).toMatchObject(told);
  });

  test('is that of the attempt that succeeded', async () => {
    const { client } = await startClient((res, _request, n) =>
      sendJson(res, n === 0 ? 503 : 200, {}, { 'x-n': String(n) }),
    );
    const { headers } = await client.request({ method: 'GET', path: '/x' }).withResponse();

    expect(headers['x-n']).toBe('1');
  });
});

describe('an answer without the documented content', () => {
  test.each([
    { method: 'GET', call: 'a read' },
    { method: 'POST', call: 'a creation' },
  ])('is an error of $call: its type would be a lie', async ({ method }) => {
    const { client } = await startClient((res) => res.writeHead(204).end());
    const call =
      method === 'GET'
        ? client.spaces.retrieveSpace({ path: { space_id: 1 } })
        : client.spaces.createNewSpace({ body: { title: 'A' } });

    const message = expect.stringContaining('answered 204 without the documented content');
    const error = { code: 'unreadable', status: 204, outcome: 'unknown', message };
    await expect(call).rejects.toMatchObject(error);
  });

  test('is fine after a removal', async () => {
    const { client } = await startClient((res) => res.writeHead(204).end());

    expect(await client.spaces.removeSpace({ path: { space_id: 1 } })).toBeUndefined();
  });
});

describe('a removal that is repeated because its answer was lost', () => {
  test('is done when nothing is found any more', async () => {
    const { client, seen } = await startClient((res, _request, n) =>
      sendJson(res, n === 0 ? 503 : 404, {}),
    );
    const removed = client.spaces.removeSpace({ path: { space_id: 1 } });

    expect(await removed.withResponse()).toMatchObject({ content: undefined, status: 404 });
    expect(seen).toHaveLength(2);
  });

  test('is not when the first attempt certainly did nothing', async () => {
    const { client } = await startClient((res, _request, n) =>
      sendJson(res, n === 0 ? 429 : 404, {}, { 'retry-after': '0.01' }),
    );

    const removed = client.spaces.removeSpace({ path: { space_id: 1 } });
    await expect(removed).rejects.toMatchObject({ code: 'not-found' });
  });
});
