import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAlone } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { spawnBin } from '../support/process.ts';
import { program } from '../support/program.ts';

const bin = join(import.meta.dirname, '../..', program);
/** The machine may be busy. */
const PATIENT = { interval: 20 };
/** With what the bridge said, or did not. */
const ASKED_AGAIN = /The bridge does not answer now \(.+\); it is asked again\./;

/** The script for bash. */
async function printScript(): Promise<string> {
  const { code, text } = await runAlone(['completion', 'bash'], {});
  expect({ code, text }).toMatchObject({ code: 0 });
  return text;
}

/** What bash completes with its script after these words; the last one is not finished. */
function complete(script: string, ...words: string[]): string[] {
  const ask = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scim_bridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', ask, 'bash', ...words], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

test('bash completes commands, commands below them, and their options', async () => {
  const script = await printScript();

  expect(complete(script, 'scim-bridge', 'sta')).toEqual(['status']);
  expect(complete(script, 'scim-bridge', 'token', '')).toEqual(
    expect.arrayContaining(['create', 'list', 'revoke']),
  );
  expect(complete(script, 'scim-bridge', 'drifts', '--ki')).toEqual(['--kind']);
  expect(complete(script, 'scim-bridge', 'token', 'create', 'okta', '--ex')).toEqual(['--expires']);
  expect(complete(script, 'scim-bridge', 'acts', '--outcome', '')).toEqual([
    'done',
    'refused',
    'failed',
  ]);
  expect(complete(script, 'scim-bridge', 'drifts', '--kind', 'member.')).toEqual([
    'member.added',
    'member.removed',
  ]);
  expect(complete(script, 'scim-bridge', 'drifts', '--kind', 'member.added', '--st')).toEqual([
    '--status',
  ]);
  expect(complete(script, 'scim-bridge', 'completion', 'b')).toEqual(['bash']);
});

/** A bridge in a process of its own, whose store and sandbox stay between two of them. */
async function makeServing() {
  const folder = makeFolder();
  const port = String(await freePort());
  const env = {
    OPS_TOKEN,
    PORT: port,
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    SANDBOX_FILE: join(folder, 'sandbox.db'),
    SWEEP_INTERVAL: '0',
  };
  const asking = { OPS_TOKEN, OPS_URL: `http://127.0.0.1:${port}` };
  return { asking, serve: () => spawnBin(['serve'], env) };
}

test('with --watch a list is told again and again, and a bridge that restarts is waited for', async () => {
  const { serve, asking } = await makeServing();
  const first = serve();
  await expect.poll(() => first.out.text, PATIENT).toContain('SCIM base URL');
  const watch = spawnBin(['users', '--watch', '1', '--json'], asking);
  const countLines = () => watch.out.text.split('\n').filter((line) => line.startsWith('{')).length;
  await expect.poll(countLines, PATIENT).toBeGreaterThan(1);
  first.child.kill('SIGTERM');
  await expect.poll(() => watch.out.text, PATIENT).toMatch(ASKED_AGAIN);
  const before = countLines();
  await first.ended;
  serve();
  await expect.poll(countLines, PATIENT).toBeGreaterThan(before);
  watch.child.kill('SIGINT');

  expect(await watch.ended).toBe(0);
});

test.runIf(existsSync('/usr/bin/script'))(
  'on a real terminal there are colours, and with NO_COLOR none',
  () => {
    const run = (env: Readonly<Record<string, string>>) =>
      execFileSync(
        'script',
        ['-qec', `${process.execPath} ${bin} settings --here --changed`, '/dev/null'],
        {
          encoding: 'utf8',
          env: {
            PATH: '/usr/bin:/bin',
            TERM: 'xterm-256color',
            PORT: '1',
            ...env,
          },
        },
      );

    expect(run({})).toContain('\u001b[1m');
    expect(run({ NO_COLOR: '1' })).not.toContain('\u001b[1m');
  },
);
