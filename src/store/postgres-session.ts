import pg from 'pg';
import { StoreError } from './store-error.ts';

/**
 * Which server answers: since when it runs, which it is the only one on its host to say. Another one at the
 * same address, after a fail-over, says otherwise; so does the same one after a restart.
 */
export type ServerMark = string;

/**
 * What every session begins with. `synchronous_commit` is raised where the server would answer before a commit
 * is on its disk, and never lowered: what was acknowledged has to survive a crash.
 */
const BEGIN_SESSION = `
  select pg_is_in_recovery() as is_standby, pg_postmaster_start_time()::text as server,
    set_config('synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on'
        else current_setting('synchronous_commit') end, false)`;

/**
 * Begins a session and tells whose it is. A standby may be behind, and "not found" would make a provider create
 * somebody twice: it is not even read.
 * @throws StoreError `store-unavailable` for a standby; errors of pg
 */
export async function beginSession(client: pg.ClientBase): Promise<ServerMark> {
  const { rows } = await client.query<{ is_standby: boolean; server: string }>(BEGIN_SESSION);
  const [session] = rows;
  if (session === undefined || session.is_standby) {
    const message = 'PostgreSQL: the server is a standby, which takes no writes';
    throw new StoreError('store-unavailable', message);
  }
  return session.server;
}

/**
 * Which server answers now, asked through a connection of its own.
 * @param waitMs how long each of connecting and answering may take @throws errors of pg
 */
export async function askServer(connectionString: string, waitMs: number): Promise<ServerMark> {
  const client = new pg.Client({
    connectionString,
    application_name: 'scim-bridge',
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server: string }>(
      'select pg_postmaster_start_time()::text as server',
    );
    return rows[0]?.server ?? '';
  } finally {
    // Not awaited: a server that answers nobody does not say goodbye either.
    client.end().catch(() => {});
  }
}
