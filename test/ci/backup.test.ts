import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { TestBridge } from '../support/bridge.ts';
import { runAlone } from '../support/command.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { readPlan } from '../support/pilots.ts';
import { replace, toUser } from '../support/provider.ts';
import { program } from '../support/repository.ts';

function makePlace() {
  const folder = makeFolder();
  const [file, backup] = [join(folder, 'bridge.db'), join(folder, 'backup.db')];
  const env = { DATABASE_URL: `sqlite:${file}` };
  return { folder, file, backup, env };
}

function startBackup(env: Readonly<Record<string, string>>, target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } };
    execFile(process.execPath, [program, 'backup', target], options, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${stderr}${stdout}`, { cause: error })),
    );
  });
}

function listUserNames(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database
      .prepare(
        "select name from resources where type = 'user' and origin is not null and deleted_at is null",
      )
      .all();
    return rows.map((row) => String(row.name)).toSorted();
  } finally {
    database.close();
  }
}

async function untilPhase(bridge: TestBridge, phase: string) {
  const read = async () => (await bridge.ops('GET', '/recovery')).body;
  await expect.poll(async () => (await read()).phase).toBe(phase);
  return read();
}

test('a backup that is made under load holds all that was acknowledged before, is not restored under a bridge that runs, and a bridge on it recovers', async () => {
  const { folder, file, backup, env } = makePlace();
  const lives = await makeLives({ settings: env });
  const before: string[] = [];
  const meanwhile: string[] = [];
  await lives.live(async (bridge) => {
    for (const name of ['ada', 'bob', 'carl']) {
      await bridge.addUser(name);
      before.push(`${name}@example.com`);
    }
    await bridge.untilSettled();
    const written = startBackup(env, backup);
    let isRunning = true;
    written.finally(() => {
      isRunning = false;
    });
    for (let index = 0; isRunning; index += 1) {
      const { status } = await bridge.request('POST', '/Users', toUser(`load${index}`));
      if (status === 201) meanwhile.push(`load${index}@example.com`);
    }
    expect(await written).toContain('proven whole');
    const early = await runAlone(`restore ${backup} --yes`.split(' '), env);
    expect(early).toMatchObject({ code: 1, text: expect.stringContaining('another process has') });
    expect(early.text).not.toContain('PostgreSQL'); // Which no restore needs.
    // What the backup does not know of.
    const ada = (await bridge.request('GET', '/Users?filter=userName%20sw%20%22ada%22')).body;
    const [found] = Array.isArray(ada.Resources) ? ada.Resources : [];
    await bridge.settled(bridge.patch(`/Users/${Object(found).id}`, replace('active', false)));
  });
  const held = listUserNames(backup);
  const people = lives.sandbox.service.users().length;
  const { mode } = statSync(backup);
  chmodSync(backup, 0o644);
  const restored = await runAlone(`restore ${backup} --yes`.split(' '), env);
  lives.sandbox.calls.reset();

  expect(meanwhile.length).toBeGreaterThan(0);
  expect(held).toEqual(expect.arrayContaining(before));
  // One moment of it: of those that came one after another, the first so many.
  expect(held).toEqual([...before, ...meanwhile.slice(0, held.length - before.length)].toSorted());
  const next = expect.stringContaining('scim-bridge plan show');
  expect(restored).toMatchObject({ code: 0, text: next });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  const kept = readdirSync(folder).filter((name) => /^bridge\.db\.replaced-[^.]*$/.test(name));
  expect(kept).toHaveLength(1);
  expect(listUserNames(join(folder, String(kept[0])))).toEqual(
    [...before, ...meanwhile].toSorted(),
  );

  await lives.live(async (bridge) => {
    const { planId, reason } = await untilPhase(bridge, 'waiting');
    const plan = await readPlan(bridge, planId);
    const wasActive = lives.sandbox.service.getUser('ada@example.com').active;
    const changed = lives.sandbox.calls.count({ mutating: true });
    await bridge.ops('POST', `/plans/${String(plan.id)}/approve`, { hash: plan.hash ?? '' });
    await untilPhase(bridge, 'none');
    await bridge.untilSettled();
    const again = await bridge.request('POST', '/Users', toUser('load0'));

    expect(reason).toEqual({ code: 'restored' });
    expect(Object(plan.counts).kinds).toMatchObject({ 'user.activate': 1 });
    expect([wasActive, changed]).toEqual([false, 0]);
    expect(lives.sandbox.service.getUser('ada@example.com').active).toBe(true);
    // Who came after the backup is taken over again, or known already; nobody exists twice.
    expect([201, 409]).toContain(again.status);
    expect(lives.sandbox.service.users()).toHaveLength(people);
  });
});

test('a file that is there is left alone, and what is no whole store of the bridge does not become one', async () => {
  const { folder, file, backup, env } = makePlace();
  const lives = await makeLives({ settings: env });
  await lives.live(async (bridge) => void (await bridge.addUser('ada')));
  const run = (command: 'backup' | 'restore', path: string) =>
    runAlone([command, path, ...(command === 'restore' ? ['--yes'] : [])], env);
  const made = await run('backup', backup);
  const twice = await run('backup', backup);
  const nowhere = await run('backup', join(file, 'below-a-file.db'));
  const [torn, other, newer] = ['torn', 'other', 'newer'].map((n) => join(folder, n));
  const original = readFileSync(file);
  const bytes = readFileSync(backup);
  writeFileSync(String(torn), bytes.subarray(0, bytes.length - 8_192));
  new DatabaseSync(String(other)).exec('create table things (a)');
  copyFileSync(backup, String(newer));
  new DatabaseSync(String(newer)).exec("insert into migrations values ('999-of-tomorrow')");

  expect(made.code).toBe(0);
  expect(twice).toMatchObject({ code: 1, text: expect.stringContaining('exists already') });
  expect(nowhere).toMatchObject({ code: 1, text: expect.stringContaining('cannot be written') });
  for (const path of [torn, other, newer]) {
    const { code, text: words } = await run('restore', String(path));
    expect(code, `${path}: ${words}`).toBe(1);
    expect(words).toContain(path);
  }
  expect(readFileSync(file).equals(original)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('replaced'))).toEqual([]);
});

test('where a disk is full, backup and restore say of which file, and change nothing', async () => {
  const { folder, file, backup, env } = makePlace();
  const lives = await makeLives({ settings: env });
  await lives.live(async (bridge) => void (await bridge.addUser('ada')));
  expect((await runAlone(['backup', backup], env)).code).toBe(0);
  const before = readFileSync(file);
  // Files of this process may grow so far, as on a full disk.
  const run = (...args: string[]) =>
    spawnSync('prlimit', ['--fsize=100000:', process.execPath, program, ...args], {
      ...{ encoding: 'utf8', env: { PATH: process.env.PATH ?? '', ...env } },
    });

  const made = run('backup', join(folder, 'second.db'));
  const restored = run('restore', backup, '--yes');

  expect([made.status, restored.status]).toEqual([1, 1]);
  expect(made.stderr).toMatch(
    /^the store \S+bridge\.db cannot be copied to \S+second\.db\.part: .+\n$/,
  );
  expect(restored.stderr).toMatch(/^\S+ cannot be copied to \S+bridge\.db\.part: .+\n$/);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder).filter((name) => /part|second|replaced/.test(name))).toEqual([]);
});

test('where there is no store no command makes an empty one', async () => {
  const { folder, file, env } = makePlace();
  for (const args of ['backup x', 'restore --yes', 'migrate-store --undo --yes']) {
    const { code, err } = await runAlone(args.split(' '), env);
    expect([code, err]).toEqual([1, expect.stringContaining(`there is no store at ${file}`)]);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('of PostgreSQL both say what to do instead', async () => {
  const env = { DATABASE_URL: 'postgres://bridge@db.invalid/bridge' };
  const backup = await runAlone('backup x'.split(' '), env);
  const restore = await runAlone('restore x --yes'.split(' '), env);

  expect(backup).toMatchObject({ code: 1, text: expect.stringContaining('pg_dump') });
  expect(restore).toMatchObject({ code: 1, text: expect.stringContaining('pg_restore') });
});

test('a bridge that lost its store takes everybody over again with what the provider sends, and changes nothing', async () => {
  const { file, env } = makePlace();
  const lives = await makeLives({ settings: env });
  const { service, calls } = lives.sandbox;
  const describe = () => ({
    people: service.users().map(({ email, active, fullName }) => ({ email, active, fullName })),
    groups: service.groups().map(({ name }) => ({ name, members: service.members(name) })),
  });
  await lives.live(async (bridge) => {
    await bridge.settled(bridge.addGroup('Pilots', await bridge.addPeople('ada', 'bob')));
  });
  const before = describe();
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  await lives.live(async (bridge) => {
    const list = await bridge.send('GET', '/Users?filter=userName%20eq%20%22ada@example.com%22');
    calls.reset();
    const ids = await bridge.addPeople('ada', 'bob');
    const group = await bridge.settled(bridge.addGroup('Pilots', ids));
    const read = await bridge.send('GET', `/Groups/${group}`);

    expect(list.body.totalResults).toBe(1);
    expect(ids).toContain(Object(Array.isArray(list.body.Resources) && list.body.Resources[0]).id);
    expect(read.body.members).toHaveLength(2);
    expect(calls.count({ mutating: true })).toBe(0);
  });
  expect(describe()).toEqual(before);
});
