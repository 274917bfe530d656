import { spawn } from 'node:child_process';
import { linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../../test/support/lifetimes.ts';
import type { Store } from '../store.ts';
import { openStore } from './database.ts';
import { execute, select } from './dialect.ts';
import { takeFile } from './sqlite.ts';

async function open(path: string): Promise<Store> {
  const store = await openStore({ url: `sqlite:${path}` });
  onTestFinished(() => store.close());
  return store;
}

test('a commit survives a loss of power, and foreign keys are enforced', async () => {
  const { write } = await open(join(makeFolder(), 'bridge.db'));

  const rows = await write(
    (tx) => select(tx)`
    select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`,
  );

  // 2: FULL.
  expect(rows).toEqual([{ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 }]);
});

test('the file and its folder are made, for their owner only', async () => {
  const folder = join(makeFolder(), 'data');
  const store = await open(join(folder, 'bridge.db'));
  await store.write((tx) => execute(tx)`create table t (id integer)`);

  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const suffix of ['', '-wal', '-shm'])
    expect(statSync(join(folder, `bridge.db${suffix}`)).mode & 0o777).toBe(0o600);
});

test('close() leaves one file that can be copied', async () => {
  const path = join(makeFolder(), 'bridge.db');
  const store = await openStore({ url: `sqlite:${path}` });
  await store.write((tx) => execute(tx)`create table t (id integer)`);

  await store.close();

  expect(() => statSync(`${path}-wal`)).toThrow('ENOENT');
});

test('a read outside a transaction cannot write', async () => {
  const store = await open(join(makeFolder(), 'bridge.db'));

  const written = execute(store.read)`create table t (id integer)`;

  await expect(written).rejects.toMatchObject({ code: 'store-unavailable' });
});

test.each([
  ['a file that is no database', 'hello, this is not SQLite'.repeat(50), '', '.+store-corrupt'],
  ['a damaged header', `SQLite format 3\0${'\xff'.repeat(4_096)}`, '', '.+store-corrupt'],
  ['a path that cannot be created', '', '/below/bridge.db', 'ENOTDIR'],
])('%s is refused in words, and left as it is', async (_, content, below, why) => {
  const path = join(makeFolder(), 'bridge.db');
  writeFileSync(path, content, 'latin1');

  const opened = openStore({ url: `sqlite:${path}${below}` });

  const message = expect.stringMatching(`^the store ${path}${below} cannot be opened: ${why}`);
  await expect(opened).rejects.toMatchObject({ name: 'StoreError', message });
  expect(statSync(path).size).toBe(content.length);
});

test.each(['', 'bridge.db', 'sqlite:', 'sqlite::memory:', 'mysql://x'])(
  'the address %j is refused',
  async (url) => {
    await expect(openStore({ url })).rejects.toMatchObject({ code: 'store-url' });
  },
);

test('reads do not wait for a writer, not even for one of another process', async () => {
  const path = join(makeFolder(), 'bridge.db');
  const store = await open(path);
  await store.write((tx) => execute(tx)`create table t (id integer)`);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());

  other.exec('begin immediate; insert into t values (1)');
  const during = await select(store.read)`select 1 from t`;
  other.exec('commit');
  const after = await select(store.read)`select 1 from t`;

  expect([during.length, after.length]).toEqual([0, 1]);
});

test.each([
  ['a symbolic link', symlinkSync],
  ['a hard link', linkSync],
])('nobody opens it a second time by %s', async (_, link) => {
  const path = join(makeFolder(), 'bridge.db');
  await open(path);
  const other = join(makeFolder(), 'link', 'bridge.db');
  mkdirSync(dirname(other));
  link(path, other);

  expect(() => takeFile(other, 0)).toThrow(expect.objectContaining({ code: 'store-in-use' }));
});

/** Writes rows with eight writers, says each number once its write has resolved, and kills itself as it does so. */
const WRITE = `
  import { writeSync } from 'node:fs';
    import sql from 'sql-template-tag';
  import { openStore } from './database.ts';
  const store = await openStore({ url: 'sqlite:' + process.argv[1] });
  await store.write((tx) => tx.run(sql\`create table crash_rows (n integer primary key)\`));
  let last = 0;
  const keepWriting = async () => {
    for (;;) {
      const n = (last += 1);
      await store.write((tx) => tx.run(sql\`insert into crash_rows values (\${n})\`));
      writeSync(1, n + '\\n'); // Not console.log, which may keep a line in memory.
      // Not the last of those that share a commit.
      if (n === 195) process.kill(process.pid, 'SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 8 }, keepWriting));`;

test('what a write has resolved survives kill -9', async () => {
  const path = join(makeFolder(), 'bridge.db');
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITE, path], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  const acknowledged = output.split('\n').slice(0, -1).map(Number);

  const store = await open(path);
  const rows = await select<{ n: number }>(store.read)`select n from crash_rows`;
  const kept = new Set(rows.map(({ n }) => n));
  expect(acknowledged).toContain(195);
  expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
});
