import { MockAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Operation } from './operations/operation.ts';
import { groups, groupUsers } from './operations/people.ts';
import { scim } from './operations/scim.ts';
import { addUser, connect, failureOf, getUser, ok, token } from './testing/connect.ts';
import { type Answering, sendJson, startService } from './testing/service.ts';
import type { AttemptReport } from './transport-options.ts';

describe('what goes over the wire', () => {
  test('path, JSON body, bearer token and user agent', async () => {
    const service = await startService(ok);
    const transport = connect(`${service.baseUrl}/tenant/`, { apiVersion: 'v1', userAgent: 'x/1' });
    const path = { group_uid: 'g' };
    const answer = await transport.call(groupUsers.addUserToGroup, { path, body: { user_id: 3 } });
    expect(answer).toEqual({ id: 1 });
    expect(service.seen).toMatchObject([
      {
        method: 'POST',
        url: '/tenant/api/v1/groups/g/users',
        body: '{"user_id":3}',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'x/1',
        },
      },
    ]);
  });

  test('a call without a body says nothing of its type', async () => {
    const service = await startService(ok);
    await connect(service.baseUrl).call(groups.getListOfGroups, { query: { limit: 2 } });
    expect(service.seen[0]?.url).toBe('/api/latest/company/groups?limit=2');
    expect(service.seen[0]?.headers).not.toHaveProperty('content-type');
  });

  test('wrong arguments are a TypeError and nothing is sent', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl);
    await expect(
      transport.call<Operation>(scim.getUser, { path: { user_id: 'x' } }),
    ).rejects.toThrow(TypeError);
    expect(service.seen).toHaveLength(0);
  });

  test('through a proxy', async () => {
    const service = await startService(ok);
    const proxy = await startService((res, { url }) => sendJson(res, 200, { via: url }));
    const transport = connect(service.baseUrl, { proxy: proxy.baseUrl });
    expect(await getUser(transport)).toEqual({ via: `${service.baseUrl}/scim/v2/Users/1` });
    expect(service.seen).toHaveLength(0);
  });

  test('through a dispatcher of the caller, who keeps it', async () => {
    const dispatcher = new MockAgent();
    onTestFinished(() => dispatcher.close());
    dispatcher.disableNetConnect();
    const intercept = { path: '/scim/v2/Users/1', method: 'GET' } as const;
    dispatcher.get('https://company.example').intercept(intercept).reply(200, { id: 5 });
    const transport = connect('https://company.example', { dispatcher });
    expect(await getUser(transport)).toEqual({ id: 5 });
    await transport.close();
    const other = { ...intercept, path: '/x' };
    dispatcher.get('https://company.example').intercept(other).reply(200, 'still here');
    const { body } = await dispatcher.request({ ...other, origin: 'https://company.example' });
    expect(await body.text()).toBe('still here');
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

  test('an error keeps status, body, words and request id, and shows none of the body', async () => {
    const service = await startService((res) =>
      sendJson(res, 409, { message: 'anna@example.com is there' }, { 'x-request-id': 'r-1' }),
    );
    const error = await failureOf(addUser(connect(service.baseUrl)));
    expect(error).toMatchObject({
      code: 'conflict',
      operation: 'scim.addUser',
      status: 409,
      retry: 'never',
      outcome: 'answered',
      requestId: 'r-1',
      words: 'anna@example.com is there',
      body: { kind: 'json', value: { message: 'anna@example.com is there' } },
    });
    expect(`${error.stack} ${JSON.stringify(error)} ${Object.values(error)}`).not.toContain('anna');
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
  test('each attempt is reported with what became of it', async () => {
    const reports: AttemptReport[] = [];
    const service = await startService((res, request, n) =>
      n === 0 ? sendJson(res, 500, {}) : ok(res, request, n),
    );
    const hooks = { onAttempt: (report: AttemptReport) => reports.push(report) };
    await getUser(connect(service.baseUrl, { hooks }), { class: 'look', key: 'u1' });
    expect(reports).toMatchObject([
      { operation: 'scim.getUser', attempt: 1, status: 500, code: 'unavailable' },
      { section: 'users', attempt: 2, status: 200, code: undefined, callClass: 'look' },
    ]);
    expect(reports[0]?.durationMs).toBeGreaterThan(0);
  });

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

  test('while only observing, reads pass and nothing else leaves', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl, { hooks: { writesRefused: () => 'observe-mode' } });
    expect(await failureOf(addUser(transport))).toMatchObject({
      code: 'observe-mode',
      outcome: 'not-sent',
      retry: 'later',
    });
    await getUser(transport);
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('a pause holds calls that wait for their turn', async () => {
    const service = await startService(ok);
    let refused: 'writes-paused' | undefined;
    const beforeSend = () => {
      refused = 'writes-paused';
    };
    const hooks = { writesRefused: () => refused, beforeSend };
    const transport = connect(service.baseUrl, { hooks });
    expect(await failureOf(addUser(transport))).toMatchObject({ code: 'writes-paused' });
    expect(service.seen).toHaveLength(0);
  });
});
