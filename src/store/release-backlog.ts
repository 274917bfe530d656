import { sql } from 'kysely';
import type { Db } from './store.ts';

/** People and groups that still wait for the service, and those of them that are stuck. */
export interface ReleaseBacklog {
  readonly waiting: number;
  readonly stuck: number;
}

/**
 * Counts who waits for a change that was asked for before `startedAt` (epoch milliseconds). Whoever was asked
 * something else of since then waits for that. All of it stands in the index of what is due.
 */
export async function countAskedBefore(db: Db, startedAt: number): Promise<ReleaseBacklog> {
  let [waiting, stuck] = [0, 0];
  for (const table of ['users', 'groups'] as const) {
    const { rows } = await sql<ReleaseBacklog>`
      select count(*) as waiting, count(stuck_at) as stuck from ${sql.table(table)}
      where due_at is not null and due_class < 2 and modified_at < ${startedAt}`.execute(db);
    waiting += Number(rows[0]?.waiting ?? 0);
    stuck += Number(rows[0]?.stuck ?? 0);
  }
  return { waiting, stuck };
}
