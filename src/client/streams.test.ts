import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ok } from '../upstream/testing/connect.ts';
import type { Client } from './create-client.ts';
import { openClient, startClient } from './start-client-test-support.ts';

/** Reasons why a stream is never sent. */
const failures: { why: string; fail: (client: Client, file: Readable) => Promise<unknown> }[] = [
  {
    why: 'another argument is wrong',
    fail: (client, file) =>
      client.cardFiles.attachFileToCard({ path: { card_id: Number.NaN }, body: { file } }),
  },
  {
    why: 'an option is wrong',
    fail: (client, file) =>
      client.cardFiles.attachFileToCard({ path: { card_id: 1 }, body: { file } }, { timeoutMs: 0 }),
  },
  {
    why: 'the caller had given up',
    fail: (client, file) =>
      client.cardFiles.attachFileToCard(
        { path: { card_id: 1 }, body: { file: { content: file } } },
        { signal: AbortSignal.abort() },
      ),
  },
  {
    why: 'the client is closed',
    async fail(client, file) {
      await client.close();
      await client.cardFiles.attachFileToCard({ path: { card_id: 1 }, body: { file } });
    },
  },
  {
    why: 'the path of a raw request is wrong',
    fail: (client, file) => client.request({ method: 'POST', path: '..', form: { file } }),
  },
];

describe('a stream is closed when', () => {
  test.each(failures)('$why', async ({ fail }) => {
    const { client } = await startClient(ok);
    const file = Readable.from(['a']);
    const closed = once(file, 'close');

    await expect(fail(client, file)).rejects.toThrow();
    await closed;

    expect(file.destroyed).toBe(true);
  });

  test('it is one of the web', async () => {
    const { client } = await startClient(ok);
    const cancelled = Promise.withResolvers<void>();
    const file = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
    const path = { card_id: Number.NaN };

    await expect(client.cardFiles.attachFileToCard({ path, body: { file } })).rejects.toThrow();
    await cancelled.promise;
  });

  test('the service answers before it was read to its end', async () => {
    const client = openClient({ baseUrl: await startHasty() });
    const file = Readable.from(endless());
    const closed = new Promise((resolve) => file.once('close', resolve));

    await expect(
      client.cardFiles.attachFileToCard({ path: { card_id: 1 }, body: { file } }),
    ).rejects.toThrow();
    await closed;
  });
});

/** A service that answers before it has read anything. */
async function startHasty(): Promise<string> {
  const server = createServer((_req, res) => res.writeHead(413, { connection: 'close' }).end());
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536);
}
