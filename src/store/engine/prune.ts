import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';

/** Rows that are forgotten at once, the oldest first. */
interface OldRows {
  /** Epoch milliseconds: what is from before goes. */
  readonly before: number;
  /** What is from then on stays, however many rows there are (epoch milliseconds); by default nothing does. */
  readonly keptFrom?: number | undefined;
  /** Most rows of one statement. */
  readonly limit: number;
}

/** Forgets rows of one table, and returns how many. */
export type Prune = (tx: Db, old: OldRows) => Promise<number>;

/** A table whose rows are forgotten in time. */
interface PrunedTable<Name extends keyof Schema> {
  readonly table: Name;
  /** Column that names a row. */
  readonly key: keyof Schema[Name] & string;
  /** Column of the time that a row is from, in epoch milliseconds. */
  readonly at: keyof Schema[Name] & string;
  /** Column by which the oldest come first: one with an index. */
  readonly oldest: keyof Schema[Name] & string;
  /** All but the newest so many go as well; undefined: however many there are. */
  readonly rowsMax?: number;
  /** Condition on a row that may go at all. */
  readonly isOver?: RawBuilder<SqlBool>;
}

/** Creates the function that forgets the oldest rows of a table. */
export function createPrune<Name extends keyof Schema>({
  table,
  rowsMax,
  isOver = sql`true`,
  ...columns
}: PrunedTable<Name>): Prune {
  const rows = sql.table(table);
  const [key, at, oldest] = [columns.key, columns.at, columns.oldest].map((name) => sql.ref(name));
  return async (tx, { before, keptFrom = Number.MAX_SAFE_INTEGER, limit }) => {
    const beyond = sql`select ${oldest} from ${rows} order by ${oldest} desc limit 1 offset ${rowsMax}`;
    const isMany = rowsMax === undefined ? sql`false` : sql`${oldest} <= (${beyond})`;
    const some = sql`select ${key} from ${rows}
      where (${at} < ${before} or ${isMany}) and ${at} < ${keptFrom} and ${isOver} order by ${oldest} limit ${limit}`;
    const { numAffectedRows } = await sql`delete from ${rows} where ${key} in (${some})`.execute(
      tx,
    );
    return Number(numAffectedRows ?? 0);
  };
}
