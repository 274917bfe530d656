import { sql } from 'kysely';
import type { Store } from './store.ts';

/** What processes share of the rate of their calls, at one moment of the server's clock. */
export interface StoredBudget {
  /** Raised by each change. */
  readonly version: number;
  /** null: nobody has written yet. undefined: what was written is lost, as after a crash of the server. */
  readonly text: string | null | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * What is stored of the budget. PostgreSQL only.
 * @throws StoreError
 */
export async function readCallBudget({ aside }: Pick<Store, 'aside'>): Promise<StoredBudget> {
  const { rows } = await sql<{ version: number | null; text: string | null; now: number }>`
    select version, state as text, (extract(epoch from clock_timestamp()) * 1000)::bigint as now
    from (select 1) as one left join call_budget on true`.execute(aside);
  const { version = null, text = null, now: nowMs = 0 } = rows[0] ?? {};
  return version === null ? { version: LOST, text: undefined, nowMs } : { version, text, nowMs };
}

/** The version of a row that is not there. */
const LOST = -1;

/**
 * Stores another text where nobody has since that version was read; else false. One statement and no transaction:
 * a process that is stopped in the middle of one would stop all the others. PostgreSQL only.
 * @throws StoreError after which it may be stored or not
 */
export async function replaceCallBudget(
  { aside: db }: Pick<Store, 'aside'>,
  { version, text }: { version: number; text: string },
): Promise<boolean> {
  const { numAffectedRows } =
    version === LOST
      ? await sql`insert into call_budget (id, version, state)
          values (1, extract(epoch from clock_timestamp()) * 1000, ${text})
          on conflict (id) do nothing`.execute(db) // Not a version that there was before it was lost.
      : await sql`update call_budget set version = version + 1, state = ${text}
          where id = 1 and version = ${version}`.execute(db);
  return numAffectedRows === 1n;
}
