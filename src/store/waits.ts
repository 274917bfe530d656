import type { Insertable, Selectable } from 'kysely';
import type { ResourceKey } from '../domain/ids.ts';
import { readInChunks, storeNow } from './engine/dialect.ts';
import { createPrune } from './engine/prune.ts';
import type { WaitsTable } from './schema.ts';
import type { Db } from './store.ts';

/** A request that waits in a process which does not lead. */
type WaitRow = Selectable<WaitsTable>;

/** Notes that a request waits. Where it is written in the transaction of the change, nobody can refuse that one unheard. */
export async function insertWait(
  tx: Db,
  wait: Omit<Insertable<WaitsTable>, 'refusal'>,
): Promise<void> {
  await tx
    .insertInto('waits')
    .values({ ...wait, refusal: null })
    .execute();
}

/** Requests that still wait for this resource, held until the transaction ends. `now` is epoch milliseconds. */
export async function lockWaits(tx: Db, { id }: ResourceKey, now: number): Promise<WaitRow[]> {
  return tx
    .selectFrom('waits')
    .selectAll()
    .where('resource_id', '=', id)
    .where('refusal', 'is', null)
    .where('until', '>', storeNow(tx, now))
    .orderBy('version')
    .forUpdate()
    .execute();
}

/** Tells a waiting request that its write was refused and taken back. */
export async function refuseWait(tx: Db, id: string, refusal: string): Promise<void> {
  await tx.updateTable('waits').set({ refusal }).where('id', '=', id).execute();
}

/** Requests among these whose write was refused. */
export async function listRefusedWaits(db: Db, ids: readonly string[]): Promise<WaitRow[]> {
  const refused = db.selectFrom('waits').selectAll().where('refusal', 'is not', null);
  return readInChunks(ids, (some) => refused.where('id', 'in', some).execute());
}

/** Ends a wait, after which its write can be refused to nobody. The wait as it was; undefined: it has ended already. */
export async function endWait(tx: Db, id: string): Promise<Pick<WaitRow, 'refusal'> | undefined> {
  return tx.deleteFrom('waits').where('id', '=', id).returning('refusal').executeTakeFirst();
}

/** Forgets waits of processes that ended without a word; returns how many. */
export const pruneWaits = createPrune({
  ...({ table: 'waits', key: 'id', at: 'until', oldest: 'until' } as const),
});
