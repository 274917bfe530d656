import { sql } from 'kysely';
import type { Db } from '../../src/store/store.ts';

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
