import { sql } from 'kysely';
import { openStore } from './database.ts';
import { listMigrations, migrate } from './migrate.ts';

// Migrates a store, says so in the middle of one migration more, and waits there until somebody kills it.
// node src/store/engine/half-migration-for-test.ts <URL of the store>
const store = await openStore({ url: process.argv[2] ?? '' });
await migrate(store, (engine) => ({
  ...listMigrations(engine),
  '999-half': {
    async up(db) {
      await sql`alter table users add column half integer`.execute(db);
      process.stdout.write('half\n');
      // PostgreSQL gives up a transaction that is silent; one that works does not end.
      for (;;) {
        await sql`select 1`.execute(db);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  },
}));
