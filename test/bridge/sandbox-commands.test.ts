import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { addSandboxCommand } from '../../src/cli/sandbox.ts';
import { withTestBridge } from '../support/bridge.ts';
import { runAlone, runner } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { spawnBin } from '../support/process.ts';
import { addUser, untilSettled } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';

const root = join(import.meta.dirname, '../..');
/** The machine may be busy. */
const PATIENT = { interval: 20 };

test('sandbox commands change the service behind the back of the bridge, have it fail, and heal it', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addUser(bridge, 'ada');
    await untilSettled(bridge);
    const command = runner(bridge, [addSandboxCommand]);
    const run = (args: string) => command(...args.split(' '));

    const done = await run('sandbox do setActive user=ada@example.com active=false');
    const state = await run('sandbox state');
    await run('sandbox fail scim.getUsers --status 503 --times 2');
    const faults = await run('sandbox faults');
    await run('sandbox heal');
    const healed = await run('sandbox faults');
    const unknown = await run('sandbox do dance');
    const wrong = await run('sandbox do setActive ada');
    const alone = await runAlone(
      [addSandboxCommand],
      ['sandbox', 'calls', '--url', bridge.sandbox.url, '--token', bridge.sandbox.token],
      {},
    );

    expect(done.code).toBe(0);
    expect(JSON.parse(state.text).users).toContainEqual(
      expect.objectContaining({ email: 'ada@example.com', active: false }),
    );
    expect(JSON.parse(faults.text).rules).toMatchObject([
      { operation: 'scim.getUsers', fault: { kind: 'status', status: 503 }, times: 2 },
    ]);
    expect(JSON.parse(healed.text).rules).toEqual([]);
    expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining("no action 'dance'") });
    expect(wrong.code).toBe(64);
    expect(JSON.parse(alone.text).total).toBeGreaterThan(0);
  });
});

test('every example of the help works in its order, on a sandbox with nobody in it', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const command = runner(bridge, [addSandboxCommand]);
    const { text } = await command('sandbox', '--help');
    const examples = [...text.matchAll(/^ {2}scim-bridge (sandbox .+)$/gm)].map(([, line]) => line);

    expect(examples.length).toBeGreaterThan(3);
    for (const example of examples) {
      const { code, text: said } = await command(...String(example).split(' '));
      expect(code, `${example}: ${said}`).toBe(0);
    }
    expect(bridge.sandbox.service.members('Pilots')).toEqual(['ada@example.com']);
  });
});

test('the page names every action and every control of the sandbox', () => {
  const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
  const read = (path: string) => readFileSync(join(root, 'src/sandbox/http', path), 'utf8');
  const controls = [...read('control.ts').matchAll(/^ {2}'(\w+ \/_sandbox\/\w+)'/gm)];
  const actions = [...read('parse-action.ts').matchAll(/^ {2}(\w+): \(service/gm)];

  expect(actions.length).toBeGreaterThan(10);
  for (const [, name] of [...controls, ...actions]) expect(page).toContain(`\`${name}\``);
});

/** Settings of a first run in a folder of its own. */
async function makeFirstRun() {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-first-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const files = {
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    SANDBOX_FILE: join(folder, 'sandbox.db'),
  };
  return { folder, env: { ...files, PORT: port } };
}

test('a first run whose output is no terminal shows no token of operators', async () => {
  const { env } = await makeFirstRun();
  const { out } = spawnBin(['serve'], env);
  await expect.poll(() => out.text, PATIENT).toContain('Try it:');

  expect(out.text).not.toMatch(/Operator token|OPS_COMMAND_TOKEN/);
});

/** Starts a program that ends with who has started it, however that ends. */
const DIE_WITH_US = ['--pdeathsig', 'KILL'];

test.runIf(existsSync('/usr/bin/script'))(
  'a first run at a terminal prints an operator token and three things to try, which work when they are pasted',
  async () => {
    const { folder, env } = await makeFirstRun();
    const bin = join(root, 'src/cli/bin.mjs');
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
    await expect.poll(read, PATIENT).toContain('sandbox do');
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
        {
          encoding: 'utf8',
          env: { PATH: '/usr/bin:/bin' },
        },
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
    expect(structured.join('\n')).not.toContain(token);
  },
);
