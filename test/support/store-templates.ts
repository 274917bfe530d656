import { copyFileSync } from 'node:fs';
import pg from 'pg';
import { openStore } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';

const postgresTemplate = 'scim_bridge_template';

/** Makes the migrated, empty stores that `copy…` below copies, which is faster than migrating each time. */
export async function createStoreTemplates(
  sqlitePath: string,
  postgresUrl: string | undefined,
): Promise<void> {
  const urls = [`sqlite:${sqlitePath}`];
  if (postgresUrl !== undefined) {
    urls.push(await createDatabase(postgresUrl, { name: postgresTemplate, template: 'template0' }));
  }
  for (const url of urls) {
    const store = await openStore({ url });
    try {
      await migrate(store);
    } finally {
      await store.close();
    }
  }
}

/** @returns the URL of a fresh, migrated store at `path`. */
export function copySqliteTemplate(template: string, path: string): string {
  copyFileSync(template, path);
  return `sqlite:${path}`;
}

/** @returns the URL of a fresh, migrated database. */
export function copyPostgresTemplate(postgresUrl: string, name: string): Promise<string> {
  return createDatabase(postgresUrl, { name, template: postgresTemplate });
}

/** @returns the URL of a database without any table. */
export function createEmptyDatabase(postgresUrl: string, name: string): Promise<string> {
  return createDatabase(postgresUrl, { name, template: 'template0' });
}

async function createDatabase(
  postgresUrl: string,
  { name, template }: { name: string; template: string },
): Promise<string> {
  await runStatement(postgresUrl, `create database ${name} template ${template}`);
  return databaseUrl(postgresUrl, name);
}

/** The URL of a database beside the one of `postgresUrl`. */
export function databaseUrl(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Removes every row and starts every sequence again, as if the database had been copied just now. False: a process
 * of the test still works with it, and the two stood in each other's way.
 */
export async function emptyDatabase(postgresUrl: string, name: string): Promise<boolean> {
  try {
    await keepConnected(databaseUrl(postgresUrl, name)).query(emptyEverything);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === DEADLOCK) return false;
    throw error;
  }
}

/** A new connection has to learn all tables first, which takes six times as long as to empty them. */
const kept = new Map<string, pg.Pool>();

function keepConnected(url: string): pg.Pool {
  const known = kept.get(url);
  if (known !== undefined) return known;
  const options = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new pg.Pool({ connectionString: url, ...options });
  // Databases are dropped, and the server goes, while somebody is connected.
  pool.on('error', () => undefined);
  kept.set(url, pool);
  return pool;
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DEADLOCK = '40P01';

/** Deleting from small tables is many times faster than truncating them. Foreign keys rest meanwhile. */
const emptyEverything = `do $$ declare t record; s record; begin
  set local session_replication_role = replica;
  for t in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
    execute format('delete from %I', t.tablename);
  end loop;
  for s in select sequencename from pg_sequences where schemaname = 'public' loop
    execute format('alter sequence %I restart', s.sequencename);
  end loop;
  insert into call_budget (id, version, state) values (1, 0, null);
end $$`;

/** Removes a database, also while somebody is connected. */
export async function dropDatabase(postgresUrl: string, name: string): Promise<void> {
  await runStatement(postgresUrl, `drop database if exists ${name} with (force)`);
}

/** Runs one statement over a connection of its own. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
