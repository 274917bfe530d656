import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/lifetimes.ts';
import { packageJson, program, read, root } from '../support/repository.ts';

const { scripts } = packageJson;

/** A folder in which `npm start` does what it does here, without a build of its own. */
function makeBuilt(folder: string): string {
  const built = join(folder, 'built');
  mkdirSync(join(built, 'dist/cli'), { recursive: true });
  const start = scripts.start ?? '';
  writeFileSync(
    join(built, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { start } }),
  );
  const source = JSON.stringify(join(root, program));
  writeFileSync(join(built, 'dist/cli/main.js'), `await import(${source});`);
  return built;
}

const ways: { way: string; command: string; args: string[]; toCwd: (folder: string) => string }[] =
  [
    { way: 'npm start', command: 'npm', args: ['start'], toCwd: makeBuilt },
    { way: 'npm run dev', command: 'npm', args: ['run', 'dev'], toCwd: () => root },
  ];

test.each(ways)('SIGTERM to $way leaves no process behind', async ({ command, args, toCwd }) => {
  const folder = makeFolder();
  // A group of its own, in which every process that it starts is as well.
  const child = spawn(command, args, {
    cwd: toCwd(folder),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
      SANDBOX_FILE: join(folder, 'sandbox.db'),
    },
  });
  const group = -(child.pid ?? 0);
  onTestFinished(() => {
    if (isAlive(group)) process.kill(group, 'SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await expect.poll(() => output).toContain('SCIM base URL');

  child.kill('SIGTERM');
  await once(child, 'exit');

  await expect.poll(() => isAlive(group)).toBe(false);
});

function isAlive(group: number): boolean {
  try {
    process.kill(group, 0);
    return true;
  } catch {
    return false;
  }
}

test('no document, image or manifest starts the bridge in another way', () => {
  const files = [
    ...['README.md', 'Dockerfile', 'docker-compose.yml'],
    ...['docs', 'config', 'config/kubernetes'].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((each) => each.isFile())
        .map(({ name }) => join(folder, name)),
    ),
  ];
  expect(files.filter((file) => /npx scim-bridge serve|npm exec/.test(read(file)))).toEqual([]);
  expect(read('Dockerfile')).toMatch(/^CMD \["node", /m);
  expect(scripts.start).toMatch(/^(?:\w+=\S+ )?exec node /);
});
