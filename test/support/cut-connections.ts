import pg from 'pg';

/** What a restart of the server does to everybody who is connected. */
export async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'scissors' });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'scim-bridge'`,
  );
  await client.end();
}
