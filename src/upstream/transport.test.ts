import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { MockAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UpstreamError } from './errors.ts';
import { groupUsers } from './operations/group-users.ts';
import { groups } from './operations/groups.ts';
import { scim } from './operations/scim.ts';
import { createEagerClock } from './testing/fake-clock.ts';
import { type Answering, sendJson, startService } from './testing/service.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import type { AttemptReport } from './transport-options.ts';

const token = 'a1b2c3-secret';

function connect(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    baseUrl,
    token,
    requestsPerSecond: 0,
    clock: createEagerClock(),
    random: () => 0.5,
    ...options,
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** What a call failed with. */
async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof UpstreamError) return error;
  throw new Error('the call did not fail as expected', { cause: error });
}

const ok: Answering = (res) => sendJson(res, 200, { id: 1 });
const cut: Answering = (res) => res.destroy();
const getUser = (transport: Transport, options = {}) =>
  transport.call(scim.getUser, { path: { user_id: 1 } }, options);
const addUser = (transport: Transport, options = {}) =>
  transport.call(scim.addUser, { body: { emails: ['a@example.com'] } }, options);

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
    await expect(transport.callChecked(scim.getUser, { path: { user_id: 'x' } })).rejects.toThrow(
      TypeError,
    );
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

  test('the token never comes back in words', async () => {
    const service = await startService((res) => res.writeHead(400).end(`bad token ${token}`));
    const error = await failureOf(getUser(connect(service.baseUrl)));
    expect(error.words).toBe('bad token [token]');
  });

  test.each([
    {
      why: 'a page where JSON should be',
      status: 200,
      text: '<html>login</html>',
      code: 'unreadable',
    },
    { why: 'half of a JSON text', status: 200, text: '{"id":', code: 'unreadable' },
    { why: 'a redirect', status: 302, text: '', code: 'redirected' },
  ])('$why is for later, its effect unknown', async ({ status, text, code }) => {
    const service = await startService((res) =>
      res.writeHead(status, { location: '/x' }).end(text),
    );
    const error = await failureOf(addUser(connect(service.baseUrl)));
    expect(error).toMatchObject({ code, retry: 'later', outcome: 'unknown', status });
    expect(service.seen).toHaveLength(1);
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

describe('what is sent again', () => {
  test('a read after 5xx and a cut connection, with growing jitter', async () => {
    const clock = createEagerClock();
    const service = await startService((res, request, n) => {
      if (n === 0) return sendJson(res, 502, {});
      return n === 1 ? cut(res, request, n) : ok(res, request, n);
    });
    expect(await getUser(connect(service.baseUrl, { clock }))).toEqual({ id: 1 });
    expect(clock.sleeps).toEqual([250, 500]);
  });

  test('not a create whose answer was lost', async () => {
    const service = await startService(cut);
    const error = await failureOf(addUser(connect(service.baseUrl)));
    expect(error).toMatchObject({ code: 'connection', retry: 'later', outcome: 'unknown' });
    expect(service.seen).toHaveLength(1);
  });

  test('not a create that answered 500', async () => {
    const service = await startService((res) => sendJson(res, 500, {}));
    const error = await failureOf(addUser(connect(service.baseUrl)));
    expect(error).toMatchObject({ code: 'unavailable', outcome: 'unknown' });
    expect(service.seen).toHaveLength(1);
  });

  test('a create that never left: nobody listened yet', async () => {
    const port = await findFreePort();
    let server: Server | undefined;
    onTestFinished(() => void server?.close());
    const clock = createEagerClock();
    const sleep = async () => {
      server = await listen(port);
    };
    const transport = connect(`http://127.0.0.1:${port}`, { clock: { ...clock, sleep } });
    expect(await addUser(transport)).toEqual({ id: 9 });
  });

  test('a call that never left says so', async () => {
    const port = await findFreePort();
    const transport = connect(`http://127.0.0.1:${port}`);
    const error = await failureOf(addUser(transport));
    expect(error).toMatchObject({ code: 'connection', retry: 'later', outcome: 'not-sent' });
  });

  test('a name that does not exist was never sent', async () => {
    const transport = connect('http://no-such-host.invalid', { attemptsMax: 1 });
    expect(await failureOf(addUser(transport))).toMatchObject({ outcome: 'not-sent' });
  });

  test('a server that does not speak TLS was never sent anything', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl.replace('http:', 'https:'), { attemptsMax: 1 });
    expect(await failureOf(addUser(transport))).toMatchObject({ outcome: 'not-sent' });
  });

  test('an earlier attempt that may have worked keeps the outcome unknown', async () => {
    const service = await startService(cut);
    let sent = 0;
    const hooks = {
      beforeSend: () => {
        sent += 1;
        if (sent === 2) throw new Error('the lane is lost');
      },
    };
    const transport = connect(service.baseUrl, { hooks });
    const removal = transport.call(groups.removeGroup, { path: { uid: 'g' } });
    expect(await failureOf(removal)).toMatchObject({ code: 'connection', outcome: 'unknown' });
    expect(service.seen).toHaveLength(1);
  });
});

describe('too many requests', () => {
  test('the pause is as the headers say, then the call goes again', async () => {
    const clock = createEagerClock();
    const service = await startService((res, request, n) =>
      n === 0 ? sendJson(res, 429, {}, { 'retry-after': '3' }) : ok(res, request, n),
    );
    expect(await addUser(connect(service.baseUrl, { clock }))).toEqual({ id: 1 });
    expect(clock.sleeps).toEqual([3_000]);
  });

  test('without a word the pause doubles', async () => {
    const clock = createEagerClock();
    const service = await startService((res) => sendJson(res, 429, {}));
    const error = await failureOf(getUser(connect(service.baseUrl, { clock })));
    expect(error).toMatchObject({ code: 'rate-limited', retry: 'later', retryAfterMs: 4_000 });
    expect(clock.sleeps).toEqual([1_000, 2_000]);
  });

  test('a pause longer than the call has is not waited for', async () => {
    const clock = createEagerClock();
    const service = await startService((res) => sendJson(res, 429, {}, { 'retry-after': '50' }));
    const transport = connect(service.baseUrl, { clock });
    const error = await failureOf(getUser(transport, { timeoutMs: 20_000 }));
    expect(error).toMatchObject({ code: 'rate-limited', retryAfterMs: 50_000 });
    expect(clock.sleeps).toEqual([]);
    expect(transport.health().pausedForMs).toBe(50_000);
    expect(transport.queueAheadMs('change')).toBe(50_000);
  });

  test('five answers to one burst are one 429, and a probe goes alone', async () => {
    const clock = createEagerClock();
    const burst: (() => void)[] = [];
    const service = await startService((res, request, n) => {
      if (n >= 5) return ok(res, request, n);
      burst.push(() => sendJson(res, 429, {}));
      if (burst.length === 5) for (const answer of burst) answer();
    });
    const transport = connect(service.baseUrl, { clock });
    await Promise.all(Array.from({ length: 5 }, () => getUser(transport)));
    expect(Math.max(...clock.sleeps)).toBe(1_000);
    expect(service.seen).toHaveLength(10);
  });
});

describe('time', () => {
  const silent: Answering = () => undefined;

  test('a silent service ends the call in time', async () => {
    const service = await startService(silent);
    const error = await failureOf(addUser(connect(service.baseUrl), { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'timeout', retry: 'later', outcome: 'unknown' });
  });

  test('a body that never ends too', async () => {
    const service = await startService((res) => void res.write('{'));
    const error = await failureOf(addUser(connect(service.baseUrl), { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  test('the head of the answer has a time of its own', async () => {
    const service = await startService(silent);
    const transport = connect(service.baseUrl, { timeouts: { headersMs: 20 } });
    expect(await failureOf(addUser(transport))).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
    });
  });

  test('the caller can give up', async () => {
    const caller = new AbortController();
    const service = await startService(() => caller.abort(new Error('enough')));
    const error = await failureOf(getUser(connect(service.baseUrl), { signal: caller.signal }));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', retry: 'later' });
    expect(service.seen).toHaveLength(1);
  });

  test('who has given up sends nothing', async () => {
    const service = await startService(ok);
    const call = getUser(connect(service.baseUrl), { signal: AbortSignal.abort() });
    expect(await failureOf(call)).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    expect(service.seen).toHaveLength(0);
  });
});

describe('when nothing has a chance', () => {
  test('a refused token stops the other calls, visibly', async () => {
    const service = await startService((res) => sendJson(res, 401, 'Invalid token'));
    const transport = connect(service.baseUrl);
    expect(await failureOf(getUser(transport))).toMatchObject({
      code: 'credentials-refused',
      status: 401,
      words: 'Invalid token',
    });
    expect(await failureOf(addUser(transport))).toMatchObject({
      code: 'credentials-refused',
      outcome: 'not-sent',
      status: undefined,
    });
    expect(service.seen).toHaveLength(1);
    expect(transport.health().credentials.kind).toBe('shut');
  });

  test('a service that is down is left alone for a while', async () => {
    const service = await startService((res) => sendJson(res, 503, {}));
    const transport = connect(service.baseUrl, { attemptsMax: 1 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await failureOf(getUser(transport, { key }));
    expect(await failureOf(getUser(transport))).toMatchObject({ code: 'circuit-open' });
    expect(service.seen).toHaveLength(5);
    expect(transport.health().service.kind).toBe('shut');
  });

  test('after closing nothing is sent', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl);
    await transport.close();
    expect(await failureOf(getUser(transport))).toMatchObject({ code: 'closed' });
  });
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

  test('who announces can stop the call', async () => {
    const service = await startService(ok);
    const cause = new Error('the lane is lost');
    const beforeSend = () => Promise.reject(cause);
    const error = await failureOf(getUser(connect(service.baseUrl), { beforeSend }));
    expect(error).toMatchObject({ code: 'stopped', outcome: 'not-sent', retry: 'later', cause });
    expect(service.seen).toHaveLength(0);
  });

  test('while only observing, reads pass and nothing else leaves', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl, { hooks: { writes: () => 'refuse' } });
    expect(await failureOf(addUser(transport))).toMatchObject({
      code: 'observe-mode',
      outcome: 'not-sent',
      retry: 'later',
    });
    await getUser(transport);
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('a switch to observing holds calls that wait for their turn', async () => {
    const service = await startService(ok);
    let writes: 'send' | 'refuse' = 'send';
    const beforeSend = () => {
      writes = 'refuse';
    };
    const transport = connect(service.baseUrl, { hooks: { writes: () => writes, beforeSend } });
    expect(await failureOf(addUser(transport))).toMatchObject({ code: 'observe-mode' });
    expect(service.seen).toHaveLength(0);
  });
});

async function findFreePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('no port');
}

async function listen(port: number): Promise<Server> {
  const server = createServer((_req, res) => sendJson(res, 201, { id: 9 }));
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
