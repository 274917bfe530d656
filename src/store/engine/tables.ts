import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db, Engine } from '../store.ts';
import { openConnection } from './sqlite.ts';
import { StoreError } from './store-error.ts';

/**
 * Asserts that a store has the tables that these migrations make: a build from before a release may have made others
 * under the same names. @param migrations for SQLite, which makes them in memory. @throws StoreError `store-older`
 */
export async function assertSameTables(
  tx: Db,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<void> {
  const [wanted, found] = [await listWanted(migrations), await listColumns(tx, engine)];
  const tables = new Set([...wanted].map(toTable));
  const missing = [...wanted].find((column) => !found.has(column));
  const unknown = [...found].find((column) => tables.has(toTable(column)) && !wanted.has(column));
  if (missing === undefined && unknown === undefined) return;
  const difference = missing === undefined ? `${unknown} is not known` : `${missing} is missing`;
  throw new StoreError(
    'store-older',
    `the store was made by an earlier build with other tables (${difference}): run that build, or set DATABASE_URL to an empty store, which the service and the providers fill again`,
  );
}

/** Columns after a migration and those before it, which cost more to make than most of a start. */
const wantedAfter = new WeakMap<Migration, ReadonlySet<string>>();

async function listWanted(migrations: readonly Migration[]): Promise<ReadonlySet<string>> {
  const last = migrations.at(-1);
  const known = last && wantedAfter.get(last);
  if (known !== undefined) return known;
  const wanted = await makeWanted(migrations);
  if (last !== undefined) wantedAfter.set(last, wanted);
  return wanted;
}

async function makeWanted(migrations: readonly Migration[]): Promise<Set<string>> {
  const { db, close } = openConnection();
  try {
    for (const { up } of migrations) await up(db);
    return await listColumns(db, 'sqlite');
  } finally {
    close();
  }
}

/** Columns of all tables, as `table.column`. */
async function listColumns(db: Db, engine: Engine): Promise<Set<string>> {
  const columns =
    engine === 'postgres'
      ? sql<{ name: string }>`
          select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
            where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
              and a.attnum > 0 and not a.attisdropped`
      : sql<{ name: string }>`
          select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c
            where t.type = 'table' and t.name not like 'sqlite_%'`;
  const { rows } = await columns.execute(db);
  return new Set(rows.map(({ name }) => name));
}

function toTable(column: string): string {
  return column.slice(0, column.indexOf('.'));
}
