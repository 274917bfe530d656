import { sql } from 'kysely';
import { BridgeError } from '../../domain/errors.ts';
import type { Db } from '../store.ts';
import type { SourceTable } from './source.ts';
import { createDigest, type TableDigest, type TextRow } from './table-digest.ts';

/** Rows that are read back at once. */
const FETCH_ROWS = 1_000;

/**
 * Keeps everybody else away from the tables until the commit, and takes the limits of time away: the copy is one
 * transaction, so that after a crash the target is as it was.
 */
export async function takeTables(tx: Db, tables: readonly SourceTable[]): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(tx);
}

/** Makes sure that the target has the same tables and columns. @throws BridgeError `move-failed` */
export async function assertSameTables(tx: Db, tables: readonly SourceTable[]): Promise<void> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name::text as name, array_agg(column_name::text) as columns
    from information_schema.columns where table_schema = current_schema() group by table_name`.execute(
    tx,
  );
  const found = new Map(rows.map(({ name, columns }) => [name, columns.toSorted().join()]));
  const differing = tables.filter(
    ({ name, columns }) => found.get(name) !== columns.toSorted().join(),
  );
  if (differing.length === 0) return;
  const names = differing.map(({ name }) => name).join(', ');
  throw new BridgeError('move-failed', `the tables of the two stores differ: ${names}`);
}

/** Finds the first table that has a row; undefined when the target is empty. */
export async function findFilled(
  tx: Db,
  tables: readonly SourceTable[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** Inserts rows as they are. */
export async function insertRows(
  tx: Db,
  { name, columns }: SourceTable,
  rows: readonly TextRow[],
): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join([...row])})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(tx);
}

/** Lets a table that numbers its rows go on behind the last number that was ever given out. */
export async function continueNumbers(tx: Db, tables: readonly SourceTable[]): Promise<void> {
  const numbered = await sql<{ name: string; column: string }>`
    select table_name::text as name, column_name::text as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(tx);
  const columns = new Map(numbered.rows.map(({ name, column }) => [name, column]));
  for (const { name, lastNumber } of tables) {
    const column = columns.get(name);
    if (column === undefined || lastNumber === undefined || lastNumber < 1n) continue;
    const sequence = sql`pg_get_serial_sequence(${name}, ${column})`;
    await sql`select setval(${sequence}, ${lastNumber.toString()}::bigint)`.execute(tx);
  }
}

/** Reads a table back, in pieces, and hashes it. */
export async function digestTarget(tx: Db, { name, columns }: SourceTable): Promise<TableDigest> {
  const digest = createDigest();
  const texts = sql.join(
    columns.map((column, n) => sql`${sql.ref(column)}::text as ${sql.ref(`c${n}`)}`),
  );
  await sql`declare moved no scroll cursor for select ${texts} from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const fetch = sql.raw(`fetch forward ${FETCH_ROWS} from moved`);
    const { rows } = await sql<Record<string, string | null>>`${fetch}`.execute(tx);
    for (const row of rows) digest.add(columns.map((_, n) => row[`c${n}`] ?? null));
    if (rows.length < FETCH_ROWS) break;
  }
  await sql`close moved`.execute(tx);
  return digest.result();
}
