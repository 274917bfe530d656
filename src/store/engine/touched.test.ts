import { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import { describeSqlite } from '../../../test/support/stores.ts';
import type { Store } from '../store.ts';

const RESOURCES = `insert into resources
  (seq, type, id, name, name_folded, attributes, created_at, modified_at) values
  (1, 'user', '1', 'a', 'a', '{}', 1, 1), (2, 'user', '2', 'b', 'b', '{}', 1, 1),
  (3, 'group', '3', 'c', 'c', '{}', 1, 1)`;
const LINK = "insert into links (group_id, list, target, desired) values (3, 'member', 1, 1)";

const run = (store: Store, statement: string) =>
  store.write(async (tx) => void (await tx.run(raw(statement))));

describeSqlite('users who may be shown otherwise after', ({ makeStore }) => {
  // About the users 1 and 2, and the group 3 of user 1; and the users who may be shown otherwise then.
  test.each<[statement: string, users: number[]]>([
    ['update resources set version = 2 where seq = 2', [2]],
    ["update resources set attributes = '{}' where seq = 2", [2]],
    ['update resources set cells = \'{"a":1}\' where seq = 2', []],
    ['delete from resources where seq = 2', [2]],
    ["update resources set name = 'new' where seq = 3", [1]],
    ['update resources set deleted_at = 1 where seq = 3', [1, 3]],
    ['delete from resources where seq = 3', [1, 3]],
    ["insert into links (group_id, list, target, desired) values (3, 'member', 2, 1)", [2]],
    ['update links set desired = 0', [1]],
    ['update links set target = 2', [1, 2]],
    ['update links set attempts = 1', []],
    ['delete from links', [1]],
  ])('%s', async (statement, users) => {
    const store = await makeStore();
    await run(store, RESOURCES);
    await run(store, LINK);
    const heard: number[] = [];
    store.watchUsers?.((seqs) => heard.push(...seqs));

    await run(store, statement);

    expect(heard.toSorted()).toEqual(users);
  });
});
