import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertMany } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import { listDue } from './due.ts';

const names = { name: 'Ada', name_folded: 'ada' };
const row = { ...names, attributes: '{}', created_at: 1, modified_at: 1 };

describeStores('what is due', ({ makeStore }) => {
  test('removals of access go first, of users and of groups, then the oldest', async () => {
    const { read, write } = await makeStore();
    await write(async (tx) => {
      const add = (id: string, due_class: number, due_at: number, type: 'user' | 'group') =>
        insertMany(
          tx,
          'resources',
          { ...row, type, id: sql.lit(id), due_class, due_at },
          { first: 1, last: 1 },
        );
      await add('old change', 1, 10, 'user');
      await add('older change', 1, 5, 'group');
      await add('young removal', 0, 30, 'group');
      await add('old removal', 0, 20, 'user');
      await add('later', 0, 200, 'user');
    });

    const due = await listDue(read, { now: 100, classes: [0, 1, 2], limit: 10 });

    expect(due.map(({ key }) => key.id)).toEqual([
      'old removal',
      'young removal',
      'older change',
      'old change',
    ]);
  });
});
