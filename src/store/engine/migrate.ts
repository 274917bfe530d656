import { sql } from 'kysely';
import { TABLES } from '../schema.ts';
import type { Db, Engine, Store } from '../store.ts';
import { isPostgres, lockUntilCommit, select, UNLIMITED } from './dialect.ts';
import { StoreError } from './store-error.ts';

/** A step from one version of the tables to the next. */
export interface Migration {
  readonly name: string;
  readonly up: (tx: Db, engine: Engine) => Promise<void>;
}

/** All migrations, in order. A released one is never edited: the first release freezes the statements of the first one. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '001-initial',
    async up(tx, engine) {
      for (const [name, table] of Object.entries(TABLES)) {
        for (const statement of table.listStatements(name, engine)) {
          await sql.raw(statement).execute(tx);
        }
      }
    },
  },
];

/** Migration of a store that was moved away: no version of the bridge starts on it. */
export const MOVED = '999-moved-to-postgres';

/** Brings the store up to the newest migration, in one transaction. @returns those that ran now @throws StoreError */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  return store.write(async (tx) => {
    if (store.engine === 'postgres') {
      // A migration takes as long as it takes, and so do those who wait for it.
      await sql`set local lock_timeout = 0`.execute(tx);
      await sql.raw(UNLIMITED).execute(tx);
      await lockUntilCommit(tx, 'migration');
    }
    const applied = await listApplied(tx);
    assertKnown(applied, migrations);
    if (applied.length === 0)
      await sql`create table migrations (name text primary key)`.execute(tx);
    const missing = migrations.filter(({ name }) => !applied.includes(name));
    for (const { name, up } of missing) {
      await up(tx, store.engine).catch((error: unknown) => {
        throw toMigrationError(name, error);
      });
      await sql`insert into migrations (name) values (${name})`.execute(tx);
    }
    return missing.map(({ name }) => name);
  });
}

/** Error of a failed migration, with the words of the database: they hold names of columns and no value of a row. */
function toMigrationError(name: string, error: unknown): StoreError {
  const code = error instanceof StoreError ? error.code : 'store-failed';
  const said = error instanceof StoreError ? (error.cause ?? error) : error;
  const words = said instanceof Error ? said.message : String(said);
  const message = `migration ${name} failed and the store is as it was before: ${words}`;
  return new StoreError(code, message, { cause: error });
}

/** Names of the migrations that a store has had; none of an empty one. */
async function listApplied(db: Db): Promise<string[]> {
  const table = isPostgres(db)
    ? sql`select 1 where to_regclass('migrations') is not null`
    : sql`select 1 from sqlite_schema where name = 'migrations'`;
  if ((await table.execute(db)).rows.length === 0) return [];
  const rows = await select<{ name: string }>(db)`select name from migrations`;
  return rows.map(({ name }) => name);
}

/** Asserts that this version may use a store with these migrations. @throws StoreError `store-newer`, `store-moved` */
function assertKnown(applied: readonly string[], migrations = MIGRATIONS): void {
  if (applied.includes(MOVED)) {
    throw new StoreError(
      'store-moved',
      'the store was moved to PostgreSQL: set DATABASE_URL to its address, or take the move back with scim-bridge migrate-store --undo',
    );
  }
  const unknown = applied.filter((name) => !migrations.some((one) => one.name === name));
  if (unknown.length === 0) return;
  throw new StoreError(
    'store-newer',
    `the store was changed by a newer version (${unknown.join(', ')}): run that version, or restore a backup`,
  );
}
