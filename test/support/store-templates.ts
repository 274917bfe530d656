import { copyFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openMigratedStore } from '../../src/app/first-access.ts';
import { loadSettings } from '../../src/settings/load.ts';

const postgresTemplate = 'scim_bridge_template';

/** Makes the migrated, empty stores that `copy…` below copies, which is faster than migrating each time. */
export async function createStoreTemplates(
  sqlitePath: string,
  postgresUrl: string | undefined,
): Promise<void> {
  const urls = [`sqlite:${sqlitePath}`];
  if (postgresUrl !== undefined)
    urls.push(await createDatabase(postgresUrl, { name: postgresTemplate, template: 'template0' }));
  for (const url of urls) {
    const { settings } = loadSettings({ env: { DATABASE_URL: url }, readFile: () => '' });
    await (await openMigratedStore(settings)).close();
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

/** Removes every row and starts every sequence again. False: a bridge of a failed test is still connected. */
export async function emptyDatabase(postgresUrl: string, name: string): Promise<boolean> {
  const database = keepConnected(databaseUrl(postgresUrl, name));
  try {
    // One that was ended just now is there for a moment.
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const { rows } = await database.query(listOthers);
      if (rows.length === 0) {
        await database.query(emptyEverything);
        return true;
      }
      await sleep(LOOK_MS);
    }
    return false;
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

const [LOOKS_MAX, LOOK_MS] = [50, 5];

const listOthers =
  'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

/** Deleting from small tables is many times faster than truncating them. Foreign keys rest meanwhile. */
const emptyEverything = `do $$ declare t record; s record; begin
  set local session_replication_role = replica;
  for t in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
    execute format('delete from %I', t.tablename);
  end loop;
  for s in select sequencename from pg_sequences where schemaname = 'public' loop
    execute format('alter sequence %I restart', s.sequencename);
  end loop;
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
