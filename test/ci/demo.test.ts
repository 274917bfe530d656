import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeFolder } from '../support/lifetimes.ts';
import { root } from '../support/repository.ts';

async function runDemo(folder: string): Promise<{ code: unknown; out: string; errors: string }> {
  const child = spawn(process.execPath, ['scripts/demo.ts', '--fast'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, TMPDIR: folder },
  });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, errors };
}

test('the demo tells its story to the end, shows no secret and leaves nothing behind', async () => {
  const folder = makeFolder();
  const { code, out, errors } = await runDemo(folder);

  expect(errors).toBe('');
  expect(code).toBe(0);
  const headlines = out.split('\n').filter((line) => /^\d\. /.test(line));
  expect(headlines).toEqual([
    '1. Okta provisions people, and links a group that is there already',
    "2. An administrator changes things behind the provider's back",
    '3. A repair that would take away a lot waits for an operator',
  ]);
  expect(out).toMatch(
    /member\.removed +ada@example\.com in Payroll +repaired +by mallory from 198/,
  );
  expect(out).toMatch(
    /25 actions, held, 25 waiting \(removeMember: 26 in 24 hours of 27, more than 20 or 10 %\)/,
  );
  expect(out).toContain('Applied: 25 removed');
  // Each of its tokens begins so; no colour where nobody looks.
  expect(out).not.toContain('demo-secret-');
  expect(out).not.toContain('\u001b');
  expect(readdirSync(folder)).toEqual([]);
});
