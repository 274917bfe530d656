import pg from 'pg';
import type { ThrowAwayPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres.ts';

/** A commit outlives a server that is killed, though not a host that is: nobody here takes that away. */
const SURVIVES_A_KILL = ['fsync=off', 'autovacuum=off', 'max_connections=100'];
/** Whoever waits for a lock for a second (`deadlock_timeout`) is logged, with whoever holds it. */
const TELLS_WAITS = ['log_lock_waits=on', 'log_line_prefix=%m [%p] %a '];

/** A PostgreSQL whose log can be read. */
export interface LoggedPostgres extends ThrowAwayPostgres {
  log(): string;
}

/** Has something done on a PostgreSQL of its own. @throws Error where no PostgreSQL is installed */
export async function withPostgres<T>(work: (postgres: LoggedPostgres) => Promise<T>): Promise<T> {
  let log = '';
  const postgres = await startPostgres([...SURVIVES_A_KILL, ...TELLS_WAITS], (text) => {
    log += text;
  });
  if (postgres === undefined) throw new Error('PostgreSQL is not installed here');
  try {
    return await work({ ...postgres, log: () => log });
  } finally {
    await postgres.stop();
  }
}

/** Reads all rows of all tables, by table: what a file of SQLite keeps by itself. */
export async function readTables(url: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const tables: Record<string, unknown> = {};
    for (const { name } of rows)
      tables[name] = (await client.query(`select * from ${client.escapeIdentifier(name)}`)).rows;
    return tables;
  } finally {
    await client.end();
  }
}
