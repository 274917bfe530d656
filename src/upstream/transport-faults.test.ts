import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { cardFiles } from './operations/card-parts.ts';
import { groups } from './operations/people.ts';
import { scim } from './operations/scim.ts';
import { addUser, connect, cut, failureOf, getUser, ok } from './testing/connect.ts';
import { createEagerClock, createFakeClock, runReady } from './testing/fake-clock.ts';
import { type Answering, sendJson, startService } from './testing/service.ts';
import type { AttemptReport } from './transport-options.ts';

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

  test('a create that never left: nobody listened yet', async () => {
    const port = await freePort();
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
    const port = await freePort();
    const transport = connect(`http://127.0.0.1:${port}`);
    const error = await failureOf(addUser(transport));
    expect(error).toMatchObject({ code: 'connection', retry: 'later', outcome: 'not-sent' });
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
        if (sent === 2) throw new Error('the lead is lost');
      },
    };
    const transport = connect(service.baseUrl, { hooks });
    const removal = transport.call(groups.removeGroup, { path: { uid: 'g' } });
    expect(await failureOf(removal)).toMatchObject({ code: 'connection', outcome: 'unknown' });
    expect(service.seen).toHaveLength(1);
  });

  test.each([
    { why: 'a clear no', status: 404, code: 'not-found', outcome: 'answered' },
    {
      why: '"not now", which leaves it open,',
      status: 429,
      code: 'connection',
      outcome: 'unknown',
    },
  ])('$why after a lost answer is $code', async ({ status, code, outcome }) => {
    const service = await startService((res, request, n) =>
      n === 0 ? cut(res, request, n) : sendJson(res, status, {}, { 'retry-after': '3600' }),
    );

    const error = await failureOf(getUser(connect(service.baseUrl)));

    expect(error).toMatchObject({ code, outcome });
    expect(service.seen).toHaveLength(2);
  });

  test('a call that is sent again goes before those that have had no turn', async () => {
    const service = await startService((res, request, n) =>
      n === 0 ? sendJson(res, 502, {}) : ok(res, request, n),
    );
    const transport = connect(service.baseUrl, { inFlightMax: 1 });

    await Promise.all(
      [1, 2, 3, 4].map((id) => transport.call(scim.getUser, { path: { user_id: id } })),
    );

    const order = service.seen.map(({ url }) => Number(url.split('/').at(-1)));
    expect(order.filter((id) => id === 1)).toHaveLength(2);
    expect(order.slice(0, 2)).toEqual([1, 2]);
    expect(order.lastIndexOf(1)).toBeLessThan(order.indexOf(4));
  });

  test('how long a call waited for its turn is told', async () => {
    const told: object[] = [];
    const clock = createFakeClock();
    const service = await startService(ok);
    const transport = connect(service.baseUrl, {
      clock,
      requestsPerSecond: 1,
      hooks: { onTurn: (turn) => told.push(turn) },
    });
    await getUser(transport);
    const second = getUser(transport);
    await runReady();
    await clock.advance(2_000);
    await second;

    const first = { callClass: 'pass', waitedMs: 0 };
    expect(told).toEqual([first, { ...first, waitedMs: 1_050 }]);
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

  test('the head of the answer has a time of its own', async () => {
    const service = await startService(silent);
    const transport = connect(service.baseUrl, { timeouts: { headersMs: 20 } });
    const late = { code: 'timeout', outcome: 'unknown' };
    expect(await failureOf(addUser(transport))).toMatchObject(late);
  });
});

describe('when nothing has a chance', () => {
  test('a refused token stops the other calls, visibly', async () => {
    const service = await startService((res) => sendJson(res, 401, 'Invalid token'));
    // Who has no chance does not wait for a turn.
    const transport = connect(service.baseUrl, { requestsPerSecond: 1, clock: createFakeClock() });
    const [first, second] = [
      await failureOf(getUser(transport)),
      await failureOf(addUser(transport)),
    ];
    const code = 'credentials-refused';
    expect(first).toMatchObject({ code, status: 401, words: 'Invalid token' });
    expect(second).toMatchObject({ code, outcome: 'not-sent', status: undefined });
    expect(service.seen).toHaveLength(1);
    expect(transport.health().credentials.kind).toBe('shut');
  });

  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const silent: Answering = () => undefined;

  test.each([
    { fault: 'gives too little time', options: () => ({ timeoutMs: 300 }) },
    { fault: 'gives up', options: () => ({ signal: AbortSignal.timeout(300) }) },
  ])('a caller who $fault stops nobody else', async ({ options }) => {
    const service = await startService(silent);
    const attempts: AttemptReport[] = [];
    const hooks = { onAttempt: (attempt: AttemptReport) => void attempts.push(attempt) };
    const transport = connect(service.baseUrl, { hooks });
    await Promise.all(keys.map((key) => failureOf(getUser(transport, { key, ...options() }))));
    expect(service.seen).toHaveLength(keys.length);
    expect(transport.health().service.kind).toBe('open');
    expect(attempts.map(({ isAbandoned }) => isAbandoned)).toEqual(keys.map(() => true));
  });

  test('a caller whose files cannot be read stops nobody else', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl);
    for (const key of keys) {
      const args = { path: { card_id: 1 }, body: { file: Readable.from(breakOff()) } };
      const call = transport.call(cardFiles.attachFileToCard, args, { key });
      expect(await failureOf(call)).toMatchObject({ code: 'connection', outcome: 'not-sent' });
    }
    expect(transport.health().service.kind).toBe('open');
  });

  test('a service that does not answer in its usual time is left alone', async () => {
    const service = await startService(silent);
    const transport = connect(service.baseUrl, { timeouts: { callMs: 40 }, attemptsMax: 1 });
    for (const key of keys) await failureOf(getUser(transport, { key }));
    expect(transport.health().service.kind).toBe('shut');
  });

  test('after closing nothing is sent', async () => {
    const service = await startService(ok);
    const transport = connect(service.baseUrl);
    await transport.close();
    expect(await failureOf(getUser(transport))).toMatchObject({ code: 'closed' });
  });
});

async function* breakOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the disk is gone');
}

async function listen(port: number): Promise<Server> {
  const server = createServer((_req, res) => sendJson(res, 201, { id: 9 }));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}
