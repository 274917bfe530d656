import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Tried several times in vain, and not stuck. */
export const IS_FAILING = sql`stuck_at is null and attempts >= 3`;
/** Something waits since it became due, which a failure puts off: then since the first one. */
export const WAITS_SINCE = sql`coalesce(failing_since, due_at)`;

/** What waits, for status and health. */
export interface Backlog {
  readonly due: number;
  /** How many of these would change the service. */
  readonly changes: number;
  readonly stuck: number;
  /** How many were tried several times in vain, without those that are stuck. */
  readonly failing: number;
  /** Epoch milliseconds since when the oldest of those waits; undefined when there is none. */
  readonly failingSince: number | undefined;
  /** Epoch milliseconds since when the oldest waits that is not stuck; undefined when nothing does. */
  readonly oldestSince: number | undefined;
}

interface BacklogRow {
  readonly due: number;
  readonly changes: number;
  readonly stuck: number;
  readonly failing: number;
  readonly failing_since: number | null;
  readonly oldest: number | null;
}

/** Counts what is due, what fails and what is stuck. All of it stands in the index of what is due. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const rows: BacklogRow[] = [];
  for (const table of ['users', 'groups'] as const) {
    const read = await sql<BacklogRow>`
      select count(*) as due, count(case when due_class < 2 then 1 end) as changes,
        count(stuck_at) as stuck,
        count(case when ${IS_FAILING} then 1 end) as failing,
        min(case when ${IS_FAILING} then ${WAITS_SINCE} end) as failing_since,
        min(case when stuck_at is null then ${WAITS_SINCE} end) as oldest
      from ${sql.table(table)} where due_at is not null`.execute(db);
    rows.push(...read.rows);
  }
  return {
    due: sum(rows.map(({ due }) => due)),
    changes: sum(rows.map(({ changes }) => changes)),
    stuck: sum(rows.map(({ stuck }) => stuck)),
    failing: sum(rows.map(({ failing }) => failing)),
    failingSince: findOldest(rows.map(({ failing_since }) => failing_since)),
    oldestSince: findOldest(rows.map(({ oldest }) => oldest)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function findOldest(times: readonly (number | null)[]): number | undefined {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? undefined : Math.min(...known);
}
