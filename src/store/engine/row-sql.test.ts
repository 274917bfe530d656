import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { toAssignments, toValues } from './row-sql.ts';
import { openConnection } from './sqlite.ts';
import { StoreError } from './store-error.ts';

const { db, close } = openConnection();
afterAll(close);

test('rows are added by their columns, in any order, and changed but for what is undefined', async () => {
  await sql`create table notes (id integer, kind text default 'look', "order" integer)`.execute(db);

  const added = [
    { id: 1, kind: undefined, order: 7 },
    { order: sql`3 + 5`, id: 2 },
  ];
  await sql`insert into notes ${toValues(added)}`.execute(db);
  const change = { kind: 'list', id: undefined, order: sql`"order" + 1` };
  await sql`update notes set ${toAssignments(change)} where id = 2`.execute(db);

  const { rows } = await sql`select * from notes order by id`.execute(db);
  expect(rows).toEqual([
    { id: 1, kind: 'look', order: 7 },
    { id: 2, kind: 'list', order: 9 },
  ]);
});

test.each([
  { other: { id: 2, kind: 'list', order: 8 } },
  { other: { id: 2 } },
  { other: { id: 2, order: undefined, kind: 'list' } },
])('no column of a row is lost behind a row without it: $other', ({ other }) => {
  expect(() => toValues([{ id: 1, order: 7 }, other])).toThrow(StoreError);
});
