import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answering } from '../../src/upstream/testing/service.ts';
import { sendJson, startService } from '../../src/upstream/testing/service.ts';
import { root } from '../support/repository.ts';

const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
const [beginning = '', ...sections] = page.split(/^## /m);

const preamble = codeOf(beginning);
const recipes = sections
  .filter((section) => codeOf(section) !== '')
  .map((section) => ({
    title: section.split('\n')[0] ?? '',
    code: codeOf(section),
    output: /^```ts\n.*?^```\n\n```\n(.*?)^```$/ms.exec(section)?.[1] ?? '',
  }));

function codeOf(text: string): string {
  return /^```ts\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
}

const sources = new Map([
  ['@scim-bridge/client', 'src/client.ts'],
  ['@scim-bridge/client/mock', 'src/client-mock.ts'],
]);

/** A recipe as a program of its own: imports first, each once. @param toAddress of a source, as the program imports it. */
function toProgram(code: string, toAddress: (path: string) => string): string {
  const importLine = /^import \{ (.*) \} from '(.*)';\n/gm;
  const imports = [...`${preamble}${code}`.matchAll(importLine)].map(
    ([, names = '', from = '']) => {
      const source = sources.get(from);
      const address = source === undefined ? from : toAddress(source);
      return `import { ${names} } from ${JSON.stringify(address)};`;
    },
  );
  const body = [preamble, code].map((part) => part.replace(importLine, '')).join('');
  return `${[...new Set(imports)].join('\n')}\n${body}\nawait client.close();\n`;
}

const toUrl = (path: string) => pathToFileURL(join(root, path)).href;
const toNeighbour = (path: string) => `../../../${path}`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(root, 'test/.client-recipes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('there are twelve recipes', () => {
  expect(recipes.map(({ title }) => title.split('.')[0])).toEqual(
    Array.from({ length: 12 }, (_, n) => String(n + 1)),
  );
});

describe('a recipe prints what the page shows', () => {
  test.each(recipes)('$title', async ({ title, code, output }) => {
    vi.stubEnv('SERVICE_URL', (await startService(answer)).baseUrl);
    vi.stubEnv('SERVICE_TOKEN', 'a-token');
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...line: unknown[]) => {
      printed.push(`${format(...line)}\n`);
    });
    onTestFinished(() => {
      log.mockRestore();
      vi.unstubAllEnvs();
    });
    const file = join(folder, `${title.split('.')[0]}.ts`);
    writeFileSync(file, toProgram(code, toUrl));
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    expect(printed.join('')).toBe(output);
  });
});

test('every recipe compiles', async () => {
  const project = join(folder, 'types');
  mkdirSync(project);
  for (const { title, code } of recipes) {
    const source = toProgram(code, toNeighbour);
    writeFileSync(join(project, `${title.split('.')[0]}.ts`), source);
  }
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['*.ts'] }),
  );
  const tsc = join(root, 'node_modules/.bin/tsc');
  expect((await promisify(execFile)(tsc, ['-p', project])).stdout).toBe('');
});

const answer: Answering = (res, { method, url, headers, bytes }, n) => {
  const { pathname, searchParams } = new URL(url, 'http://x');
  // The one address that must not see the token.
  const expected = pathname === '/content/f-1' ? undefined : 'Bearer a-token';
  if (headers.authorization !== expected) return sendJson(res, 401, 'Invalid token');
  const type = headers['content-type'] ?? '';
  const found = routes[`${method} ${pathname.replace('/api/latest', '')}`];
  if (!found) return sendJson(res, 404, {});
  void found({ res, query: searchParams, type, bytes, n });
};

interface Exchange {
  readonly res: ServerResponse;
  readonly query: URLSearchParams;
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly n: number;
}

const spaces = [1, 2, 3].map((id) => ({ id, title: `Board ${id}` }));
const plans = ['A', 'B'].map((letter) => ({ uid: letter, title: `Plan ${letter}` }));

const routes: Record<string, (exchange: Exchange) => void | Promise<void>> = {
  'GET /users/current': ({ res }) => sendJson(res, 200, { id: 1, email: 'owner@example.com' }),
  'POST /groups/g-1/users': ({ res }) => sendJson(res, 409, { message: 'already' }),
  'GET /spaces': ({ res, query }) => {
    const offset = Number(query.get('offset'));
    sendJson(res, 200, spaces.slice(offset, offset + Number(query.get('limit'))));
  },
  'POST /cards/c-1/files': async ({ res, type, bytes }) => {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const file = form.get('file');
    if (file instanceof File) sendJson(res, 200, { name: file.name, size: file.size });
    else sendJson(res, 400, {});
  },
  'POST /cards/1/comments': ({ res, type }) =>
    sendJson(res, /^(application\/json|multipart\/form-data; )/.test(type) ? 200 : 400, {}),
  'GET /cards/c-1/files/f-1': ({ res, query }) => {
    res.writeHead(query.get('redirect') === 'true' ? 302 : 500, { location: '/content/f-1' }).end();
  },
  'GET /content/f-1': ({ res }) => {
    const disposition = 'attachment; filename="notes.txt"';
    res.setHeaders(
      new Map([
        ['content-type', 'text/plain'],
        ['content-disposition', disposition],
      ]),
    );
    res.end('the content of f-1');
  },
  'GET /documents': ({ res, query }) => {
    const before = Number(query.get('start_position')?.slice(1) ?? 0);
    const result = plans.slice(before, before + Number(query.get('limit')));
    const position = result.length === 0 ? null : `p${before + result.length}`;
    sendJson(res, 200, { result, position });
  },
  'GET /api-keys': ({ res }) => sendJson(res, 200, [{ id: 1, name: 'bridge' }]),
  'POST /spaces': ({ res }) =>
    sendJson(res, 422, { errors: { title: ['is empty'] } }, { 'x-request-id': 'r-9' }),
  'GET /spaces/2': ({ res }) =>
    sendJson(res, 200, { title: 'Board 2' }, { 'x-ratelimit-remaining': '4' }),
  'GET /spaces/1': ({ res, n }) => sendJson(res, n === 0 ? 503 : 200, {}),
};
