import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { makeSuiteFolder } from '../support/lifetimes.ts';
import {
  compile,
  installOffline,
  lintPacked,
  makeCheckout,
  pack,
  writeProgram,
} from '../support/packed.ts';
import { packageJson, root } from '../support/repository.ts';
import { startBridge } from '../support/server.ts';

const run = promisify(execFile);

const folder = makeSuiteFolder();
const project = join(folder, 'project');
let tarball: string;

beforeAll(async () => {
  const left = new Set(['node_modules', 'dist', 'data', 'test', 'coverage', '.git']);
  const kept = readdirSync(root).filter((entry) => !left.has(entry));
  tarball = await pack(makeCheckout(join(folder, 'checkout'), kept), folder);
  await install();
});

/** Into an empty project, without a registry: what the package needs is there as links. */
async function install(): Promise<void> {
  for (const name of Object.keys(packageJson.dependencies)) link(name);
  // No scripts: those of linked packages are for who works on them.
  await installOffline(project, 'empty', '--ignore-scripts', '--omit=optional', tarball);
  link('@types/node');
}

function link(name: string): void {
  const path = join(project, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), path);
}

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

test('the bridge has its types in TypeScript, without the sources and with nothing switched off', async () => {
  writeProgram(
    project,
    `import { loadSettings } from 'scim-bridge';
export const { settings } = loadSettings({ env: {}, readFile: () => '' });
`,
  );

  expect(await compile(project)).toBe('');
});

test('the command that is installed prints tables', async () => {
  const command = join(project, 'node_modules/.bin/scim-bridge');
  const env = { ...process.env, MODE: undefined };
  const { stdout } = await run(command, ['settings', '--here'], { cwd: project, env });

  const [, , head = '', ...rows] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^SETTING +VALUE +FROM/);
  expect(rows).toContainEqual(expect.stringMatching(/^upstream\.pageSize +100 +default/));
});

test('publint has nothing to say', async () => {
  expect(await lintPacked(tarball)).toEqual([]);
});

test('the package has one entry point, with types beside it, and no CommonJS; the client is a package of its own', () => {
  const installed = join(project, 'node_modules/scim-bridge');
  const { type, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

  expect(type).toBe('module');
  expect(exports).toEqual({
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  });
});

const TELL_LOADED = `import { registerHooks } from 'node:module';
const files = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const parts = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
  process.stderr.write('\\nLOADED ' + JSON.stringify(files) + '\\nOF NODE ' + JSON.stringify(parts) + '\\n');
});
`;

test('a start of what is installed loads a few files of the package, none of node_modules, and no fetch of Node; its backup and health check work', async () => {
  const program = join(project, 'node_modules/scim-bridge/dist/cli');
  write('tell-loaded.mjs', TELL_LOADED);
  const compiledBefore = countCompiled();
  const bridge = await startBridge({
    folder: project,
    command: ['--import', join(project, 'tell-loaded.mjs'), join(program, 'main.js'), 'serve'],
  });
  await bridge.ready();
  const compiledAtReady = countCompiled();
  const { hostname: HOST, port: PORT } = new URL(bridge.baseUrl);
  const env = { HOST, PORT, DATABASE_URL: `sqlite:${join(project, 'bridge.db')}` };
  const runAlone = (...args: string[]) =>
    run(process.execPath, [join(program, 'main.js'), ...args], { cwd: project, env });
  const healthy = await runAlone('healthcheck');
  await runAlone('backup', join(project, 'backup.db'));
  const exitCode = await bridge.stop();

  expect(healthy.stdout).toContain('is well');
  expect(exitCode).toBe(0);
  expect(existsSync(join(project, 'backup.db'))).toBe(true);
  const loaded: string[] = JSON.parse(/^LOADED (.*)$/m.exec(bridge.output())?.[1] ?? '[]');
  expect(loaded.filter((url) => !url.includes('/scim-bridge/dist/cli/'))).toEqual([]);
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.length).toBeLessThan(60);
  const parts: string[] = JSON.parse(/^OF NODE (.*)$/m.exec(bridge.output())?.[1] ?? '[]');
  expect(parts).toContain('NativeModule http');
  // Each takes megabytes that nobody uses, and a fifth of the start.
  expect(parts).not.toContain('NativeModule internal/deps/undici/undici');
  expect(parts).not.toContain('NativeModule http2');
  // A process that is killed leaves it to the next one all the same.
  expect(compiledAtReady).toBeGreaterThan(compiledBefore);
  // V8 keeps the source of a file with any other character in twice the memory.
  const isAscii = (url: string) => !/[^\0-\x7f]/.test(readFileSync(new URL(url), 'utf8'));
  expect(loaded.filter((url) => !isAscii(url))).toEqual([]);
});

function countCompiled(): number {
  const kept = join(project, 'node_modules/scim-bridge/node_modules/.cache/scim-bridge');
  if (!existsSync(kept)) return 0;
  const entries = readdirSync(kept, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const BE_OLDER = `import { registerHooks } from 'node:module';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'node:module') return next(specifier, context);
    return { url: 'data:text/javascript,export {};', format: 'module', shortCircuit: true };
  },
});
`;

test('an older Node that is told to run the program itself, as a unit does, is refused in words', async () => {
  write('be-older.mjs', BE_OLDER);
  const program = join(project, 'node_modules/scim-bridge/dist/cli/main.js');
  const older = ['--import', join(project, 'be-older.mjs'), program, 'serve'];

  const ended = run(process.execPath, older, { cwd: project });

  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^scim-bridge needs Node 24\.12 or newer, .*\nInstall Node 24\.\n$/,
    ),
  });
});
