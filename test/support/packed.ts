import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';

const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');

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
  const ended = promisify(execFile)(tsc, ['-p', '.'], { cwd: project });
  return (await ended.catch((error: { stdout: string }) => error)).stdout;
}

/** What publint says of a packed package. */
export async function lintPacked(tarball: string) {
  const packed = new Uint8Array(readFileSync(tarball)).buffer;
  return (await publint({ pack: { tarball: packed }, strict: true })).messages;
}
