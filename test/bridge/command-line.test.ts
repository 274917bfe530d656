import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addAdoptCommand } from '../../src/cli/adopt.ts';
import { addClientCommand } from '../../src/cli/client.ts';
import { commands as allCommands } from '../../src/cli/commands.ts';
import { addExplainCommand } from '../../src/cli/explain.ts';
import { addActsCommand, addDriftsCommand, addRequestsCommand } from '../../src/cli/lists.ts';
import { addNotificationsCommand } from '../../src/cli/notifications.ts';
import { addPauseCommand, addResumeCommand } from '../../src/cli/pause.ts';
import { addPlanCommand } from '../../src/cli/plan.ts';
import { addGroupsCommand, addUsersCommand } from '../../src/cli/resource-lists.ts';
import { addSessionCommand } from '../../src/cli/session.ts';
import { addStatusCommand } from '../../src/cli/status.ts';
import { tokenCommand } from '../../src/cli/token.ts';
import { sendJson, startService } from '../../src/upstream/testing/service.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { type Person, runAlone, runner, runSweep } from '../support/command.ts';
import { setActive } from '../support/drift-cells.ts';
import { freePort } from '../support/free-port.ts';
import { spawnBin } from '../support/process.ts';
import { addGroup, addUser, send, untilSettled } from '../support/provider.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const bin = join(import.meta.dirname, '../../src/cli/bin.mjs');
async function notAlone(): Promise<never> {
  throw new Error('there is a bridge to be asked');
}

const commands = [
  addActsCommand,
  addAdoptCommand,
  addDriftsCommand,
  addGroupsCommand,
  addPauseCommand,
  addRequestsCommand,
  addResumeCommand,
  addStatusCommand,
  addUsersCommand,
  addExplainCommand,
  addNotificationsCommand,
  addPlanCommand,
  addClientCommand,
  tokenCommand(notAlone),
  addSessionCommand,
];
const ada = 'ada@example.com';
/** The machine may be busy. */
const PATIENT = { interval: 20 };

function run(bridge: TestBridge, args: string, person?: Person) {
  return runner(bridge, commands, SWEEP_SETTINGS, person)(...args.split(' '));
}

/** Two people and a group, of which the service holds something else by now. */
async function addDrifted(bridge: TestBridge): Promise<string> {
  const id = await addUser(bridge, 'ada');
  await addUser(bridge, 'bob');
  await addGroup(bridge, 'Pilots', [id]);
  await untilSettled(bridge);
  bridge.sandbox.service.setActive(ada, false);
  await sweep(bridge);
  return id;
}

/** With what the bridge said, or did not. */
const ASKED_AGAIN = /The bridge does not answer now \(.+\); it is asked again\./;

test('status tells how the bridge is, what waits and what differs, and by its exit code whether there is something to do', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addDrifted(bridge);
    const well = await run(bridge, 'status --exit-code');
    await askOps(bridge, 'POST', '/pause', {});
    const paused = await run(bridge, 'status --exit-code');
    const json = await run(bridge, 'status --json');

    expect(well.text).toContain('scim-bridge 1.2.3 on sqlite');
    expect(well.text).toMatch(/last sweep +complete, ended .*Z, 3 people and 1 group/);
    expect(well.text).toMatch(/differences +1 open/);
    expect(well.text).toMatch(/first read +finished/);
    expect(paused).toMatchObject({ code: 2, text: expect.stringContaining('writes-paused') });
    const { body } = await askOps(bridge, 'GET', '/status');
    expect(Object.keys(JSON.parse(json.text))).toEqual(Object.keys(body));
  });
});

test('users, groups, drifts, requests and acts list what the bridge knows, as a table or as the request answers it', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const id = await addDrifted(bridge);
    const drifted = await run(bridge, 'users --drifted');
    const groups = await run(bridge, 'groups --search pilots');
    const drifts = await run(bridge, `drifts --kind user.deactivated --of ${id}`);
    const byName = await run(bridge, `drifts --of ${ada} --json`);
    const byId = await run(bridge, `drifts --of ${id} --json`);
    const ofBob = await run(bridge, 'drifts --of BOB@example.com');
    const none = await run(bridge, 'drifts --status contested');
    const readRequests = async () => {
      const { text } = await run(bridge, `requests --of ${id} --json`);
      return JSON.parse(text).items;
    };
    // They are stored behind the answers.
    await expect
      .poll(readRequests, PATIENT)
      .toMatchObject([{ method: 'POST', resource: { id }, status: 201 }]);
    const ofGroups = await run(bridge, 'requests --type group --json');
    const strange = await run(bridge, 'requests --type team');
    const ids = JSON.parse(byId.text).items.map((one: { id: string }) => one.id);
    const term = ['--until', '2999-01-31', '--reason', 'leave', '--yes'];
    await run(bridge, ['drifts ignore', ...ids, ...term].join(' '));
    const ignored = await run(bridge, 'drifts --status ignored');
    const first = await run(bridge, 'users --managed --limit 1');
    const json = await run(bridge, 'users --managed --limit 1 --json');
    const acts = await run(bridge, 'acts --outcome done');
    const wrong = await run(bridge, 'users --limit none');
    const unknown = await run(bridge, 'drifts --status sometimes');

    expect(drifted.text).toContain(ada);
    expect(drifted.text).not.toContain('bob@example.com');
    expect(groups.text).toMatch(/^ID +NAME +MANAGED/);
    expect(groups.text).toContain('Pilots');
    expect(drifts.text).toMatch(/user\.deactivated +ada@example\.com +\{"active":true\}/);
    for (const { text } of [none, ofBob])
      expect(text).toBe('Nothing differs that fits these filters.\n');
    expect(byName.text).toContain('user.deactivated');
    expect(byName.text).toBe(byId.text);
    expect(first.text).toContain('There are more than these 1: --limit');
    const { body } = await askOps(bridge, 'GET', '/users?managed=true&limit=1');
    expect(JSON.parse(json.text)).toEqual(body);
    expect(acts.text).toContain('asked for a sweep');
    expect(JSON.parse(ofGroups.text).items).toMatchObject([{ resource: { type: 'group' } }]);
    expect(ignored.text).toMatch(/ leave, says .+ until 2999-01-31 00:00:00Z/);
    expect([wrong.code, unknown.code, strange.code]).toEqual([64, 64, 64]);
  });
});

test('a list of nobody is a mistake, and an empty one speaks of no more than its filters let through', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const empty = await run(bridge, 'drifts');
    await addDrifted(bridge);
    const forgotten = randomUUID();
    const mistaken = [
      await run(bridge, 'drifts --of ghost@example.com'),
      await run(bridge, 'requests --of ghost@example.com'),
    ];
    const [differs, written, done] = [
      await run(bridge, `drifts --of ${forgotten}`),
      await run(bridge, `requests --of ${forgotten}`),
      await run(bridge, 'acts --of some-plan'),
    ];
    const ofNobody = await run(bridge, 'requests --credential nobody');
    const byNobody = await run(bridge, 'acts --operator nobody');

    expect(empty).toMatchObject({ code: 0, text: 'Nothing differs.\n' });
    for (const one of mistaken)
      expect(one).toMatchObject({
        code: 1,
        text: expect.stringContaining('Nothing has this id or name.'),
      });
    expect(differs).toMatchObject({ code: 0, text: 'Nothing differs that fits these filters.\n' });
    for (const { text } of [written, ofNobody])
      expect(text).toBe('No provider has written anything that is kept and fits these filters.\n');
    for (const { text } of [done, byNobody])
      expect(text).toBe('No operator has done anything that is kept and fits these filters.\n');
  });
});

test('a table fits the terminal, and colours are for a terminal alone', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addDrifted(bridge);
    const narrow = await run(bridge, 'users', { columns: 70 });
    const plain = await run(bridge, 'users', { columns: 70, hasColours: false });
    const file = await run(bridge, 'users');

    const lines = stripVTControlCharacters(narrow.text).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
    expect(narrow.text).toContain('\u001b[');
    expect(plain.text).not.toContain('\u001b[');
    expect(file.text).not.toContain('\u001b[');
    expect(file.text).not.toContain('…');
    expect(file.text).toMatch(/ada@example\.com .* yes, seen no /);
  });
});

test('at 80 columns no line of a list is longer, and every list says when it is empty and prints JSON of one shape', async () => {
  const settings = { ...SWEEP_SETTINGS, LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' };
  await withTestBridge({ settings }, async (bridge) => {
    const lists = ['token', 'client', 'session', 'plan', 'notifications'].map(
      (name) => `${name} list`,
    );
    for (const list of lists) {
      const { code, text } = await run(bridge, list);
      expect({ list, code, text }).toMatchObject({
        code: 0,
        text: expect.stringMatching(/^[A-Z].*\.\n$/),
      });
      const json = await run(bridge, `${list} --json --limit 5`);
      expect({ list, json: JSON.parse(json.text) }).toEqual({
        list,
        json: { items: [], nextCursor: null },
      });
    }
    await run(bridge, 'token create okta-in-production --expires never');
    await run(bridge, 'client create entra-in-production');
    const id = await addDrifted(bridge);
    await askOps(bridge, 'POST', '/pause', {});
    const all = [
      ...lists,
      'users',
      'groups',
      'drifts',
      'requests',
      'acts',
      'status',
      `explain ${id}`,
    ];
    for (const list of all) {
      const { text } = await run(bridge, list, { columns: 80, hasColours: false });
      const isTable = list !== 'status';
      const most = Math.max(...text.split('\n').map(({ length }) => length));
      if (isTable) expect({ list, isFitting: most <= 80 }).toEqual({ list, isFitting: true });
      expect(text).not.toBe('');
    }
  });
});

test('a command that waits for the bridge longer than two seconds tells a terminal so, and takes that away', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const told = Promise.withResolvers<void>();
  const lines: (string | undefined)[] = [];
  const showProgress = (line: string | undefined) => {
    lines.push(line);
    told.resolve();
  };
  const slow = await startService(async (res) => {
    vi.setSystemTime(Date.now() + 2_000);
    await told.promise;
    sendJson(res, 200, { items: [], nextCursor: null });
  });

  const { text } = await runner(slow, commands, SWEEP_SETTINGS, { showProgress })('users');

  expect(text).toBe('There is nobody like that.\n');
  expect(lines).toEqual(['Waiting for the bridge · 2 s', undefined]);
});

test('a list of many pages tells a terminal how much of it is read', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: (string | undefined)[] = [];
  const pages = await startService((res, _request, n) => {
    vi.setSystemTime(Date.now() + 1_000);
    const items = Array.from({ length: 1_000 }, () => ({}));
    sendJson(res, 200, { items, nextCursor: n < 3 ? `${n}` : null });
  });
  const showProgress = (line: string | undefined) => void lines.push(line);

  const run = runner(pages, commands, SWEEP_SETTINGS, { showProgress });
  const { code } = await run('notifications', 'list', '--limit', '9000', '--json');

  expect(code).toBe(0);
  expect(lines.filter((line) => !line?.startsWith('Waiting'))).toEqual([
    ...['2000 entries read · 2 s', '3000 entries read · 3 s', undefined],
  ]);
});

test('a name with control characters does not reach the terminal as it is', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addGroup(bridge, 'Pi\u001b[31mlots\u0007\nof doom');
    const { text } = await run(bridge, 'groups');

    expect(text).toContain('Pilots of doom');
  });
});

test('a question comes before what is dangerous: no leaves all as it is, and where nobody can be asked --yes is wanted', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await run(bridge, 'token create okta');
    const nobody = await run(bridge, 'token revoke okta');
    const no = await run(bridge, 'token revoke okta', { columns: 80, answer: 'n' });
    const kept = await run(bridge, 'token list');
    const yes = await run(bridge, 'token revoke okta', { columns: 80, answer: 'y' });
    const gone = await run(bridge, 'token list');

    expect(nobody).toMatchObject({ code: 64, text: expect.stringContaining('--yes') });
    expect(no).toMatchObject({ code: 0, text: 'Nothing was done.\n' });
    expect(no.asked).toEqual([
      'End the token okta? Who presents it is refused from then on. [y/N] ',
    ]);
    expect(kept.text).toContain('okta');
    expect(yes).toMatchObject({ code: 0, text: expect.stringContaining('is revoked') });
    expect(gone.text).toBe('There is no token that is not revoked.\n');
  });
});

test('sweep counts where its output is no terminal, and lists with --names', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addDrifted(bridge);
    const job = await runSweep(bridge, 'sweep');
    const json = await runSweep(bridge, 'sweep --json');
    const few = await runSweep(bridge, 'sweep --names --limit 1');

    expect(job.text).toMatch(/user\.deactivated +1\n/);
    expect(job.text).not.toMatch(/@example\.com|Pilots/);
    expect(json.text).toContain(ada);
    expect(few.text).toContain('… and 1 more: scim-bridge drifts');
  });
});

test('plan show names who it is about, and plan discard asks first', async () => {
  const settings = { ...SWEEP_SETTINGS, DRIFT_POLICY: 'repair', LIMITS_DEACTIVATE_COUNT: '0' };
  await withTestBridge({ settings }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
    await untilSettled(bridge);
    bridge.sandbox.service.setActive(ada, true);
    const { planId } = await sweep(bridge);
    const shown = await run(bridge, 'plan show');
    const json = await run(bridge, 'plan show --json');
    const silent = await run(bridge, `plan discard ${planId}`);
    const held = await run(bridge, 'plan list --status held --limit 1 --json');
    const discarded = await run(bridge, `plan discard ${planId} --yes --json`);

    expect(shown.text).toMatch(new RegExp(`user\\.deactivate +${ada}: `));
    expect(json.text).toContain(ada);
    expect(silent).toMatchObject({ code: 64, text: expect.stringContaining('--yes') });
    expect(JSON.parse(held.text)).toMatchObject({ items: [{ id: planId }] });
    expect(JSON.parse(discarded.text)).toMatchObject({ id: planId, status: 'discarded' });
  });
});

test('session lists who is signed in to the console, and ends all sign-ins of one operator', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const url = new URL('/console/session', bridge.baseUrl);
    const headers = { 'x-scim-bridge-console': '1', 'content-type': 'application/json' };
    const body = JSON.stringify({ token: SWEEP_SETTINGS.OPS_TOKEN });
    for (let times = 0; times < 2; times += 1) await fetch(url, { method: 'POST', headers, body });
    const listed = await run(bridge, 'session list');
    const first = await run(bridge, 'session list --limit 1');
    const nobody = await run(bridge, 'session revoke grace --yes');
    const ended = await run(bridge, 'session revoke ops.token --yes --json');
    const none = await run(bridge, 'session list --json');
    const acts = await run(bridge, 'acts');

    expect(listed.text.match(/session-\S+ +ops\.token +operator /g)).toHaveLength(2);
    expect(nobody.code).toBe(1);
    expect(first.text).toContain('There are more than these 1');
    expect(JSON.parse(ended.text).items).toHaveLength(2);
    expect(JSON.parse(none.text)).toEqual({ items: [], nextCursor: null });
    expect(acts.text).toContain('ended a sign-in to the console');
  });
});

test('a person asks with a token of their own, whatever the token of the bridge is', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const { body } = await askOps(bridge, 'POST', '/tokens', { name: 'grace', for: 'operator' });
    const env = { OPS_TOKEN: 'not-that-of-the-bridge', OPS_COMMAND_TOKEN: String(body.token) };
    expect(await run(bridge, 'pause', { env })).toMatchObject({ code: 0 });
    const { text } = await run(bridge, 'acts --operator grace');

    expect(text).toContain('paused all changes');
  });
});

/** Runs one of all commands, which asks no bridge. */
function runAny(...args: string[]) {
  return runAlone(allCommands, args, {});
}

const asking = [
  ...['status', 'users', 'groups', 'drifts', 'requests', 'acts', 'leavers'],
  ...['explain ada', 'why ada', 'look ada', 'retry ada', 'plan show', 'plan list'],
  ...['token list', 'client list', 'provider list', 'session list', 'notifications list'],
  ...['adopt ada', 'release ada --yes', 'erase ada --yes', 'pause', 'resume'],
];
test.each(asking)('without a bridge %s is 1 and says what to set', async (args) => {
  const world = { OPS_URL: 'http://127.0.0.1:9' };
  const noToken = await runAlone(allCommands, args.split(' '), world);
  const nobody = await runAlone(allCommands, args.split(' '), { ...world, OPS_TOKEN });

  expect(noToken).toMatchObject({ code: 1, text: expect.stringContaining('set OPS_TOKEN') });
  expect(nobody).toMatchObject({ code: 1, text: expect.stringContaining('OPS_URL') });
});

test('a command that does not exist is refused, with --help too', async () => {
  for (const args of [['bogus', '--help'], ['token', 'bogus', '--help'], ['bogus']]) {
    const text = expect.stringMatching(/unknown command 'bogus'/);
    expect(await runAny(...args)).toMatchObject({ code: 64, text });
  }
  const text = expect.stringMatching(/unknown command 'user'; did you mean users\?/);
  expect(await runAny('user', '--limit', '3')).toMatchObject({ code: 64, text });
});

test('an option that does not exist is named, not the value that follows it', async () => {
  const refused = { code: 64, text: expect.stringMatching(/unknown option '--port'/) };
  expect(await runAny('sandbox', '--port', '18200')).toMatchObject(refused);
  expect(await runAny('--port', '18200', 'status')).toMatchObject(refused);
});

/** The script for a shell. */
async function printScript(shell: string): Promise<string> {
  const { code, text } = await runAny('completion', shell);
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
  const script = await printScript('bash');

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
  expect(complete(script, 'scim-bridge', 'completion', 'z')).toEqual(['zsh']);
});

/** Completes in a shell by its own script; the last word is not finished. */
const SHELLS = {
  // As the completion of zsh calls it, with words printed in the place of a menu.
  zsh: (file: string, words: readonly string[]) => [
    '-f',
    '-c',
    `words=(scim-bridge "$@"); CURRENT=$#words; _describe() { print -rl -- \${(P)2} }; source ${file}`,
    'zsh',
    ...words,
  ],
  fish: (file: string, words: readonly string[]) => [
    '--no-config',
    '-c',
    `source ${file}; complete -C "scim-bridge ${words.join(' ')}"`,
  ],
} as const;

function hasShell(shell: string): boolean {
  const isThere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (!isThere) console.warn(`\n*** No ${shell} here: ITS COMPLETION IS NOT TESTED.\n`);
  return isThere;
}

test.each(['zsh', 'fish'] as const)(
  '%s completes commands below a command, by its script',
  async (shell) => {
    if (!hasShell(shell)) return;
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-completion-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, `_${shell}`);
    writeFileSync(file, await printScript(shell));
    const ask = (...words: string[]) =>
      execFileSync(shell, [...SHELLS[shell](file, words)], { encoding: 'utf8', cwd: folder })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(/[\t:]/)[0]);

    execFileSync(shell, ['-n', file]);
    const below = ask('plan', '');
    const options = ask('session', 'revoke', '-');

    expect(below).toEqual(expect.arrayContaining(['show', 'list', 'approve', 'discard', 'undo']));
    expect(below.filter((word) => word?.startsWith('_'))).toEqual([]);
    expect(options).toContain('--yes');
    expect(ask('acts', '--outcome', '').toSorted()).toEqual(['done', 'failed', 'refused']);
    expect(ask('--config', '')).not.toContain('status');
  },
);

test('scripts for zsh and fish name every command, and an unknown shell is refused', async () => {
  for (const shell of ['zsh', 'fish'])
    expect(await printScript(shell)).toMatch(/drifts[\s\S]*--outcome/);
  const text = expect.stringMatching(/Allowed choices are bash, zsh, fish/);
  expect(await runAny('completion', 'tcsh')).toMatchObject({ code: 64, text });
});

/** A bridge in a process of its own, whose store and sandbox stay between two of them. */
async function makeServing() {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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

test('a sweep that is asked for while the bridge restarts is made once it is back', async () => {
  const { serve, asking } = await makeServing();
  const sweeping = spawnBin(['sweep'], asking);
  await expect.poll(() => sweeping.out.text, PATIENT).toMatch(ASKED_AGAIN);
  serve();

  expect(await sweeping.ended).toBe(0);
  expect(sweeping.out.text).toContain('Sweep complete: 1 person and 0 groups compared in');
});

test.runIf(existsSync('/usr/bin/script'))(
  'on a real terminal there are colours, and with NO_COLOR none',
  () => {
    const run = (env: Readonly<Record<string, string>>) =>
      execFileSync(
        'script',
        ['-qec', `${process.execPath} ${bin} settings --changed`, '/dev/null'],
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
