import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../test/support/lifetimes.ts';
import type { SandboxOptions } from './sandbox.ts';
import { callUrl, startForTest } from './sandbox-test-support.ts';

const SERVE = `
  import { startSandbox } from './sandbox.ts';
  const { url, token } = await startSandbox(JSON.parse(process.argv[1]));
  console.log(JSON.stringify({ url, token }));`;

test('a killed sandbox has kept everything it has answered', async () => {
  const file = join(makeFolder(), 'sandbox.db');
  const { child, url, token } = await serve({ file, seed: { users: 1, groups: 1 } });
  let answered = 0;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; n < 10_000; n += 1) {
      const body = { displayName: `Group ${writer} ${n}` };
      const { status } = await callUrl(
        { url, token },
        { method: 'POST', path: '/scim/v2/Groups', body },
      );
      expect(status).toBe(200);
      answered += 1;
      if (answered === 50) child.kill('SIGKILL');
    }
  });
  await Promise.allSettled(writers);

  const { sandbox } = await startForTest({ file });
  expect(sandbox.token).toBe(token);
  expect(answered).toBeGreaterThanOrEqual(50);
  // Calls that were under way when the process died may be stored too: one of each writer.
  const kept = sandbox.service.groups().length - 1;
  expect(kept).toBeGreaterThanOrEqual(answered);
  expect(kept).toBeLessThanOrEqual(answered + writers.length);
  expect(sandbox.service.auditEvents()).toHaveLength(kept);
});

async function serve(
  options: SandboxOptions,
): Promise<{ child: ChildProcess; url: string; token: string }> {
  const args = ['--input-type=module', '-e', SERVE, JSON.stringify(options)];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ...JSON.parse(line) };
}
