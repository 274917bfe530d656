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

async function errorOf(status: number, body: string, headers = {}): Promise<UpstreamError> {
  const { client } = await startClient((res) => res.writeHead(status, headers).end(body));
  const error: unknown = await client.users.retrieveCurrentUser({}, { attemptsMax: 1 }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof UpstreamError) return error;
  throw new Error('the call did not fail');
}

test.each([
  { body: '{"message":"title is too long"}', words: ': title is too long' },
  { body: '{"error":"no such field"}', words: ': no such field' },
  { body: '{"errors":[{"message":"one"},"two"]}', words: ': one; two' },
  { body: '{"errors":{"email":["is taken"]}}', words: ': email: is taken' },
  { body: 'Invalid token', words: ': Invalid token' },
  { body: '<html><title>Bad Gateway</title></html>', words: ': Bad Gateway' },
  { body: `{"message":"${'x'.repeat(999)}"}`, words: `: ${'x'.repeat(299)}…` },
  { body: '{"message":"Basic subscription needed"}', words: ': Basic subscription needed' },
  { body: '{"code":3}', words: '' },
  { body: '', words: '' },
])('the message ends with the words of the service: $body', async ({ body, words }) => {
  const { message } = await errorOf(422, body);

  expect(message).toBe(
    `users.retrieveCurrentUser: refused (status 422): the service answered 422${words}`,
  );
});

test('the message of an error is the only place where a part of the body is shown', async () => {
  const body = { message: 'not so', password: 'hidden', at: { depth: 'hidden' } };
  const error = await errorOf(400, JSON.stringify(body));

  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hidden/);
  expect(JSON.stringify(error)).not.toMatch(/hidden|not so/);
});

test.each([token, encodeURIComponent(token), 'Bearer abc.def-123', 'basic dXNlcjpwYXNzMQ=='])(
  'credentials that the service sends back are in no error: %s',
  async (credentials) => {
    const error = await errorOf(400, JSON.stringify({ message: `who is ${credentials}?` }));

    const shown = [inspect(error, { depth: 9, showHidden: true }), error.words, error.body];
    expect(JSON.stringify(shown)).not.toContain(credentials.split(' ').at(-1));
    expect(error.message).toMatch(/who is (\w+ )?\[token\]\?$/);
  },
);
