import sql, { empty } from 'sql-template-tag';
import { execute, forUpdate, readOne, SERVER_NOW, select } from './engine/dialect.ts';
import type { Db, Store } from './store.ts';
import type { Row } from './tables.ts';
import { findOne, updateWhere } from './tables.ts';

/** Row of the leader, as read at `now`. Times are epoch milliseconds of the server's clock. */
export type LeaderRow = Row<'leader'> & { readonly now: number };

/** Lead of a process: what it did not store under this epoch is not its to store. */
export type Lead = { readonly owner: string; readonly epoch: number };

/** Time after the last word of a leader until another process takes over, in milliseconds. */
export const LEASE_MS = 5_000;

/** The row of the leader, undefined: nobody has ever led. PostgreSQL only. @throws StoreError */
export async function findLeader({ aside }: Pick<Store, 'aside'>): Promise<LeaderRow | undefined> {
  return (await select<LeaderRow>(aside)`select *, ${SERVER_NOW} as now from leader`)[0];
}

/**
 * Takes over if no process leads; undefined: one does. Transactions of the leader before have ended by then.
 * @param callMs longest effect of a call @param overAt end of a lease that nobody renewed, whatever the server's clock says
 * @returns the lead, the owner before, and how long its last call may take
 */
export async function takeLead(tx: Db, owner: string, callMs: number, overAt?: number) {
  await execute(tx)`insert into leader (id, owner, epoch, since, expires_at, quiet_at)
    values (1, '', 0, 0, 0, 0) on conflict (id) do nothing`;
  const before = await readOne<LeaderRow>(tx)`
    select *, ${SERVER_NOW} as now from leader ${forUpdate(tx)}`;
  const { now, expires_at: endsAt } = before;
  if (endsAt > now && endsAt !== overAt) return undefined;
  const lead = { owner, epoch: before.epoch + 1, since: now };
  const quietInMs = Math.max(0, before.quiet_at - Math.max(now, endsAt));
  const quiet_at = now + Math.max(quietInMs, LEASE_MS + callMs);
  await updateWhere(tx, 'leader', {}, { ...lead, expires_at: now + LEASE_MS, quiet_at });
  return { ...lead, quietInMs, before: before.owner };
}

/** Keeps the lead and tells the others; undefined: another process leads. One statement, which nothing holds up. */
export async function renewLead(
  { aside }: Pick<Store, 'aside'>,
  { owner, epoch, news }: Lead & { readonly news: string | null },
  callMs: number,
): Promise<LeaderRow | undefined> {
  const rows = await select<LeaderRow>(aside)`
    update leader set expires_at = ${SERVER_NOW} + ${LEASE_MS}, quiet_at = ${SERVER_NOW} + ${LEASE_MS + callMs},
      news = coalesce(${news}::text, news)
    where owner = ${owner} and epoch = ${epoch} returning *, ${SERVER_NOW} as now`;
  return rows[0];
}

/** Gives the lead up; `isQuiet`: no call of this leader, or of the one before, is under way any more. */
export async function yieldLead(tx: Db, { owner, epoch }: Lead, isQuiet: boolean): Promise<void> {
  const quiet = isQuiet ? sql`, quiet_at = ${SERVER_NOW}` : empty;
  await execute(tx)`update leader set expires_at = ${SERVER_NOW} ${quiet}
    where owner = ${owner} and epoch = ${epoch}`;
}

/** True if this is still the lead, until the commit. The lock is the weakest that a takeover waits for. */
export const holdLead = async (tx: Db, { owner, epoch }: Lead) =>
  (await findOne(tx, 'leader', { owner, epoch }, { lock: 'key share' })) !== undefined;
