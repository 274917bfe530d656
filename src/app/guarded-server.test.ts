import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import supertest from 'supertest';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { whenClosed } from '../telemetry/request-context.ts';
import type { ConnectionLimits } from './guarded-server.ts';
import { createGuardedServer, listen, toPort } from './guarded-server.ts';

const patient: ConnectionLimits = {
  ...{ requestMs: 30_000, answerMs: 30_000, idleMs: 30_000, connectionsMax: 100 },
};
/** Far more than a socket and its kernel take without anybody reading. */
const LARGE = Buffer.alloc(32_000_000, 'x');

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

async function start(limits: Partial<ConnectionLimits>): Promise<Server> {
  const server = createGuardedServer({ ...patient, ...limits });
  server.listen(0, '127.0.0.1');
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return server;
}

async function open(server: Server): Promise<Socket> {
  const socket = connect(toPort(server), '127.0.0.1');
  closings.push(() => socket.destroy());
  // A connection that is cut may say so in either way.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  await untilClosed(socket);
  return chunks.join('');
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** The whole answer to a request, of which `piece` is sent again and again until the connection is closed. */
async function ask(server: Server, text: string, piece?: string): Promise<string> {
  const socket = await open(server);
  socket.write(text);
  const drip = setInterval(() => piece !== undefined && socket.write(piece), 10);
  return readAll(socket).finally(() => clearInterval(drip));
}

function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

test('one address cannot take all connections, and none that stays silent lasts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await start({ connectionsMax: 200 });
  server.on('request', (_req, res) => res.end('here'));
  let closed = 0;
  for (const socket of await Promise.all(Array.from({ length: 120 }, () => open(server))))
    socket.once('close', () => (closed += 1));
  await expect.poll(() => closed).toBe(20);
  const other = connect({ port: toPort(server), host: '127.0.0.1', localAddress: '127.0.0.2' });
  closings.push(() => other.destroy());
  other.write(GET);
  expect(await readAll(other)).toMatch(/here$/);
  expect(closed).toBe(20);

  vi.advanceTimersByTime(5_000);

  await expect.poll(() => closed).toBe(120);
});

test('a request that came while the process stood still is answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await start({});
  server.on('request', (_req, res) => res.end('here'));
  const accepted = once(server, 'connection');
  const socket = await open(server);
  await accepted;
  // As after a stall, the timers run before anything is read.
  await nextTurn();

  socket.write(GET);
  vi.advanceTimersByTime(5_000);

  expect(await readAll(socket)).toMatch(/here$/);
});

test('a connection on which nothing was ever sent does not hold a close', async () => {
  const server = await start({});
  const accepted = once(server, 'connection');
  const socket = await open(server);
  await accepted;
  const closed = once(server, 'close');

  server.close();
  server.closeIdleConnections();

  await Promise.all([closed, untilClosed(socket)]);
}, 5_000);

test('a connection on which a request has begun to come does', async () => {
  const server = await start({});
  server.on('request', (_req, res) => res.end('whole'));
  const accepted = once(server, 'connection');
  const socket = await open(server);
  const [connection] = await accepted;
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n');
  await expect.poll(() => connection.bytesRead).toBeGreaterThan(0);

  server.close();
  server.closeIdleConnections();
  const answer = readAll(socket);
  socket.write('\r\n');

  expect(await answer).toContain('whole');
});

test('headers that come byte by byte are cut off', async () => {
  const server = await start({ requestMs: 300 });

  expect(await ask(server, 'GET / HTTP/1.1\r\nX-Slow: ', 'x')).toMatch(/^HTTP\/1\.1 408 /);
});

test.each([
  ['what is no request', 400, 'GET / HTTP/1.1\r\nno header\r\n\r\n'],
  ['a body that is not read', 401, `${GET.trim()}\r\nContent-Length: 9\r\n\r\n`],
])('the refusal of %s can be read, whatever else is sent: %d', async (_, status, text) => {
  const server = await start({});
  server.on('request', (_req, res) => res.writeHead(401).end());
  const accepted = once(server, 'connection');
  const socket = await open(server);
  const [connection] = await accepted;
  socket.write(text);
  await expect.poll(() => connection.bytesWritten).toBeGreaterThan(0);

  for (let piece = 0; piece < 3; piece += 1) await new Promise((sent) => socket.write('x', sent));

  expect(await readAll(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('a body that comes byte by byte is cut off, answered or not', async () => {
  const server = await start({ requestMs: 300 });
  // Refused at once, as without a token; or read until its end.
  server.on('request', (req, res) => {
    if (req.url === '/refused') res.writeHead(401).end('no');
    else req.resume();
  });
  const rest = 'HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
  const [refused, read] = [`POST /refused ${rest}`, `POST /read ${rest}`];

  expect(await ask(server, refused, 'x')).toMatch(/^HTTP\/1\.1 401 /);
  expect(await ask(server, read, 'x')).toMatch(/^HTTP\/1\.1 408 /);
});

test('an answer that nobody reads is cut off, and its memory is free', async () => {
  const server = await start({ answerMs: 200 });
  server.on('request', (_req, res) => res.end(LARGE));
  (await open(server)).pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, res] = await once(server, 'request');

  await once(res, 'close');

  expect(res.writableFinished).toBe(false);
});

test('a body without end that nobody reads is answered, and a second later cut off', async () => {
  const server = await start({});
  server.on('request', (_req, res) => res.writeHead(401).end('no'));
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

  expect(await ask(server, head, '4\r\nxxxx\r\n')).toMatch(/^HTTP\/1\.1 401 /);
});

test('what is left of an honest body is taken, and its connection serves on', async () => {
  const server = await start({});
  server.on('request', (_req, res) => res.writeHead(401).end('no'));
  const body = 'x'.repeat(500_000);
  const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  expect((await ask(server, post + GET)).match(/HTTP\/1\.1 401 /g)).toHaveLength(2);
});

test('who asks for another protocol is answered in this one, and the connection ends', async () => {
  const server = await start({});
  server.on('request', (_req, res) => res.end('served'));
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade';
  const post = `${head}\r\nContent-Length: 400000\r\n\r\n${'x'.repeat(400_000)}`;

  expect(await ask(server, post)).toMatch(/connection: close[\s\S]*served/i);
});

test('a connection beyond the limit is closed at once, the others are served', async () => {
  const server = await start({ connectionsMax: 3 });
  server.on('request', (_req, res) => res.end('served'));
  const [, , last] = await Promise.all([open(server), open(server), open(server)]);
  const beyond = connect(toPort(server), '127.0.0.1');
  closings.push(() => beyond.destroy());
  beyond.on('error', () => undefined);
  await untilClosed(beyond);

  last.write(GET);

  expect(await readAll(last)).toMatch(/served/);
});

async function isDrained(socket: Socket): Promise<boolean> {
  return once(socket, 'drain', { signal: AbortSignal.timeout(300) }).then(
    () => true,
    () => false,
  );
}

test('requests without end on one connection wait for their answers to be read', async () => {
  const server = await start({});
  const page = Buffer.alloc(100_000, 'x');
  let asked = 0;
  server.on('request', (_req, res) => {
    asked += 1;
    setImmediate(() => res.end(page));
  });
  const socket = await open(server);
  socket.pause();
  const flood = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000);

  let isTaken = true;
  while (isTaken) {
    // Waits until neither side takes more, which shows only in time.
    isTaken = socket.write(flood) || (await isDrained(socket));
  }

  expect(asked).toBeLessThan(20_000);
});

test('headers of more than 40 KiB are refused, a filter of 10,000 encoded characters is not', async () => {
  const server = await start({});
  server.on('request', (_req, res) => res.end('served'));
  const withFilter = (length: number) => GET.replace('/', `/?${'x'.repeat(length)}`);

  expect(await ask(server, withFilter(30_000))).toMatch(/^HTTP\/1.1 200/);
  expect(await ask(server, withFilter(50_000))).toMatch(/^HTTP\/1.1 431/);
});

test('an open port answers that the process is alive, and everything else 503, until an application does', async () => {
  const servers: Server[] = [];
  const listener = await listen({ host: '127.0.0.1', port: 0 }, servers);
  closings.push(() => listener.server.close());
  const bridge = supertest(listener.server);

  expect((await bridge.get('/healthz')).status).toBe(200);
  expect((await bridge.get('/readyz')).body).toMatchObject({ reasons: [{ code: 'starting' }] });
  for (const path of ['/scim/v2/Users', '/oauth/token', '/ops/status', '/metrics', '/nothing']) {
    const body = { status: '503', code: 'starting' };
    expect(await bridge.get(path)).toMatchObject({ status: 503, body });
  }
  listener.serve((_req, res) => res.end('here'));
  expect(await bridge.get('/readyz')).toMatchObject({ status: 200, text: 'here' });
});

test('what ends with an answer ends as well where the connection was lost before', async () => {
  const server = await start({});
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  server.once('request', (req, res) => {
    res.once('close', () => whenClosed(res, resolve));
    req.destroy();
  });
  (await open(server)).write(GET);
  await expect(ended).resolves.toBeUndefined();
});
