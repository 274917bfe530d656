import type { Selectable } from 'kysely';
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

/** Adds a sweep for the process that claims it first; false when one runs already. `now` is epoch milliseconds. */
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
    owner: null,
    lease_until: 0,
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

/** What a process holds a sweep by. Times are epoch milliseconds. */
export interface SweepClaim {
  readonly id: string;
  readonly owner: string;
}

/** Takes or keeps a running sweep, unless another process holds it. */
export async function claimSweep(
  tx: Db,
  { id, owner }: SweepClaim,
  { now, until, calls }: { now: number; until: number; calls?: number },
): Promise<boolean> {
  const change = { owner, lease_until: until, ...(calls === undefined ? {} : { calls }) };
  const result = await tx
    .updateTable('sweeps')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where((where) => where.or([where('owner', '=', owner), where('lease_until', '<=', now)]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Lets go of a sweep of a process that is known to be gone: any other, where one process has the store. */
export async function freeSweep(tx: Db, id: string): Promise<void> {
  const free = tx.updateTable('sweeps').set({ lease_until: 0, owner: null });
  await free.where('id', '=', id).where('status', '=', 'running').execute();
}

/** Lets go of the sweep that this process holds, which is gone. */
export async function freeSweepOf(tx: Db, owner: string): Promise<void> {
  const free = tx.updateTable('sweeps').set({ lease_until: 0, owner: null });
  await free.where('owner', '=', owner).where('status', '=', 'running').execute();
}

/** Whether the process still holds the sweep; whatever is stored in this transaction is stored under that. */
export async function isSweepHeld(tx: Db, { id, owner }: SweepClaim): Promise<boolean> {
  const held = tx.selectFrom('sweeps').select('id').where('id', '=', id).where('owner', '=', owner);
  const row = await held.where('status', '=', 'running').forUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Gives a running sweep back, for the next process to go on with. */
export async function releaseSweep(
  tx: Db,
  { id, owner }: SweepClaim,
  calls: number,
): Promise<void> {
  const release = tx.updateTable('sweeps').set({ lease_until: 0, owner: null, calls });
  await release.where('id', '=', id).where('owner', '=', owner).execute();
}

/** How a sweep ended. */
export type SweepEnd = Pick<SweepRow, 'calls' | 'counts' | 'reasons' | 'plan_id'> & {
  readonly status: 'complete' | 'incomplete' | 'held';
  readonly ended_at: number;
};

/** Ends a sweep that the process still holds. */
export async function endSweep(tx: Db, { id, owner }: SweepClaim, end: SweepEnd): Promise<void> {
  const change = tx.updateTable('sweeps').set({ ...end, owner: null, lease_until: 0 });
  await change.where('id', '=', id).where('owner', '=', owner).execute();
}

/** Forgets at most `limit` sweeps that ended before `before` (epoch milliseconds); returns how many. */
export async function pruneSweeps(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const oldest = tx.selectFrom('sweeps').select('seq').where('ended_at', '<', before);
  const some = oldest.orderBy('seq').limit(limit);
  const result = await tx.deleteFrom('sweeps').where('seq', 'in', some).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * When the newest sweep began that had compared everything before this moment, the admin lists too where they
 * matter; 0: there was none. Times are epoch milliseconds.
 */
export async function findComparedSince(
  db: Db,
  { before, admins }: { before: number; admins: boolean },
): Promise<number> {
  const ended = db
    .selectFrom('sweeps')
    .select('started_at')
    .where('status', 'not in', ['running', 'incomplete'])
    // The sweep that found something ends at the same moment or later.
    .where('ended_at', '<', before)
    .where('reads_admins', '>=', admins ? 1 : 0);
  const row = await ended.orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return row?.started_at ?? 0;
}
