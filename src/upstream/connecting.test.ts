import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector, Pool } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../telemetry/system-clock.ts';
import { connect, failureOf, getUser, ok } from './testing/connect.ts';
import { startService } from './testing/service.ts';
import type { CallOptions, Transport } from './transport.ts';

const SOON_MS = 1_000;

async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  return await open(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

async function open(server: Server, close: () => void): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    close();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}

const listenSilently = () => listen((socket) => void socket.resume());

const openHandshake = async () => connect(`https://${await listenSilently()}`);
const openSilent = async () => connect(`http://${await listenSilently()}`);
const openProxied = async () =>
  connect('https://service.invalid', { proxy: `http://${await listenSilently()}` });

async function openTaken() {
  const origin = `http://${await listenSilently()}`;
  const dispatcher = new Pool(origin, { connections: 1 });
  onTestFinished(() => dispatcher.destroy());
  const transport = connect(origin, { dispatcher });
  getUser(transport).catch(() => undefined);
  return transport;
}

async function openQueued() {
  const { baseUrl } = await startService(ok);
  const transport = connect(baseUrl, { requestsPerSecond: 0.001, clock: systemClock });
  await getUser(transport);
  return transport;
}

const waitings: [what: string, isUnsent: boolean, open: () => Promise<Transport>][] = [
  ['a TLS handshake', true, openHandshake],
  ['an answer', false, openSilent],
  ['a proxy that takes the connection and opens none', true, openProxied],
  ['a connection that another call has', true, openTaken],
  ['its turn', true, openQueued],
];

describe.each(waitings)('a call that waits for %s', (_, isUnsent, openWaiting) => {
  const end = async (options: (caller: AbortController) => CallOptions) => {
    const transport = await openWaiting();
    const caller = new AbortController();
    const failed = failureOf(getUser(transport, options(caller)));
    setTimeout(() => caller.abort(new Error('enough')), 60);
    return { error: await failed, transport };
  };

  test('ends when its caller gives up, and does not hold up the end', async () => {
    const { error, transport } = await end(({ signal }) => ({ signal }));
    const closed = transport.close().then(() => 'closed');

    expect(error).toMatchObject({ code: 'aborted', outcome: isUnsent ? 'not-sent' : 'unknown' });
    expect(await Promise.race([closed, sleep(SOON_MS, 'open')])).toBe('closed');
  });

  test('ends when its time is over', async () => {
    const { error } = await end(() => ({ timeoutMs: 60 }));

    expect(error).toMatchObject({ code: 'timeout', outcome: isUnsent ? 'not-sent' : 'unknown' });
  });
});

test('a call that is still under way after the grace of an end is given up', async () => {
  const transport = await openSilent();
  const failed = failureOf(getUser(transport));
  await transport.close(60);

  expect(await failed).toMatchObject({ code: 'closed' });
});

test('a request that is given up while its connection is made is never written', async () => {
  const heard: string[] = [];
  const connected = Promise.withResolvers<Socket>();
  const origin = await listen((socket) => {
    socket.on('data', (bytes) => heard.push(String(bytes)));
    connected.resolve(socket);
  });
  const goOn = Promise.withResolvers<void>();
  const connector = buildConnector({});
  const dispatcher = new Pool(`http://${origin}`, {
    connect: (options, callback) => void goOn.promise.then(() => connector(options, callback)),
  });
  onTestFinished(() => dispatcher.destroy());
  const caller = new AbortController();
  const transport = connect(`http://${origin}`, { dispatcher });
  const failed = failureOf(getUser(transport, { signal: caller.signal }));
  await sleep(0);
  caller.abort();

  expect(await failed).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  goOn.resolve();
  const socket = await connected.promise;
  await new Promise((resolve) => socket.once('close', resolve));
  expect(heard).toEqual([]);
});

test('a proxy that never opens a connection is given up after the time for connections', async () => {
  const transport = connect('https://service.invalid', {
    proxy: `http://${await listenSilently()}`,
    timeouts: { connectMs: 100 },
    attemptsMax: 1,
  });

  const unsent = { code: 'connection', outcome: 'not-sent' };
  expect(await failureOf(getUser(transport))).toMatchObject(unsent);
});

describe('a proxy that wants credentials', () => {
  const start = async () => {
    const server = createHttpServer((_req, res) => res.writeHead(407).end('who are you'));
    const refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';
    server.on('connect', (_req, socket) => socket.end(refusal));
    return `http://${await open(server, () => server.closeAllConnections())}`;
  };

  test.each(['http', 'https'])('is told as such (%s)', async (scheme) => {
    const proxy = await start();
    const transport = connect(`${scheme}://service.invalid`, { proxy, attemptsMax: 1 });

    const error = await failureOf(getUser(transport));

    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent' });
    expect(error.message).toContain('the proxy wants credentials (407)');
  });
});
