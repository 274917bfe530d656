import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UpstreamError } from '../client.ts';
import { sendJson } from '../upstream/testing/service.ts';
import { startClient, token } from './start-client-test-support.ts';

test('an error says what was asked, what came back and when to come again', async () => {
  const { client } = await startClient((res) =>
    sendJson(
      res,
      400,
      { message: 'no such field', code: 3 },
      { 'x-request-id': 'r7', 'retry-after': '2' },
    ),
  );
  const error: unknown = await client.scim.getUsers().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UpstreamError);
  expect(error).toMatchObject({
    name: 'UpstreamError',
    operation: 'scim.getUsers',
    status: 400,
    code: 'refused',
    requestId: 'r7',
    retryAfterMs: 2_000,
    words: 'no such field',
    body: { kind: 'json', value: { message: 'no such field', code: 3 } },
  });
});

test.each([
  { why: 'nothing', body: '', read: { kind: 'empty' } },
  { why: 'a JSON string', body: '"Invalid token"', read: { kind: 'json', value: 'Invalid token' } },
  { why: 'text', body: 'Invalid token', read: { kind: 'text', text: 'Invalid token' } },
  { why: 'a page', body: '<h1>no</h1>', read: { kind: 'html', text: '<h1>no</h1>' } },
  { why: 'half of a JSON', body: '{"message":', read: { kind: 'text', text: '{"message":' } },
  {
    why: 'a very deep JSON',
    body: '['.repeat(100_000),
    read: { kind: 'text', text: '['.repeat(2_000) },
  },
  {
    why: 'no UTF-8',
    body: Buffer.from([0xff, 0xfe, 0x41]),
    read: { kind: 'text', text: '\ufffd\ufffdA' },
  },
  { why: 'a trap', body: '{"__proto__":{"x":1},"message":{"toString":1}}', read: { kind: 'json' } },
])('a body of $why is kept, and reading it never fails otherwise', async ({ body, read }) => {
  const { client } = await startClient((res) => {
    res.writeHead(404, { 'content-type': 'application/json' });
    res.end(body);
  });
  const failed = client.users.retrieveCurrentUser();
  await expect(failed).rejects.toMatchObject({ code: 'not-found', status: 404, body: read });
});

test('neither the token nor a body is shown by an error that is logged', async () => {
  const { client } = await startClient((res) => sendJson(res, 400, { message: `secret ${token}` }));
  const error: unknown = await client.users
    .retrieveCurrentUser()
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UpstreamError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret/);
  expect(JSON.stringify(error)).not.toMatch(/secret/);
});

test('an answer that is too large is an error', async () => {
  const { client } = await startClient((res) => sendJson(res, 200, ['x'.repeat(100)]), {
    responseBytesMax: 50,
  });
  await expect(client.groups.getListOfGroups()).rejects.toMatchObject({
    code: 'response-too-large',
  });
});
