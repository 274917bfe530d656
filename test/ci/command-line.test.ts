import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program } from '../support/repository.ts';

const bin = join(import.meta.dirname, '../..', program);

test('the built program knows the operations of the service', async () => {
  const call = promisify(execFile)(process.execPath, [bin, 'api', '--list', 'groups'], { env: {} });

  expect(JSON.parse((await call).stdout)).toContainEqual(
    expect.objectContaining({ operation: 'groups.createGroup', method: 'POST' }),
  );
});

test.runIf(existsSync('/usr/bin/script'))(
  'on a real terminal there are colours, and with NO_COLOR none',
  () => {
    const run = (env: Readonly<Record<string, string>>) =>
      execFileSync('script', ['-qec', `${process.execPath} ${bin} settings --here`, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', PORT: '1', ...env },
      });

    expect(run({})).toContain('\u001b[1m');
    expect(run({ NO_COLOR: '1' })).not.toContain('\u001b[1m');
  },
);
