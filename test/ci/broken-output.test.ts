import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { program, root } from '../support/repository.ts';

test('a log on a full disk keeps no bridge from serving, and none from ending', async () => {
  const folder = makeFolder();
  const full = openSync('/dev/full', 'w');
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: root,
    stdio: ['ignore', full, full],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
      SANDBOX_FILE: join(folder, 'sandbox.db'),
      SHUTDOWN_DELAY: '0',
    },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    closeSync(full);
  });
  const readStatus = async () => {
    const answer = await request(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode;
  };

  await expect.poll(readStatus).toBe(200);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  expect(code).toBe(0);
});
