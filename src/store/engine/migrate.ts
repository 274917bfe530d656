import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { lockUntilCommit } from '../commit-lock.ts';
import { initial } from '../migrations/001-initial.ts';
import type { Db, Engine, Store } from '../store.ts';
import { StoreError } from './store-error.ts';
import { assertSameTables } from './tables.ts';

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
    let failure: StoreError | undefined;
    const provider = {
      getMigrations: async () =>
        watchFailure(migrations, (name, error) => {
          failure = toMigrationError(name, error);
        }),
    };
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

/** PostgreSQL refuses the migrator's next statement too, whose error then hides the one that matters. */
function watchFailure(
  migrations: Record<string, Migration>,
  tell: (name: string, error: unknown) => void,
): Record<string, Migration> {
  const watched = Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        try {
          await up(db);
        } catch (error) {
          tell(name, error);
          throw error;
        }
      },
    },
  ]);
  return Object.fromEntries(watched);
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
  await assertSameTables(
    db,
    engine,
    made.map(([, migration]) => migration),
  );
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
