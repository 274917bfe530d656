import { type Selectable, sql } from 'kysely';
import { newId } from '../domain/ids.ts';
import type { SweepsTable } from './schema.ts';
import type { Db } from './store.ts';

/** A sweep as stored. */
export type SweepRow = Selectable<SweepsTable>;

/** The sweep that runs or waits to be run, undefined: none. */
export async function findRunningSweep(db: Db): Promise<SweepRow | undefined> {
  return db.selectFrom('sweeps').selectAll().where('status', '=', 'running').executeTakeFirst();
}

/** The sweep with this id. */
export async function findSweep(db: Db, id: string): Promise<SweepRow | undefined> {
  return db.selectFrom('sweeps').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Sweeps, the newest first. */
export async function listSweeps(
  db: Db,
  { beforeSeq, limit }: { beforeSeq: number; limit: number },
): Promise<SweepRow[]> {
  const before = db.selectFrom('sweeps').selectAll().where('seq', '<', beforeSeq);
  return before.orderBy('seq', 'desc').limit(limit).execute();
}

/** Adds a sweep for the leader to run; false when one runs already. `now` is epoch milliseconds. */
export async function insertSweep(
  tx: Db,
  { readsAdmins, isDryRun, now }: { readsAdmins: boolean; isDryRun: boolean; now: number },
): Promise<boolean> {
  const row = {
    id: newId(),
    status: 'running' as const,
    reads_admins: readsAdmins ? 1 : 0,
    started_at: now,
    ended_at: null,
    calls: 0,
    counts: '{}',
    reasons: '[]',
    dry_run: isDryRun ? 1 : 0,
    plan_id: null,
  };
  const insert = tx.insertInto('sweeps').values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

/** Has what the running sweep finds be acted on, although it was begun as a dry run. */
export async function makeSweepReal(tx: Db): Promise<void> {
  await tx.updateTable('sweeps').set({ dry_run: 0 }).where('status', '=', 'running').execute();
}

/** How a sweep ended. */
type SweepEnd = Pick<SweepRow, 'calls' | 'counts' | 'reasons' | 'plan_id'> & {
  readonly status: 'complete' | 'incomplete' | 'held';
  readonly ended_at: number;
};

/** Ends a running sweep. */
export async function endSweep(tx: Db, id: string, end: SweepEnd): Promise<void> {
  const running = tx.updateTable('sweeps').set(end).where('id', '=', id);
  await running.where('status', '=', 'running').execute();
}

/** Sweeps that are looked through. */
const COMPARED_MAX = 1_000;

/**
 * Reads, for moments until `until`, when the newest sweep began that had compared everything before the moment, the admin
 * lists too where they matter; 0: there was none. Times are epoch milliseconds.
 */
export async function listComparedSince(
  db: Db,
  until: number,
): Promise<(question: { before: number; admins: boolean }) => number> {
  const { rows: sweeps } = await sql<Pick<SweepRow, 'started_at' | 'ended_at' | 'reads_admins'>>`
    select started_at, ended_at, reads_admins from sweeps
    where status not in ('running', 'incomplete') and ended_at < ${until}
    order by seq desc limit ${COMPARED_MAX}`.execute(db);
  return ({ before, admins }) =>
    sweeps.find(
      ({ ended_at, reads_admins }) =>
        ended_at !== null && ended_at < before && (reads_admins === 1 || !admins),
    )?.started_at ?? 0;
}

/** Time at which the last sweep ended that concluded everything (epoch milliseconds); undefined: none has. */
export async function findLastSweptAt(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ended_at: number | null }>`select ended_at from sweeps
    where status in ('complete', 'held') order by seq desc limit 1`.execute(db);
  return rows[0]?.ended_at ?? undefined;
}
