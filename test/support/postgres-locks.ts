import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db, Store } from '../../src/store/store.ts';

/**
 * Waits in the open transaction `tx` until so many others wait for a lock in its database. The server would end a
 * transaction that stands still, as this one does on a busy machine.
 */
export async function untilOthersWait(tx: Db, { read }: Store, count = 1): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const poll = expect.poll(() => countWaiting(read), { interval: 5 });
  await poll.toBeGreaterThanOrEqual(count);
}

async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.count ?? 0;
}
