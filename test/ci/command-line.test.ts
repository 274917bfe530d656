import { execFile, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { readForm, startRecording } from '../support/recording-server.ts';
import { program } from '../support/repository.ts';

const bin = join(import.meta.dirname, '../..', program);

test('the built program uploads a file', async () => {
  const service = await forTest(startRecording());
  const path = join(makeFolder(), 'map.txt');
  writeFileSync(path, 'here be dragons');
  const call = ['restrictedAccessCardFiles.attachFileToCard', '--path', 'card_uid=c-1'];
  const env = { UPSTREAM_URL: service.url, UPSTREAM_TOKEN: 'token' };
  await promisify(execFile)(process.execPath, [bin, 'api', ...call, '--file', `file=@${path}`], {
    env,
  });

  const [sent] = service.recorded;
  expect(sent && (await readForm(sent))).toEqual([['file', 'here be dragons']]);
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
