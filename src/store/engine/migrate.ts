import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { lockUntilCommit } from '../commit-lock.ts';
import { initial } from '../migrations/001-initial.ts';
import type { Db, Engine, Store } from '../store.ts';
import { openConnection } from './sqlite.ts';
import { StoreError } from './store-error.ts';

/**
 * Brings the store up to the newest migration, in one transaction. Replicas may do so at the same time.
 * @param list the migrations of an engine. @returns the names of those that ran now.
 * @throws StoreError `store-newer` when a later version of the bridge has been here, `store-older` when an earlier build
 * made other tables; nothing is changed then.
 */
export async function migrate(
  store: Store,
  list: (engine: Engine) => Record<string, Migration> = listMigrations,
): Promise<string[]> {
  const migrations = list(store.engine);
  return store.write(async (tx) => {
    if (store.engine === 'postgres') await lockForMigration(tx);
    const applied = await assertUsable(tx, store.engine, list);
    // The store has no newer migration, so an equal number means the same ones. The migrator would read the columns of
    // every table to find that.
    if (applied.length === Object.keys(migrations).length) return [];
    // PostgreSQL refuses the migrator's next statement too, whose error then hides the one that matters.
    let failure: StoreError | undefined;
    const watched = Object.entries(migrations).map(([name, { up }]): [string, Migration] => {
      const note = (error: unknown): never => {
        failure = toMigrationError(name, error);
        throw error;
      };
      return [name, { up: (db) => up(db).catch(note) }];
    });
    const provider = { getMigrations: async () => Object.fromEntries(watched) };
    const { error, results = [] } = await new Migrator({ db: tx, provider }).migrateToLatest();
    if (error !== undefined) throw failure ?? error;
    return results.map(({ migrationName }) => migrationName);
  });
}

/** Held until the commit; the lock of kysely's migrator ends before it. A migration takes as long as it takes. */
async function lockForMigration(tx: Db): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
  await lockUntilCommit(tx, 'migration');
}

/** Error of a failed migration, with the words of the database: they hold names of columns and no value of a row. */
function toMigrationError(name: string, error: unknown): StoreError {
  const code = error instanceof StoreError ? error.code : 'store-failed';
  const said = error instanceof StoreError ? (error.cause ?? error) : error;
  const words = said instanceof Error ? said.message : String(said);
  const message = `migration ${name} failed and the store is as it was before: ${words}`;
  return new StoreError(code, message, { cause: error });
}

/**
 * Asserts that this version may use a store. @returns the names of the migrations that it has had; none of an empty one
 * @throws StoreError `store-newer`; `store-moved`; `store-older`
 */
export async function assertUsable(
  db: Db,
  engine: Engine,
  list: (engine: Engine) => Record<string, Migration> = listMigrations,
): Promise<string[]> {
  const applied = await listApplied(db, engine);
  assertNotNewer(applied, list(engine));
  if (applied.length === 0) return applied;
  const made = Object.entries(list('sqlite')).filter(([name]) => applied.includes(name));
  const migrations = made.map(([, migration]) => migration);
  await assertSameTables(db, engine, migrations);
  return applied;
}

async function listApplied(tx: Db, engine: Store['engine']): Promise<string[]> {
  const table =
    engine === 'postgres'
      ? sql`select 1 where to_regclass('kysely_migration') is not null`
      : sql`select 1 from sqlite_schema where name = 'kysely_migration'`;
  if ((await table.execute(tx)).rows.length === 0) return [];
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(tx);
  return applied.rows.map(({ name }) => name);
}

function assertNotNewer(applied: readonly string[], migrations: Record<string, Migration>): void {
  if (applied.includes(MOVED)) {
    throw new StoreError(
      'store-moved',
      'the store was moved to PostgreSQL: set DATABASE_URL to its address, or take the move back with scim-bridge migrate-store --undo',
    );
  }
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new StoreError(
    'store-newer',
    `the store was changed by a newer version (${unknown.join(', ')}): run that version, or restore a backup`,
  );
}

/**
 * Name among the migrations of a store that was moved away: every version of the bridge refuses to start on it, as it
 * refuses a later one.
 */
export const MOVED = '999-moved-to-postgres';

const MIGRATIONS: Readonly<Record<Engine, Record<string, Migration>>> = {
  sqlite: { '001-initial': initial('sqlite') },
  postgres: { '001-initial': initial('postgres') },
};

/** Migrations in order, by name. A released one is never edited. */
export function listMigrations(engine: Engine): Record<string, Migration> {
  return MIGRATIONS[engine];
}

/**
 * Asserts that a store has the tables that these migrations make: a build from before a release may have made others
 * under the same names. @param migrations for SQLite, which makes them in memory. @throws StoreError `store-older`
 */
async function assertSameTables(
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
  const { db, close } = openConnection();
  try {
    for (const { up } of migrations) await up(db);
    const wanted = await listColumns(db, 'sqlite');
    if (last !== undefined) wantedAfter.set(last, wanted);
    return wanted;
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
