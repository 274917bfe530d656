import { raw } from 'sql-template-tag';
import { TABLES } from '../schema.ts';
import type { Db, Engine, Store } from '../store.ts';
import { execute, lockUntilCommit, select, UNLIMITED } from './dialect.ts';
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
          await tx.run(raw(statement));
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
      await execute(tx)`set local lock_timeout = 0`;
      await tx.run(raw(UNLIMITED));
      await lockUntilCommit(tx, 'migration');
    }
    await execute(tx)`create table if not exists migrations (name text primary key)`;
    const rows = await select<{ name: string }>(tx)`select name from migrations`;
    const applied = rows.map(({ name }) => name);
    const misfit = findMisfit(applied, migrations);
    if (misfit !== undefined) throw new StoreError(misfit.code, `the store ${misfit.words}`);
    const missing = migrations.filter(({ name }) => !applied.includes(name));
    for (const { name, up } of missing) {
      await up(tx, store.engine).catch((error: unknown) => {
        throw toMigrationError(name, error);
      });
      await execute(tx)`insert into migrations (name) values (${name})`;
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

/** Why this version may not use a store with these migrations, and what helps; undefined: it may. */
export function findMisfit(applied: readonly string[], migrations = MIGRATIONS) {
  if (applied.includes(MOVED)) {
    const words =
      'was moved to PostgreSQL: set DATABASE_URL to its address, or take the move back with scim-bridge migrate-store --undo';
    return { code: 'store-moved', words } as const;
  }
  const unknown = applied.filter((name) => !migrations.some((one) => one.name === name));
  if (unknown.length === 0) return undefined;
  const words = `was changed by a newer version (${unknown.join(', ')}): run that version, or restore a backup`;
  return { code: 'store-newer', words } as const;
}
