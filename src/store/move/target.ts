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

/** Types of the columns by table and column, as SQL has them. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the types of all columns, and makes sure that both stores have the same ones. @throws BridgeError `move-failed` */
export async function readTypes(tx: Db, tables: readonly SourceTable[]): Promise<ColumnTypes> {
  const { rows } = await sql<{ name: string; column: string; type: string }>`
    select table_name::text as name, column_name::text as column, data_type::text as type
    from information_schema.columns where table_schema = current_schema()`.execute(tx);
  const types = new Map(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, columns]) => [
      name,
      new Map(columns.map(({ column, type }) => [column, type])),
    ]),
  );
  const toText = (columns: Iterable<string>) => [...columns].toSorted().join();
  const differing = tables.filter(
    ({ name, columns }) => toText(types.get(name)?.keys() ?? []) !== toText(columns),
  );
  if (differing.length === 0) return types;
  const names = differing.map(({ name }) => name).join(', ');
  throw new BridgeError('move-failed', `the tables of the two stores differ: ${names}`);
}

/** Finds a table of the target that has a row; undefined when it is empty or has no tables yet. */
export async function findFilled(db: Db): Promise<string | undefined> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name::text as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely%' order by name`.execute(
    db,
  );
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** Inserts rows as they are: one list a column, because a parameter for each value is more work for the server. */
export async function insertRows(
  tx: Db,
  { name, columns }: SourceTable,
  { rows, types }: { readonly rows: readonly TextRow[]; readonly types: ColumnTypes },
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const lists = columns.map((_, n) => sql`${rows.map((row) => row[n] ?? null)}::text[]`);
  const values = columns.map((column) => {
    const type = types.get(name)?.get(column) ?? 'text';
    return sql`${sql.ref(`moved.${column}`)}::${sql.raw(type)}`;
  });
  await sql`insert into ${sql.table(name)} (${names})
    select ${sql.join(values)} from unnest(${sql.join(lists)}) as moved (${names})`.execute(tx);
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
export async function digestTarget(
  tx: Db,
  { name, columns }: SourceTable,
  count: (rows: number) => void,
): Promise<TableDigest> {
  const digest = createDigest();
  const texts = sql.join(
    columns.map((column, n) => sql`${sql.ref(column)}::text as ${sql.ref(`c${n}`)}`),
  );
  await sql`declare moved no scroll cursor for select ${texts} from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const fetch = sql.raw(`fetch forward ${FETCH_ROWS} from moved`);
    const { rows } = await sql<Record<string, string | null>>`${fetch}`.execute(tx);
    for (const row of rows) digest.add(columns.map((_, n) => row[`c${n}`] ?? null));
    count(rows.length);
    if (rows.length < FETCH_ROWS) break;
  }
  await sql`close moved`.execute(tx);
  return digest.result();
}
