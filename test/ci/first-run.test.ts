import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { program, root } from '../support/repository.ts';

/** Starts a program that ends with who has started it, however that ends. */
const DIE_WITH_US = ['--pdeathsig', 'KILL'];

test.runIf(existsSync('/usr/bin/script'))(
  'a first run at a terminal prints an operator token and three things to try, which work when they are pasted',
  async () => {
    const folder = makeFolder();
    const files = {
      DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
      SANDBOX_FILE: join(folder, 'sandbox.db'),
    };
    const env = { ...files, PORT: String(await freePort()) };
    const bin = join(root, program);
    const typescript = join(folder, 'typescript');
    // `script` gives the bridge a terminal. A bridge outlives its terminal, but not this one.
    const serve = `exec setpriv ${DIE_WITH_US.join(' ')} ${process.execPath} ${bin} serve`;
    const child = spawn('setpriv', [...DIE_WITH_US, 'script', '-qefc', serve, typescript], {
      env: { PATH: '/usr/bin:/bin', ...env },
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    const read = () =>
      existsSync(typescript) ? stripVTControlCharacters(readFileSync(typescript, 'utf8')) : '';
    await expect.poll(read).toContain('sandbox do');
    const text = read().replaceAll('\r', '');
    const lines = text.split('\n').map((line) => line.trim());
    const [setting = ''] = lines.filter((line) => line.startsWith('export '));
    const [create = ''] = lines.filter((line) => line.startsWith('curl '));
    const tries = lines.filter((line) => line.startsWith('npx scim-bridge'));
    const ready = `until curl -fsS -o /dev/null ${/http\S+\/readyz/.exec(text)?.[0]}; do sleep 0.2; done`;
    const paste = (line: string) =>
      execFileSync(
        'bash',
        ['--norc', '-c', `npx() { shift; ${process.execPath} ${bin} "$@"; }\n${setting}\n${line}`],
        { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } },
      );
    paste(ready);
    const created = paste(create);
    const outputs = tries.map(paste);
    const structured = lines.filter((line) => line.startsWith('{'));
    const [, token = ''] = /Operator token (\S+)/.exec(text) ?? [];

    expect(created).toContain('"userName":"ada@example.com"');
    expect(outputs[0]).toMatch(/^ok +scim-bridge/);
    expect(outputs[1]).toMatch(/group\.unmanaged +Pilots/);
    expect(token.length).toBeGreaterThan(20);
    expect(structured.join('\n')).not.toMatch(new RegExp(`${token}|sign-in`));
  },
);
