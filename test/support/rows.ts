import { sql } from 'kysely';
import type { GroupId, UserId } from '../../src/domain/ids.ts';
import { findGroupRow, type GroupRow } from '../../src/store/groups/groups.ts';
import type { Db, Store } from '../../src/store/store.ts';
import { findUserRow, type UserRow } from '../../src/store/users/users.ts';

/** The row as it is now. @throws Error when it is gone */
export async function getUser({ read }: Store, { id }: { id: UserId }): Promise<UserRow> {
  const row = await findUserRow(read, id);
  if (row === undefined) throw new Error('the user is gone');
  return row;
}

/** The row as it is now. @throws Error when it is gone */
export async function getGroup({ read }: Store, { id }: { id: GroupId }): Promise<GroupRow> {
  const row = await findGroupRow(read, id);
  if (row === undefined) throw new Error('the group is gone');
  return row;
}

/** Inserts a row for each number. A column is a value or made of `n`; undefined: the database gives it. */
export async function insertMany(
  tx: Db,
  table: string,
  row: object,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const columns = Object.entries(row).filter(([, value]) => value !== undefined);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([, value]) => value));
  await sql`
    insert into ${sql.table(table)} (${names})
    with recursive numbers(n) as (
      select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
    select ${values} from numbers`.execute(tx);
}
