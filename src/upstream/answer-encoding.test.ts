import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect, failureOf, getUser } from './testing/connect.ts';
import { startService } from './testing/service.ts';
import type { TransportOptions } from './transport.ts';

async function ask(
  { status = 200, encoding, bytes }: { status?: number; encoding: string; bytes: Uint8Array },
  options: Partial<TransportOptions> = {},
) {
  const { baseUrl, seen } = await startService((res) =>
    res.writeHead(status, { 'content-encoding': encoding }).end(bytes),
  );
  const transport = connect(baseUrl, { attemptsMax: 1, ...options });
  return { call: getUser(transport), seen };
}

const content = JSON.stringify({ id: 1, name: 'Zoë' });

test.each([
  { encoding: 'gzip', bytes: gzipSync(content) },
  { encoding: 'GZIP', bytes: gzipSync(content) },
  { encoding: 'br', bytes: brotliCompressSync(content) },
  { encoding: 'identity', bytes: Buffer.from(content) },
])('an answer may be compressed: $encoding', async ({ encoding, bytes }) => {
  const { call, seen } = await ask({ encoding, bytes });

  expect(await call).toEqual({ id: 1, name: 'Zoë' });
  expect(seen[0]?.headers['accept-encoding']).toBe('gzip, br');
});

test('an answer without content may claim to be compressed', async () => {
  const { call } = await ask({ encoding: 'gzip', bytes: Buffer.alloc(0) });

  expect(await call).toBeUndefined();
});

test.each([
  { encoding: 'gzip', bytes: gzipSync(Buffer.alloc(50_000_000)) },
  { encoding: 'br', bytes: brotliCompressSync(Buffer.alloc(50_000_000)) },
])('a small answer that becomes a huge one is refused: $encoding', async ({ encoding, bytes }) => {
  expect(bytes.length).toBeLessThan(60_000);
  const { call } = await ask({ encoding, bytes }, { responseBytesMax: 1_000_000 });

  expect(await failureOf(call)).toMatchObject({
    code: 'response-too-large',
    status: 200,
    outcome: 'unknown',
  });
});

test.each([
  { why: 'cut off', encoding: 'gzip', bytes: gzipSync(content).subarray(0, -9) },
  { why: 'something else', encoding: 'br', bytes: Buffer.from(content) },
  { why: 'of an encoding that nobody asked for', encoding: 'zstd', bytes: Buffer.from(content) },
  { why: 'compressed twice', encoding: 'gzip, br', bytes: Buffer.from(content) },
])('an answer that is $why is unreadable', async ({ encoding, bytes }) => {
  const { call } = await ask({ encoding, bytes });

  expect(await failureOf(call)).toMatchObject({ code: 'unreadable', outcome: 'unknown' });
});

test('a refusal is one, also when its words cannot be read', async () => {
  const { call } = await ask({ status: 403, encoding: 'br', bytes: Buffer.from('no') });

  expect(await failureOf(call)).toMatchObject({ code: 'not-permitted', body: { kind: 'empty' } });
});
