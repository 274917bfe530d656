import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { root } from './repository.ts';

const run = promisify(execFile);
const tsc = join(root, 'node_modules/.bin/tsc');

/** A copy of these parts of the project, without what the build writes, so that nothing of an earlier build is packed. */
export function makeCheckout(checkout: string, names: readonly string[]): string {
  for (const name of names) cpSync(join(root, name), join(checkout, name), { recursive: true });
  rmSync(join(checkout, 'src/client/operations.ts'), { force: true });
  rmSync(join(checkout, 'src/upstream/operations/arguments.ts'), { force: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

/** Packs the package of a folder into another one; returns the path of the file. */
export async function pack(from: string, into: string, ...options: string[]): Promise<string> {
  const args = ['pack', '--silent', ...options, '--pack-destination', into];
  const { stdout } = await run('npm', args, { cwd: from });
  return join(into, stdout.trim().split('\n').at(-1) ?? '');
}

/** Installs packages from files into a project, without a registry. */
export async function installOffline(project: string, name: string, ...args: string[]) {
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name, private: true, type: 'module' }),
  );
  const offline = ['--offline', '--cache', join(project, '../cache'), '--no-audit', '--no-fund'];
  await run('npm', ['install', ...offline, ...args], { cwd: project });
}

/** Writes `use.ts` into a project with the strictest checks; whoever bundles resolves at least what Node does. */
export function writeProgram(project: string, program: string): void {
  writeFileSync(join(project, 'use.ts'), program);
  const checks = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  const options = {
    ...checks,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    noEmit: true,
  };
  const config = { compilerOptions: options, files: ['use.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
}

/** What the compiler says of the program of a project; nothing when all is well. */
export async function compile(project: string): Promise<string> {
  const ended = run(tsc, ['-p', '.'], { cwd: project });
  return (await ended.catch((error: { stdout: string }) => error)).stdout;
}

/** What publint says of a packed package. */
export async function lintPacked(tarball: string) {
  const packed = new Uint8Array(readFileSync(tarball)).buffer;
  return (await publint({ pack: { tarball: packed }, strict: true })).messages;
}
