import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';

let bridge: TestBridge;
const tokens = new Map<string, string>();
const sockets: Socket[] = [];
beforeAll(async () => {
  bridge = await startTestBridge();
  for (const [name, purpose] of [
    ['reader', 'reader'],
    ['metrics', 'metrics'],
    ['slow', 'reader'],
  ] as const) {
    const { body } = await bridge.ops('POST', '/tokens', { name, for: purpose });
    tokens.set(name, String(body.token));
  }
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await bridge.stop();
});

const ask = async (purpose: string, path: string) => {
  const headers = { authorization: `Bearer ${tokens.get(purpose)}` };
  const { statusCode, body } = await request(new URL(path, bridge.baseUrl), { headers });
  await body.dump();
  return statusCode;
};

/** Sends the head of a GET whose body never ends, and returns the first line of the answer. */
async function askWithoutEnd(path: string): Promise<string> {
  const { hostname, port } = new URL(bridge.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const head = `GET ${path} HTTP/1.1\r\nhost: bridge\r\nauthorization: Bearer ${tokens.get('slow')}`;
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
  const [data] = await once(socket, 'data');
  return String(data).split('\r\n', 1)[0] ?? '';
}

/** Sends so many requests at once on one connection, and returns the statuses of their answers. */
async function flood(purpose: string, path: string, count: number): Promise<string[]> {
  const { hostname, port } = new URL(bridge.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const head = `GET ${path} HTTP/1.1\r\nhost: bridge\r\nauthorization: Bearer ${tokens.get(purpose)}`;
  socket.write(`${head}\r\n\r\n`.repeat(count - 1));
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  return [...(await text(socket)).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = '']) => status);
}

test('a flood of a reader or of the metrics keeps no operator out', async () => {
  expect(await flood('metrics', '/metrics', 300)).toContain('429');
  expect(await flood('reader', '/ops/nowhere', 300)).toContain('429');
  const asOperator = await Promise.all(
    Array.from({ length: 40 }, () => bridge.ops('GET', '/providers')),
  );
  expect(asOperator.map(({ status }) => status)).toEqual(asOperator.map(() => 200));
});

test('what a token may not ask for takes no place', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 250 }, () => ask('metrics', '/ops/providers')),
  );
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await ask('metrics', '/ops/nowhere')).toBe(403);
});

test('a GET with a body is refused before that ends', async () => {
  const answers = await Promise.all(
    Array.from({ length: 120 }, () => askWithoutEnd('/ops/providers')),
  );
  expect(answers.filter((line) => !/ 400 /.test(line))).toEqual([]);
  expect(await ask('slow', '/ops/providers')).toBe(200);
});
