import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import type { TestBridge } from '../../test/support/bridge.ts';
import { listTableNames, startTestBridge } from '../../test/support/bridge.ts';
import { runAlone } from '../../test/support/command.ts';
import { makeFolder } from '../../test/support/lifetimes.ts';
import { makeLives } from '../../test/support/lives.ts';
import { listResources } from '../../test/support/provider.ts';
import { copySqliteTemplate } from '../../test/support/store-templates.ts';
import { describePostgres } from '../../test/support/stores.ts';
import { getTemplate } from '../../test/support/take-store.ts';
import type { JsonObject } from '../domain/values.ts';
import { select } from './engine/dialect.ts';
import { takeFile } from './engine/sqlite.ts';
import { backUpSqlite, replaceSqlite } from './offline.ts';
import { countWhere } from './tables.ts';

function makeFile() {
  const folder = makeFolder();
  const path = join(folder, 'bridge.db');
  copySqliteTemplate(getTemplate(), path);
  const env = { DATABASE_URL: `sqlite:${path}` };
  const run = (...args: string[]) => runAlone(['migrate-store', ...args], env);
  return { folder, path, env, run };
}

function change<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

const odd = [
  '',
  ' leading and trailing ',
  `'; drop table state; --"\\`,
  'line\nbreak\r\ttab',
  'Ž̃ãé 名前 😀 👩‍👩‍👧 \u{10ffff} \ufffe \u202e',
  'NULL',
  '9007199254740993',
  'x'.repeat(1_000_000),
];
const BIG = Number.MAX_SAFE_INTEGER;

describePostgres('migrate-store', ({ makeUrl, open }) => {
  test('a bridge goes on in PostgreSQL as it ended in SQLite: same ids, nothing to do, no call', async () => {
    const { path, env, run } = makeFile();
    const to = await makeUrl('empty');
    const lives = await makeLives({ settings: env });
    const listPeople = async ({ request, baseUrl }: TestBridge): Promise<JsonObject[]> => {
      const people = listResources(await request('GET', '/Users?sortBy=userName'));
      return JSON.parse(JSON.stringify(people).replaceAll(baseUrl, ''));
    };
    const before = await lives.live(async (bridge) => {
      const ids = await bridge.addPeople('ada', 'bob');
      const group = await bridge.settled(bridge.addGroup('Team Ž😀', ids));
      return { people: await listPeople(bridge), group, members: ids.toSorted() };
    });

    const { code, text } = await run('--to', to);

    expect(code, text).toBe(0);
    expect(text).toMatch(/\d+ rows are the same in both stores, one by one/);
    expect(statSync(path).mode & 0o777).toBe(0o400);
    lives.sandbox.calls.reset();
    await lives.live(
      async (bridge) => {
        await bridge.untilSettled();
        expect(lives.sandbox.calls.count({ mutating: true })).toBe(0);
        expect(await listPeople(bridge)).toEqual(before.people);
        expect(await bridge.readMemberIds(before.group)).toEqual(before.members);
        await bridge.addUser('carl');
        expect(await listPeople(bridge)).toHaveLength(before.people.length + 1);
      },
      { DATABASE_URL: to },
    );
  });

  test('every text and every number arrives as it is', async () => {
    const { path, run } = makeFile();
    change(path, (file) => {
      const insert = file.prepare('insert into state (name, value, updated_at) values (?, ?, ?)');
      for (const [n, text] of odd.entries()) insert.run(`odd-${n}`, text, BIG - n);
      insert.run('zero', '0', -1);
    });
    const to = await makeUrl('empty');

    const { code, text } = await run('--to', to);

    expect(code, text).toBe(0);
    const { read } = await open(to);
    const values = await select<{ name: string; value: string; at: string }>(read)`
      select name, value, updated_at::text as at from state`;
    const arrived = new Map(values.map(({ name, ...rest }) => [name, rest]));
    for (const [n, value] of odd.entries())
      expect(arrived.get(`odd-${n}`)).toEqual({ value, at: String(BIG - n) });
    expect(arrived.get('zero')).toEqual({ value: '0', at: '-1' });
  });

  test('a text that PostgreSQL cannot keep stops the move, and both stores are as they were', async () => {
    const { path, run } = makeFile();
    change(path, (file) => file.prepare('insert into state values (?, ?, 1)').run('nul', 'a\0b'));
    const to = await makeUrl('empty');
    const before = readFileSync(path);

    const { code, text } = await run('--to', to);

    expect(code).toBe(1);
    expect(text).toContain('SQLSTATE 22021');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await countWhere((await open(to)).read, 'state', {})).toBe(0);
  });

  test('a target that holds another store of the bridge is refused and left alone', async () => {
    const { path, run } = makeFile();
    const to = await makeUrl('migrated');
    const target = await open(to);
    const fill = sql`insert into state (name, value, updated_at) values ('theirs', '1', 1)`;
    await target.write((tx) => tx.run(fill));
    const before = readFileSync(path);

    const { code, text } = await run('--to', to);

    expect(code).toBe(1);
    expect(text).toContain('holds another store already');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await countWhere(target.read, 'state', {})).toBe(1);
  });

  test('a running bridge is not moved', async () => {
    const { path, run } = makeFile();
    const to = await makeUrl('empty');
    const lock = takeFile(path);
    onTestFinished(() => lock.close());

    const moved = await run('--to', to);

    expect(moved).toMatchObject({ code: 1, text: expect.stringContaining('another process') });
    expect(await listTableNames((await open(to)).read)).toEqual([]);
  });

  test('no bridge starts on the file that was moved, until the move is taken back', async () => {
    const { path, env, run } = makeFile();
    const to = await makeUrl('empty');
    await run('--to', to);

    await expect(startTestBridge({ settings: env })).rejects.toMatchObject({ code: 'store-moved' });
    const [copy, other] = [`${path}.copy`, `${path}.other`];
    expect(() => backUpSqlite(path, copy)).toThrow(/was moved to PostgreSQL/);
    const restored = replaceSqlite(
      { path: other, from: path, keptAs: copy },
      async () => undefined,
    );
    await expect(restored).rejects.toThrow(/was moved to PostgreSQL/);
    expect([copy, other].filter(existsSync)).toEqual([]);
    expect((await run('--to', to)).text).toContain('was moved to PostgreSQL');
    const undone = await run('--undo', '--yes');
    expect(undone).toMatchObject({ code: 0, text: expect.stringContaining('is the store again') });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await (await startTestBridge({ settings: env })).stop();
    expect((await run('--undo', '--yes')).text).toContain('was not moved');
  });
});

test.each([
  [
    'is damaged',
    (path: string) => writeFileSync(path, readFileSync(path).fill(7, 5_000, 40_000)),
    /damaged|corrupt/,
  ],
  ['is no store', (path: string) => writeFileSync(path, ''), /no store of the bridge/],
  [
    'is of a newer version',
    (path: string) =>
      change(path, (file) => file.exec(`insert into migrations values ('900-newer')`)),
    /newer version/,
  ],
  ['is not there', (path: string) => rmSync(path), /there is no store/],
])('a file that %s is not moved', async (_, damage, says) => {
  const { path, run } = makeFile();
  damage(path);

  const { code, text } = await run('--to', 'postgres://127.0.0.1:9/x');

  expect(code).toBe(1);
  expect(text).toMatch(says);
});
