import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { expectScimError } from '../support/attack.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { toUser } from '../support/provider.ts';

const OPS_TOKEN = 'ops-token-0123456789';
/** As long as a test may take is less than a request of two hundred a second. */
const SLOWLY = 0.000_01;

/** The answers to reads that come one after the other. */
async function readOften(bridge: TestBridge, count: number) {
  const answers = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(await bridge.request('GET', '/Users?count=1'));
  }
  return answers;
}

function countStatus(answers: readonly { status: number }[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

test('one credential gets its rate, the rest is 429 with a whole Retry-After of at least 1, and a second later it goes on', async () => {
  const clock = createLeapingClock(SLOWLY);
  const settings = { SCIM_REQUESTS_PER_SECOND: '5', OPS_TOKEN };
  const bridge = await forTest(startTestBridge({ settings, clock }));
  const answers = await readOften(bridge, 12);
  clock.leap(1_000);
  const later = await readOften(bridge, 6);

  expect(answers.map(({ status }) => status)).toEqual([
    ...Array<number>(5).fill(200),
    ...Array<number>(7).fill(429),
  ]);
  for (const answer of answers.slice(5)) {
    expectScimError(answer, 429);
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(countStatus(later, 200)).toBe(5);
  const metrics = await readMetrics(bridge, OPS_TOKEN);
  expect(metrics.get('requests_turned_away_total{reason="rate"}')).toBe(8);
});

test('whoever has no valid token takes nothing from the rate of those who have one', async () => {
  const clock = createLeapingClock(SLOWLY);
  const bridge = await forTest(
    startTestBridge({ settings: { SCIM_REQUESTS_PER_SECOND: '3' }, clock }),
  );
  for (const authorization of [undefined, 'Bearer of-nobody', 'Bearer of-nobody']) {
    await bridge.request('GET', '/Users?count=1', undefined, { authorization });
  }

  expect(countStatus(await readOften(bridge, 4), 200)).toBe(3);
});

/** A POST of a group whose body has begun and does not go on. */
async function beginPost(
  { baseUrl, token }: TestBridge,
  headers: readonly string[],
  start = '{',
): Promise<Socket> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    `POST ${pathname}/Groups HTTP/1.1`,
    'Host: bridge',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/scim+json',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${start}`);
  return socket;
}

/** The largest body, so that few of them fill the room for all. */
const LARGEST = 8_388_608;

/** Begins bodies that together leave room for so many bytes: all have a twentieth of the heap. */
async function leaveRoom(bridge: TestBridge, bytes: number): Promise<Socket[]> {
  const room = Math.max(getHeapStatistics().heap_size_limit / 20, 2 * LARGEST) - bytes;
  const lengths = Array<number>(Math.floor(room / LARGEST)).fill(LARGEST);
  return Promise.all(
    [...lengths, Math.floor(room % LARGEST)].map((length) =>
      beginPost(bridge, [`Content-Length: ${length}`]),
    ),
  );
}

test('bodies that together are more than memory has room for are 503, and smaller requests go on', async () => {
  const bridge = await forTest(startTestBridge({ settings: { OPS_TOKEN } }));
  const sockets = await leaveRoom(bridge, 10);
  let answer = await bridge.request('POST', '/Users', toUser('ada'));
  for (let index = 1; answer.status !== 503; index += 1) {
    answer = await bridge.request('POST', '/Users', toUser(`ada${index}`));
  }
  const read = await bridge.request('GET', '/Users?count=1');
  for (const socket of sockets) socket.destroy();
  while ((await bridge.request('GET', '/Users?count=1')).status !== 200);
  await bridge.addUser('grace');

  expectScimError(answer, 503);
  expect(answer.headers['retry-after']).toBe('1');
  expect(read.status).toBe(200);
  const metrics = await readMetrics(bridge, OPS_TOKEN);
  expect(metrics.get('requests_turned_away_total{reason="bodies"}')).toBe(1);
});

test('a body that does not say how long it is counts as it comes', async () => {
  const bridge = await forTest(startTestBridge());
  const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`;
  const sockets = await leaveRoom(bridge, 1_100_000);
  sockets.push(await beginPost(bridge, ['Transfer-Encoding: chunked'], chunk));

  const large = toUser('ada', { title: 'x'.repeat(200_000) });
  let answer = await bridge.request('POST', '/Users', large);
  while (answer.status !== 503) answer = await bridge.request('POST', '/Users', large);
  await bridge.addUser('grace');
  for (const socket of sockets) socket.destroy();

  expectScimError(answer, 503);
});

test('a body that says it is too large is refused before any of it is read', async () => {
  const bridge = await forTest(startTestBridge());
  const socket = await beginPost(bridge, ['Content-Length: 999999999']);

  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
});

test('operators who ask too fast are 429, and in a second go on', async () => {
  const clock = createLeapingClock(SLOWLY);
  const bridge = await forTest(startTestBridge({ settings: { OPS_TOKEN }, clock }));
  const ask = () =>
    bridge.request('GET', new URL('/ops/providers', bridge.baseUrl).href, undefined, {
      authorization: `Bearer ${OPS_TOKEN}`,
    });
  const answers = await Promise.all(Array.from({ length: 200 }, ask));
  answers.push(await ask());
  clock.leap(1_000);

  expect(countStatus(answers, 200)).toBe(200);
  expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'too-many' } });
  expect(answers.at(-1)?.headers['retry-after']).toBe('1');
  expect((await ask()).status).toBe(200);
});
