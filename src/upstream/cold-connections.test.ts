import { createServer as createTlsService } from 'node:https';
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../telemetry/system-clock.ts';
import { connect, getUser } from './testing/connect.ts';
import { sendJson } from './testing/service.ts';
import type { TransportOptions } from './transport.ts';

/** Delay of one direction; a handshake takes two round trips. */
const WAY_MS = 150;
/** Further delay of the first request of a connection: it arrives closer to those that go over a warm one. */
const COLD_MS = 120;
/** Wider than by default, because the service, the connection and the client share this process with other tests. */
const MARGIN_MS = COLD_MS + 250;
const RATE = 5;
/** TLS without certificates: both ends know a key. */
const KEY = Buffer.from('f00dcafe', 'hex');
const PSK = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;

async function open(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('no port');
}

/** A TLS service that records the time of each request. */
async function startTlsService(): Promise<{ port: number; cameAt: number[] }> {
  const cameAt: number[] = [];
  const warm = new WeakSet<Socket>();
  const service = createTlsService({ ...PSK, pskCallback: () => KEY }, async (req, res) => {
    if (!warm.has(req.socket)) await sleep(COLD_MS);
    warm.add(req.socket);
    cameAt.push(performance.now());
    sendJson(res, 200, { id: 1 });
  });
  return { port: await open(service), cameAt };
}

/** A port of loopback whose connection takes as long as one around half the world. */
async function startLongWay(port: number): Promise<number> {
  const carry = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => void sleep(WAY_MS).then(() => to.write(bytes)));
    from.on('error', () => undefined).once('close', () => to.destroy());
  };
  return await open(
    createServer((near) => {
      const far = connectTcp(port, '127.0.0.1');
      carry(near, far);
      carry(far, near);
    }),
  );
}

async function startFarService() {
  const { port, cameAt } = await startTlsService();
  const origin = `https://127.0.0.1:${await startLongWay(port)}`;
  const start = (options: Partial<TransportOptions>) => {
    const dispatcher = new Pool(origin, {
      connections: 16,
      allowH2: false,
      connect: {
        ...PSK,
        pskCallback: () => ({ psk: KEY, identity: 'bridge' }),
        checkServerIdentity: () => undefined,
        rejectUnauthorized: false,
      },
    });
    onTestFinished(() => dispatcher.destroy());
    return connect(origin, {
      dispatcher,
      clock: systemClock,
      requestsPerSecond: RATE,
      rateMarginMs: MARGIN_MS,
      attemptsMax: 1,
      ...options,
    });
  };
  return { start, cameAt };
}

/** The shortest time in which one request more came than the rate allows, in milliseconds. */
function findShortest(cameAt: readonly number[]): number {
  const times = cameAt.toSorted((a, b) => a - b);
  return Math.min(...times.slice(RATE).map((atMs, n) => atMs - (times[n] ?? 0)));
}

test('a burst over connections that have to be made keeps the rate where it arrives', async () => {
  const { start, cameAt } = await startFarService();
  const transport = start({});

  await Promise.all(Array.from({ length: 11 }, () => getUser(transport)));

  expect(cameAt).toHaveLength(11);
  expect(findShortest(cameAt)).toBeGreaterThanOrEqual(1_000);
});
