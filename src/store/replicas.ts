import { storeNow } from './engine/dialect.ts';
import type { Db } from './store.ts';

/** A process that shares the store, and when it last said that it lives (epoch milliseconds, by the store's clock). */
export interface Replica {
  readonly owner: string;
  readonly heard_at: number;
}

/** Says that a process lives. `hostNow` is what its clock says. */
export async function saveHeard(tx: Db, owner: string, hostNow: number): Promise<void> {
  const heard_at = storeNow(tx, hostNow);
  await tx
    .insertInto('replicas')
    .values({ owner, heard_at })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ heard_at }))
    .execute();
}

/** Every process that lives, or has ended without a word. */
export async function listReplicas(db: Db): Promise<Replica[]> {
  return db.selectFrom('replicas').selectAll().execute();
}

/** Forgets a process that has not been heard of since; false when it has, or somebody else forgot it first. */
export async function forgetReplica(tx: Db, { owner, heard_at }: Replica): Promise<boolean> {
  const silent = tx.deleteFrom('replicas').where('owner', '=', owner);
  const result = await silent.where('heard_at', '=', heard_at).executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Forgets a process that ends. */
export async function deleteReplica(tx: Db, owner: string): Promise<void> {
  await tx.deleteFrom('replicas').where('owner', '=', owner).execute();
}
