import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { lockUntilCommit } from './commit-lock.ts';
import type { Db, Store } from './database.ts';
import { migrations as knownMigrations } from './migrations/list.ts';
import { StoreError } from './store-error.ts';

/**
 * Brings the store up to the newest migration, in one transaction. Replicas may do so at the same time.
 * @returns the names of the migrations that ran now.
 * @throws StoreError `store-newer` when a later version of the bridge has been here; nothing is changed then.
 */
export async function migrate(
  store: Store,
  migrations: Record<string, Migration> = knownMigrations(store.engine),
): Promise<string[]> {
  return store.write(async (tx) => {
    if (store.engine === 'postgres') await lockForMigration(tx);
    await assertNotNewer(tx, migrations);
    const provider = { getMigrations: async () => migrations };
    const { error, results = [] } = await new Migrator({ db: tx, provider }).migrateToLatest();
    if (error !== undefined) throw error;
    return results.map(({ migrationName }) => migrationName);
  });
}

/** Held until the commit; the lock of kysely's migrator ends before it. A migration takes as long as it takes. */
async function lockForMigration(tx: Db): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
  await lockUntilCommit(tx, 'migration');
}

async function assertNotNewer(tx: Db, migrations: Record<string, Migration>): Promise<void> {
  const tables = await tx.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return;
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(tx);
  const unknown = applied.rows.filter(({ name }) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  const names = unknown.map(({ name }) => name).join(', ');
  throw new StoreError(
    'store-newer',
    `the store was changed by a newer version (${names}): run that version, or restore a backup`,
  );
}
