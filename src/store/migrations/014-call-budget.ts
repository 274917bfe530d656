import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../store.ts';

/**
 * What processes on one PostgreSQL know of the rate of their calls: a single row. Unlogged, because it changes with
 * every call; a crash of the server empties it, and then there is no row.
 */
export function callBudget(engine: Engine): Migration {
  return {
    async up(db: Kysely<unknown>) {
      if (engine !== 'postgres') return;
      await sql`create unlogged table call_budget (
        id integer primary key check (id = 1),
        version bigint not null,
        state text
      ) with (fillfactor = 20)`.execute(db);
      await sql`insert into call_budget (id, version, state) values (1, 0, null)`.execute(db);
    },
  };
}
