import { describe, expect, test } from 'vitest';
import { scim } from './operations/scim.ts';
import { addUser, connect, failureOf, getUser, ok } from './testing/connect.ts';
import { type Answering, sendJson, startService } from './testing/service.ts';

describe('what goes over the wire', () => {
  test('through a proxy', async () => {
    const service = await startService(ok);
    const proxy = await startService((res, { url }) => sendJson(res, 200, { via: url }));
    const transport = connect(service.baseUrl, { proxy: proxy.baseUrl });
    expect(await getUser(transport)).toEqual({ via: `${service.baseUrl}/scim/v2/Users/1` });
    expect(service.seen).toHaveLength(0);
  });

  test.each([
    { baseUrl: 'ftp://x' },
    { baseUrl: 'x' },
    { baseUrl: 'https://user:pw@x' },
    { baseUrl: 'https://x/?a=1' },
  ])('a base URL that cannot be is refused: $baseUrl', ({ baseUrl }) => {
    expect(() => connect(baseUrl)).toThrow(TypeError);
  });

  test('a token that cannot be is refused and not quoted', () => {
    expect(() => connect('https://x', { token: 'two words\r\n' })).toThrow(/visible ASCII/);
  });
});

describe('answers', () => {
  test.each([
    { why: 'no body', status: 204, text: '', want: undefined },
    { why: 'blank body', status: 200, text: ' \n', want: undefined },
    { why: 'JSON without a content type', status: 201, text: '[1]', want: [1] },
    { why: 'JSON after a byte order mark', status: 200, text: '\ufeff{"a":1}', want: { a: 1 } },
  ])('$why is taken', async ({ status, text, want }) => {
    const service = await startService((res) => res.writeHead(status).end(text || undefined));
    expect(await getUser(connect(service.baseUrl))).toEqual(want);
  });

  test.each([
    { why: 'announced', answer: ((res) => res.end('x'.repeat(2_000))) as Answering },
    {
      why: 'not announced',
      answer: ((res) => {
        res.write('x'.repeat(900));
        res.end('x'.repeat(900));
      }) as Answering,
    },
  ])('an answer larger than allowed, $why, is not held', async ({ answer }) => {
    const service = await startService(answer);
    const error = await failureOf(addUser(connect(service.baseUrl, { responseBytesMax: 1_000 })));
    expect(error).toMatchObject({ code: 'response-too-large', outcome: 'unknown', status: 200 });
  });
});

describe('an answer that the caller can do without', () => {
  const long = JSON.stringify({ members: 'x'.repeat(2_000) });
  const skipping = { skipAnswerAboveBytes: 1_000 };

  test.each([
    { why: 'announced', answer: ((res) => res.end(long)) as Answering },
    {
      why: 'not announced',
      answer: ((res) => {
        res.write(long.slice(0, 900));
        res.end(long.slice(900));
      }) as Answering,
    },
  ])('is passed over when it is long, $why, and the connection serves on', async ({ answer }) => {
    const service = await startService(answer);
    const transport = connect(service.baseUrl);
    expect(await addUser(transport, skipping)).toBeUndefined();
    expect(await addUser(transport, skipping)).toBeUndefined();
    expect(service.seen).toHaveLength(2);
  });

  test('is returned when it is short, and an error is read however long it is', async () => {
    const service = await startService(ok);
    expect(await addUser(connect(service.baseUrl), skipping)).toEqual({ id: 1 });
    const refusing = await startService((res) => sendJson(res, 400, { message: 'no', long }));
    const error = await failureOf(addUser(connect(refusing.baseUrl), skipping));
    expect(error).toMatchObject({ code: 'refused', words: 'no' });
  });
});

test.each([
  { headers: { 'x-request-id': 'a', 'request-id': 'b', 'x-correlation-id': 'c' }, want: 'a' },
  { headers: { 'request-id': 'b', 'x-correlation-id': 'c' }, want: 'b' },
  { headers: { 'x-correlation-id': 'c' }, want: 'c' },
  { headers: { 'x-request-id': 'x'.repeat(201) }, want: 'x'.repeat(200) },
])('the request id of the service: $want', async ({ headers, want }) => {
  const service = await startService((res) => sendJson(res, 400, {}, headers));

  const error = await failureOf(getUser(connect(service.baseUrl)));
  expect(error.requestId).toBe(want);
});

describe('hooks', () => {
  test('a mutating call is announced before it leaves, a read is not', async () => {
    const service = await startService(ok);
    const announced: unknown[] = [];
    const hooks = {
      beforeSend: async (sending: object) => {
        announced.push({ ...sending, seen: service.seen.length });
      },
    };
    const transport = connect(service.baseUrl, { hooks });
    await getUser(transport);
    await addUser(transport, { class: 'change', key: 'u1' });
    const args = { body: { emails: ['a@example.com'] } };
    expect(announced).toEqual([
      { operation: scim.addUser, args, attempt: 1, callClass: 'change', key: 'u1', seen: 1 },
    ]);
  });

  test('the caller can stop the call at the last moment, and nobody is told of it', async () => {
    const service = await startService(ok);
    const cause = new Error('the lead is lost');
    const beforeSend = () => Promise.reject(cause);
    const announced: unknown[] = [];
    const hooks = { beforeSend: (sending: unknown) => void announced.push(sending) };
    const error = await failureOf(addUser(connect(service.baseUrl, { hooks }), { beforeSend }));
    expect(announced).toEqual([]);
    expect(error).toMatchObject({ code: 'stopped', outcome: 'not-sent', retry: 'later', cause });
    expect(service.seen).toHaveLength(0);
  });
});
