import { getEventListeners } from 'node:events';
import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { type ExchangeLimits, exchange } from './exchange.ts';
import { type Answering, startService } from './testing/service.ts';

async function start(answer: Answering) {
  const { baseUrl: origin, seen } = await startService(answer);
  const pool = new Pool(origin, { connections: 1 });
  onTestFinished(() => pool.destroy());
  const send = (path: string, limits: Partial<ExchangeLimits> = {}) =>
    exchange(
      pool,
      { origin, path, method: 'GET', headers: [], body: undefined },
      {
        headersMs: 0,
        bodyMs: 0,
        responseBytesMax: 10_000_000,
        skipAnswerAboveBytes: undefined,
        signal: new AbortController().signal,
        refuse: () => undefined,
        onSent: () => undefined,
        ...limits,
      },
    );
  return { send, seen };
}

test('an answer in many pieces is put together, also where a character is cut', async () => {
  const text = 'aé€😀'.repeat(100_000);
  const bytes = Buffer.from(text);
  const { send } = await start((res) => {
    res.writeHead(200);
    res.write(bytes.subarray(0, 5));
    // Later, so that it is a piece of its own.
    setImmediate(() => res.end(bytes.subarray(5)));
  });
  expect(await send('/')).toMatchObject({ status: 200, text });
});

test('what comes before the answer is not the answer', async () => {
  const { send } = await start((res) => {
    res.writeEarlyHints({ link: '</x>; rel=preload' });
    res.writeHead(201, { 'x-request-id': 'r' }).end('done');
  });
  const answer = await send('/');
  expect(answer).toMatchObject({ status: 201, text: 'done', headers: { 'x-request-id': 'r' } });
  expect(answer.headers.link).toBeUndefined();
});

test('a request that is given up on its way ends at once, with the reason', async () => {
  const caller = new AbortController();
  const reason = new Error('enough');
  const { send } = await start(() => caller.abort(reason));
  await expect(send('/', { signal: caller.signal })).rejects.toBe(reason);
});

test('a request that is given up between two pieces ends at once', async () => {
  const caller = new AbortController();
  const { send } = await start((res) => {
    res.writeHead(200);
    res.write('half', () => caller.abort(new Error('enough')));
  });
  await expect(send('/', { signal: caller.signal })).rejects.toThrow('enough');
});

test('a request that is given up before it leaves is never sent', async () => {
  const caller = new AbortController();
  const { send, seen } = await start((res) => {
    caller.abort(new Error('enough'));
    res.end('first');
  });
  const [first, second, third] = [
    send('/1'),
    send('/2', { signal: caller.signal }).catch((error: unknown) => error),
    send('/3'),
  ];
  expect([(await first).text, await second]).toEqual(['first', new Error('enough')]);
  await third;
  expect(seen.map(({ url }) => url)).toEqual(['/1', '/3']);
});

test('half an answer is an error', async () => {
  const { send } = await start((res) => {
    res.writeHead(200, { 'content-length': '10' });
    res.write('half', () => res.destroy());
  });
  await expect(send('/')).rejects.toThrow();
});

test('whatever the end, nobody is listened to any more', async () => {
  const caller = new AbortController();
  const { send } = await start((res, { url }) => (url === '/ok' ? res.end('x') : res.destroy()));
  await send('/ok', { signal: caller.signal });
  await send('/cut', { signal: caller.signal }).catch(() => undefined);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});
