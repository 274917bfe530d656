import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { forTest } from '../../test/support/lifetimes.ts';
import { serve, serveNothing } from '../../test/support/local-server.ts';
import { sendJson, startService } from '../upstream/testing/service.ts';
import type { Client } from './create-client.ts';
import { startClient, token } from './start-client-test-support.ts';

const headers = {
  'content-type': 'application/pdf',
  'content-length': '5',
  'content-disposition': 'attachment; filename="../plan.pdf"',
};

test('a content of the service comes as a stream, with what its headers say', async () => {
  const { client, seen } = await startClient((res) => res.writeHead(200, headers).end('%PDF-'));
  const file = await client.download({ path: '/files/1', query: { version: 2 } });

  const said = { status: 200, type: 'application/pdf', bytes: 5, fileName: 'plan.pdf' };
  expect(file).toMatchObject(said);
  expect(await text(file.content)).toBe('%PDF-');
  const authorization = `Bearer ${token}`;
  const asked = { authorization, 'accept-encoding': 'identity', accept: '*/*' };
  expect(seen).toMatchObject([{ url: '/api/latest/files/1?version=2', headers: asked }]);
});

test('a content that nobody reads is not sent to its end', async () => {
  let sent = 0;
  const drained = Promise.withResolvers<void>();
  const { client } = await startClient((res) => {
    const piece = Buffer.alloc(65_536);
    while (sent < 400 && res.write(piece)) sent += 1;
    res.on('drain', () => {
      while (sent < 400 && res.write(piece)) sent += 1;
      if (sent >= 400) res.end();
    });
    res.on('close', () => drained.resolve());
  });
  const { content } = await client.download({ path: '/files/1' });
  const reader = content.getReader();
  await reader.read();
  await reader.cancel();
  await drained.promise;

  expect(sent).toBeLessThan(400);
});

test('a content that is aborted before it is read ends with that, and nothing is thrown elsewhere', async () => {
  const { client } = await startClient((res) => void res.writeHead(200, headers).write('%PD'));
  const stop = new AbortController();
  const { content } = await client.download({ path: '/files/1' }, { signal: stop.signal });
  stop.abort();

  await expect(text(content)).rejects.toMatchObject({ name: 'AbortError' });
});

test('the target of a redirect is asked without the token', async () => {
  const other = await startService((res) => res.end('the content'));
  const { client } = await startClient((res) =>
    res.writeHead(302, { location: `${other.baseUrl}/f-1?signed=yes` }).end(),
  );
  const path = { card_uid: 'c', id: 'f' };
  const redirecting = { path, query: { redirect: true } } as const;
  const target = await client.restrictedAccessCardFiles.getCardFile(redirecting);
  const { content } = await client.download(target);

  expect(await text(content)).toBe('the content');
  expect(other.seen).toMatchObject([{ url: '/f-1?signed=yes' }]);
  expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
});

test('the target of a redirect goes through the proxy too', async () => {
  const asked: string[] = [];
  const { url: proxy } = await forTest(
    serve((req, res) => {
      asked.push(req.url ?? '');
      res.end('through');
    }),
  );
  const { client } = await startClient(() => undefined, { proxy });
  const { content } = await client.download({ url: 'http://files.invalid/a', status: 302 });

  expect(await text(content)).toBe('through');
  expect(asked).toEqual(['http://files.invalid/a']);
});

describe('a content that cannot be had', () => {
  test.each([{ path: '/files/1' }, 'elsewhere'])('is an error with its words: %j', async (from) => {
    const answer = { message: 'the file is malicious' };
    const { client, baseUrl } = await startClient((res) => sendJson(res, 422, answer));
    const source = typeof from === 'string' ? { url: `${baseUrl}/f`, status: 302 } : from;

    const message = expect.stringContaining('the file is malicious');
    await expect(client.download(source)).rejects.toMatchObject({ code: 'refused', message });
  });

  test.each(['ftp://files.invalid/a', 'nonsense'])('is not looked for at %s', async (url) => {
    const { client } = await startClient(() => undefined);

    await expect(client.download({ url, status: 302 })).rejects.toThrow(TypeError);
  });
});

describe('a content that never begins is given up', () => {
  /** Takes connections and says nothing: no TLS, no answer, no connection behind a proxy. */
  const startMute = async () => `127.0.0.1:${(await forTest(serveNothing())).port}`;

  test.each([
    { by: 'a server without TLS', scheme: 'https', isProxied: false },
    { by: 'a server that never answers', scheme: 'http', isProxied: false },
    { by: 'a proxy that opens no connection', scheme: 'https', isProxied: true },
  ])('after its time, and at once by its caller: $by', async ({ scheme, isProxied }) => {
    const mute = await startMute();
    const url = `${scheme}://${isProxied ? 'files.invalid' : mute}/a`;
    const proxy = isProxied ? { proxy: `http://${mute}` } : {};
    const { client } = await startClient(() => undefined, proxy);
    const caller = new AbortController();
    const target = { url, status: 302 };
    const aborted = client.download(target, { signal: caller.signal });
    caller.abort();

    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    const late = client.download(target, { timeoutMs: 60 });
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
  });
});

interface Parts {
  readonly client: Client;
  readonly caller: AbortController;
  readonly cut: () => unknown;
}

test.each<[how: string, end: (parts: Parts) => unknown]>([
  ['breaks off', ({ cut }) => cut()],
  ['is given up by its caller', ({ caller }) => caller.abort()],
  ['is of a client that is closed', ({ client }) => client.close()],
])('a content that %s fails its reader', async (_, end) => {
  const caller = new AbortController();
  let cut = () => {};
  const { client } = await startClient((res) => {
    res.writeHead(200, { 'content-length': '10' }).write('half');
    cut = () => void res.destroy();
  });
  const { content } = await client.download({ path: '/files/1' }, { signal: caller.signal });
  const reader = content.getReader();
  await reader.read();
  const next = expect(reader.read()).rejects.toThrow();
  await end({ client, caller, cut });

  await next;
});
