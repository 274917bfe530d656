import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { LoadClient } from './load-client.ts';
import { createMeter, measure, measureInTurns, percentile } from './measure.ts';

const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1);
const cases = [
  { why: 'half of them are not above the median', values: hundred, share: 0.5, want: 50 },
  { why: 'one of a hundred is above p99', values: hundred, share: 0.99, want: 99 },
  { why: 'of few, p99 is the worst', values: Float64Array.of(1, 2, 3), share: 0.99, want: 3 },
  { why: 'one value is every percentile', values: Float64Array.of(7), share: 0.5, want: 7 },
  { why: 'of none there is none', values: Float64Array.of(), share: 0.5, want: Number.NaN },
];
for (const { why, values, share, want } of cases) {
  test(`percentile: ${why}`, () => expect(percentile(values, share)).toBe(want));
}

test('an answer that is not 2xx is a failure, in the warm-up too', async () => {
  let answered = 0;
  const { baseUrl, client } = await serve(() => {
    answered += 1;
    return answered === 1 ? 409 : 200;
  });
  const source = () => ({ method: 'POST' as const, path: '/Users', body: '{}' });
  const durations = { warmUpMs: 20, measuredMs: 20 };

  const measured = await measure({ client, source, pid: process.pid }, durations);

  expect(measured.failures).toBe(1);
  expect(measured.firstFailure).toMatchObject({
    status: 409,
    text: `${new URL(baseUrl).pathname}/Users`,
  });
  expect(measured.requests).toBeGreaterThan(0);
});

test('servers are loaded by turns, and what each answered is summed up', async () => {
  const order: string[] = [];
  const makeMeter = async (name: string) => {
    const { client } = await serve(() => {
      if (order.at(-1) !== name) order.push(name);
      return 200;
    });
    return createMeter({ client, source: () => ({ method: 'GET', path: '/' }), pid: process.pid });
  };
  const meters = [await makeMeter('one'), await makeMeter('other')];

  await measureInTurns(meters, { warmUpMs: 5, measuredMs: 40 });

  // The warm-up and eight turns.
  expect(order).toEqual(Array.from({ length: 9 }, () => ['one', 'other']).flat());
  for (const measured of meters.map((meter) => meter.read())) {
    expect(measured.failures).toBe(0);
    expect(measured.requests / measured.perSecond).toBeGreaterThan(0.04);
    expect(measured.server?.residentMbMax).toBeGreaterThan(1);
  }
});

test('a server that is gone is a failure, not an end without one', async () => {
  const { client, close } = await serve(() => 200);
  const left = [{ method: 'GET' as const, path: '/' }].values();
  await close();

  const load = await client.run(() => left.next().value);

  expect(load).toMatchObject({ failures: 1, firstFailure: { status: undefined } });
});

test('a lane waits for its answer before it sends again', async () => {
  const held: (() => void)[] = [];
  let mostHeld = 0;
  const { client } = await serve(async () => {
    const released = new Promise<void>((resolve) => held.push(resolve));
    mostHeld = Math.max(mostHeld, held.length);
    if (held.length === 2) for (const release of held.splice(0)) release();
    await released;
    return 200;
  });
  const left = Array.from({ length: 50 }, () => ({ method: 'GET' as const, path: '/' })).values();

  const load = await client.run(() => left.next().value);

  expect(load.latenciesMs).toHaveLength(50);
  expect(mostHeld).toBe(2);
});

/** A server that answers each request with a status and its path, and a client of two connections. */
async function serve(toStatus: () => number | Promise<number>) {
  const server = createServer(async (req, res) => {
    req.resume();
    res.writeHead(await toStatus()).end(req.url);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const baseUrl = `http://127.0.0.1:${port}/scim/v2`;
  const client = new LoadClient({ baseUrl, connections: 2 });
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  return { baseUrl, client, close };
}
