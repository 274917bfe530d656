import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { program } from './repository.ts';

const bin = join(import.meta.dirname, '../..', program);

/** Starts `scim-bridge` with these arguments as a process that ends with the test. */
export function spawnBin(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [bin, ...args], { env: { PATH: '', ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const out = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out.text += String(chunk);
    });
  return { child, out, ended: once(child, 'exit').then(([code]) => Number(code)) };
}
