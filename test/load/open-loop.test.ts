import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { ScimTarget } from '../bench/scim-target.ts';
import { sendOnSchedule } from './open-loop.ts';

test('a stall counts for everybody who was to be served meanwhile, and stops nobody from coming', async () => {
  const stallMs = 300;
  const open = sleep(stallMs);
  const arrivedAt: number[] = [];
  const target = await serve(async () => {
    arrivedAt.push(performance.now());
    await open;
    return 200;
  });
  const next = () => ({ method: 'GET', path: '/Users' }) as const;
  const load = await sendOnSchedule([target], { requestsPerSecond: 100, seconds: 0.5, next });
  expect(load).toMatchObject({ sent: 50, failures: 0, firstFailure: undefined });
  expect(load.reads.requests).toBe(50);
  // The first waited for all of it; one in three came in its second half.
  expect(load.reads.maxMs).toBeGreaterThan(stallMs / 2);
  expect(load.reads.p50Ms).toBeGreaterThan(stallMs / 10);
  expect(arrivedAt).toHaveLength(50);
  expect(load.writes.requests).toBe(0);
});

test('what leaves late counts from when it was to leave', async () => {
  const target = await serve(async () => 200);
  let drawn = 0;
  const next = () => {
    drawn += 1;
    if (drawn === 2) blockFor(200);
    return { method: 'PATCH', path: '/Users/1' } as const;
  };
  const load = await sendOnSchedule([target], { requestsPerSecond: 100, seconds: 0.3, next });
  expect(load.writes.requests).toBe(30);
  // Twenty were to leave meanwhile, of which half waited for more than a hundred milliseconds.
  expect(load.writes.maxMs).toBeGreaterThan(180);
  expect(load.writes.p50Ms).toBeGreaterThan(40);
});

test('targets take turns, reads and writes are told apart, and whatever is not 2xx has failed', async () => {
  const seen: string[] = [];
  const [first, second] = [
    await serve(async (method) => seen.push(`first ${method}`) && 200),
    await serve(async (method) => seen.push(`second ${method}`) && 503),
  ];
  const methods = ['GET', 'PATCH'] as const;
  let n = 0;
  const next = () => ({ method: methods[Math.floor(n++ / 2) % 2] ?? 'GET', path: '/Users/1' });
  const load = await sendOnSchedule([first, second], {
    requestsPerSecond: 200,
    seconds: 0.04,
    next,
  });
  expect(seen.sort()).toEqual(
    ['GET', 'PATCH']
      .flatMap((method) => [
        ...Array<string>(2).fill(`first ${method}`),
        ...Array<string>(2).fill(`second ${method}`),
      ])
      .sort(),
  );
  expect(load).toMatchObject({ sent: 8, failures: 4, firstFailure: { status: 503 } });
  expect([load.reads.requests, load.writes.requests]).toEqual([4, 4]);
});

/** As a busy event loop does. */
function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function serve(answer: (method: string) => Promise<number>): Promise<ScimTarget> {
  const server = createServer(async (req, res) => {
    req.resume();
    res.writeHead(await answer(req.method ?? '')).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => end(server));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { baseUrl: `http://127.0.0.1:${address.port}/scim/v2`, token: 'any' };
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
