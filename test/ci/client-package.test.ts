import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSuiteFolder } from '../support/lifetimes.ts';
import {
  compile,
  installOffline,
  lintPacked,
  makeCheckout,
  pack,
  writeProgram,
} from '../support/packed.ts';
import type { RecordingServer } from '../support/recording-server.ts';
import { startRecording } from '../support/recording-server.ts';
import { root } from '../support/repository.ts';

const run = promisify(execFile);

const folder = makeSuiteFolder();
const project = join(folder, 'project');
let tarball: string;
let server: RecordingServer;

beforeAll(async () => {
  server = await startRecording();
  tarball = await pack(await build(), folder, '--ignore-scripts');
  await install();
});
afterAll(() => server.stop());

async function build(): Promise<string> {
  const checkout = makeCheckout(join(folder, 'checkout'), [
    ...['src', 'scripts', 'docs', 'LICENSE', 'package.json', 'tsconfig.json'],
    ...['tsconfig.build.json', 'tsconfig.client.json'],
  ]);
  await run('npm', ['run', '--silent', 'build:client'], { cwd: checkout });
  return join(checkout, 'dist/client-package');
}

async function install(): Promise<void> {
  const undici = await pack(join(root, 'node_modules/undici'), folder, '--ignore-scripts');
  await installOffline(project, 'stranger', tarball, undici);
}

function measureBytes(path: string): number {
  const { size } = lstatSync(path);
  if (!lstatSync(path).isDirectory()) return size;
  return readdirSync(path).reduce((sum, name) => sum + measureBytes(join(path, name)), size);
}

test('two packages are installed, of at most 5 MB together', () => {
  const modules = join(project, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));

  expect(packages.toSorted()).toEqual(['@scim-bridge', 'undici']);
  expect(readdirSync(join(modules, '@scim-bridge'))).toEqual(['client']);
  expect(measureBytes(modules)).toBeLessThanOrEqual(5_000_000);
});

test('publint has nothing to say', async () => {
  expect(await lintPacked(tarball)).toEqual([]);
});

test('what is packed streams a content of the service, and gives the headers of an answer', async () => {
  writeFileSync(
    join(project, 'stream.js'),
    `import { createClient } from '@scim-bridge/client';
const client = createClient({ baseUrl: process.argv[2], token: 'token', requestsPerSecond: 0 });
const { content, type, bytes } = await client.download({ path: '/files/1' });
let text = '';
for await (const part of content.pipeThrough(new TextDecoderStream())) text += part;
const answer = await client.cards.retrieveCard({ path: { card_id: 1 } }).withResponse();
await client.close();
console.log(JSON.stringify({ text, type, bytes, status: answer.status, headers: answer.headers }));
`,
  );
  const { stdout } = await run(process.execPath, ['stream.js', server.url], { cwd: project });

  expect(JSON.parse(stdout)).toEqual({
    text: '{}',
    type: 'application/json',
    status: 200,
    headers: expect.objectContaining({ 'content-type': 'application/json' }),
  });
  expect(server.recorded.slice(-2).map(({ url, headers }) => [url, headers.accept])).toEqual([
    ['/api/latest/files/1', '*/*'],
    ['/api/latest/cards/1', 'application/json'],
  ]);
});

const program = `import {
  type Client,
  createClient,
  type SpacesCreateNewSpaceAnswer,
  type SpacesCreateNewSpaceArguments,
  UpstreamError,
} from '@scim-bridge/client';
import { createMockService } from '@scim-bridge/client/mock';

const service = createMockService({ spaces: { createNewSpace: ({ body }) => ({ id: 7, title: body.title }) } });
export const client: Client = createClient({ ...service.options, timeoutMs: 1_000 });

export async function use(args: SpacesCreateNewSpaceArguments): Promise<string> {
  const space: SpacesCreateNewSpaceAnswer = await client.spaces.createNewSpace(args);
  const again = await client.spaces.retrieveSpace({ path: { space_id: space.id } });
  for await (const each of client.paginate(client.spaces.retrieveListOfSpaces)) again.title = each.title;
  const { headers } = await client.users.retrieveCurrentUser().withResponse();
  await client.cardFiles.attachFileToCard({ path: { card_id: 1 }, body: { file: 'a.txt' } });
  await client.cardComments.addComment({ path: { card_id: 1 }, body: { text: 'a', 'files[]': ['a.txt'] } });
  // @ts-expect-error no such operation
  await client.groups.getGrup();
  // @ts-expect-error no such field
  return \`\${again.id.toFixed()} \${headers['x-a']} \${again.nonsense}\`;
}
export const isOurs = (error: unknown): boolean => error instanceof UpstreamError && error.status === 404;
`;

test('a program in TypeScript compiles with nothing switched off', async () => {
  writeProgram(project, program);
  const types = join(project, 'node_modules/@types');
  rmSync(types, { recursive: true, force: true });
  mkdirSync(dirname(join(types, 'node')), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/node'), join(types, 'node'));

  expect(await compile(project)).toBe('');
});
