import { createReadStream, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/lifetimes.ts';
import type { FileInput } from './operations/file-input.ts';
import type { Operation } from './operations/operation.ts';
import { connect, failureOf, ok } from './testing/connect.ts';
import { type Answering, type SeenRequest, sendJson, startService } from './testing/service.ts';

const upload = {
  ...({ id: 'x.upload', api: 'rest', method: 'PUT', path: '/x', repeat: 'safe' } as const),
  body: { 'file*': 'file', name: 'string', cover: 'boolean' },
  content: 'multipart',
  response: { kind: 'object', fields: [] },
  ...{ about: 'A test.', source: 'test' },
} as const satisfies Operation;
const comment = {
  ...upload,
  id: 'x.comment',
  body: { 'text*': 'string', 'files[]': 'file[]' },
  content: 'json-or-multipart',
} as const satisfies Operation;

const content = Buffer.from([0, 1, 2, 253, 254, 255, 13, 10, 45, 45]);

function makeFile(bytes: Uint8Array): string {
  const folder = makeFolder();
  const path = join(folder, 'from disk.bin');
  writeFileSync(path, bytes);
  return path;
}

async function start(answer: Answering = ok) {
  const service = await startService(answer);
  return { seen: service.seen, transport: connect(service.baseUrl, { filePaths: 'read' }) };
}

async function readForm({ bytes, headers }: SeenRequest): Promise<FormData> {
  const type = headers['content-type'] ?? '';
  return new Response(bytes, { headers: { 'content-type': type } }).formData();
}

async function readOnlyFile(seen: readonly SeenRequest[], field = 'file') {
  const [request] = seen;
  if (!request) throw new Error('nothing was sent');
  const file = (await readForm(request)).get(field);
  if (!(file instanceof File)) throw new Error(`${field} is no file`);
  const { name, type } = file;
  return { name, type, bytes: Buffer.from(await file.arrayBuffer()) };
}

const sources: [why: string, file: () => FileInput, name?: string, type?: string][] = [
  ['a Blob', () => new Blob([content], { type: 'image/png' }), 'file', 'image/png'],
  ['a File with its name', () => new File([content], 'naïve "x".bin'), 'naïve "x".bin'],
  ['a Buffer', () => content],
  ['a path', () => makeFile(content), 'from disk.bin'],
  ['a stream of Node', () => createReadStream(makeFile(content))],
  ['a stream of the web', () => new Blob([content]).stream()],
  [
    'a path with another name and a type',
    () => ({ content: makeFile(content), name: 'a.png', type: 'image/png' }),
    'a.png',
    'image/png',
  ],
];
test.each(sources)(
  'a file is uploaded as it is, from %s',
  async (_, file, name = 'file', type = 'application/octet-stream') => {
    const { seen, transport } = await start();
    await transport.call(upload, { body: { file: file(), cover: true, name: 'é' } });
    expect(await readOnlyFile(seen)).toEqual({ name, type, bytes: content });
    expect(seen[0]?.headers).toHaveProperty('content-length');
  },
);

test('other fields of a form are text', async () => {
  const { seen, transport } = await start();
  await transport.call(upload, { body: { file: content, cover: true, name: 'é' } });
  const form = await readForm(seen[0] ?? expect.unreachable());
  expect([...form.keys()]).toEqual(['file', 'cover', 'name']);
  expect([form.get('cover'), form.get('name')]).toEqual(['true', 'é']);
});

test('no name can add a line to the form', async () => {
  const { seen, transport } = await start();
  const name = 'a\r\ncontent-type: text/html\r\n\r\n"x';
  await transport.call(upload, { body: { file: { content, name, type: 'a/b\r\nx: y' } } });
  const text = seen[0]?.body ?? '';
  expect(text).not.toMatch(/^(x:|content-type: text\/html)/m);
  expect(await readOnlyFile(seen)).toMatchObject({ name, bytes: content });
});

test.each([
  { why: 'no such file', file: () => '/nowhere/at all', message: /body\.file .* cannot be read/ },
  { why: 'a folder', file: () => tmpdir(), message: /body\.file .* not of a file/ },
  { why: 'an empty path', file: () => '', message: /body\.file must be file/ },
  { why: 'a number', file: () => 7, message: /body\.file must be file/ },
  { why: 'an object', file: () => ({ content: 7 }), message: /body\.file must be file/ },
])('$why: a TypeError, and nothing is sent', async ({ file, message }) => {
  const { seen, transport } = await start();
  const failed = transport.call(upload, { body: { file: file() } });
  await expect(failed).rejects.toThrow(TypeError);
  await expect(failed).rejects.toThrow(message);
  expect(seen).toEqual([]);
});

test.each([
  { why: 'alone', file: (path: string): FileInput => path },
  { why: 'with a name', file: (content: string): FileInput => ({ content, name: 'x' }) },
])('a path is refused where arguments come from others: $why', async ({ file }) => {
  const service = await startService(ok);
  const transport = connect(service.baseUrl);
  const path = makeFile(content);
  const refusal = new TypeError('x.upload: body.file must be the file itself, not a path');
  await expect(transport.call(upload, { body: { file: file(path) } })).rejects.toThrow(refusal);
  expect(service.seen).toEqual([]);
});

const busyOnce: Answering = (res, request, n) =>
  n === 0 ? sendJson(res, 429, {}, { 'retry-after': '1' }) : ok(res, request, n);

test.each([
  { why: 'a Blob', file: () => new Blob([content]) },
  { why: 'a path', file: () => makeFile(content) },
  { why: 'a stream', file: () => Readable.from([content]) },
])('a repeat sends the whole form again: $why', async ({ file }) => {
  const { seen, transport } = await start(busyOnce);
  await transport.call(upload, { body: { file: file() } });
  expect(seen).toHaveLength(2);
  expect((await readOnlyFile(seen.slice(1))).bytes).toEqual(content);
});

test('a stream that breaks ends the call, and no half of a form counts', async () => {
  const { seen, transport } = await start();
  async function* breakOff() {
    yield content;
    throw new Error('the disk is gone');
  }
  const broken = Readable.from(breakOff());
  const error = await failureOf(transport.call(upload, { body: { file: broken } }));
  expect(error).toMatchObject({ code: 'connection', retry: 'later' });
  expect(seen).toEqual([]);
});

describe('JSON or a form', () => {
  test('without files it is JSON', async () => {
    const { seen, transport } = await start();
    await transport.call(comment, { body: { text: 'hi' } });
    const headers = { 'content-type': 'application/json' };
    expect(seen[0]).toMatchObject({ headers, body: '{"text":"hi"}' });
  });

  test('with files it is a form, each file a field of its own', async () => {
    const { seen, transport } = await start();
    const files = [content, new File([content], 'b')];
    await transport.call(comment, { body: { text: 'hi', 'files[]': files } });
    const form = await readForm(seen[0] ?? expect.unreachable());
    expect(form.get('text')).toBe('hi');
    expect(form.getAll('files[]')).toMatchObject([{ name: 'file' }, { name: 'b' }]);
  });
});
