import type { Insertable, Selectable } from 'kysely';
import type { ResourceKey } from '../domain/ids.ts';
import { readInChunks, storeNow } from './engine/dialect.ts';
import type { ErrandsTable } from './schema.ts';
import type { Db } from './store.ts';

/** What a process asks of the leader: a call to the service, or the outcome of a write that a request waits for. */
type ErrandRow = Selectable<ErrandsTable>;

/**
 * Asks the leader for a call, or notes that a request waits. Where a wait is written in the transaction of the change,
 * nobody can refuse that one unheard.
 */
export async function insertErrand(
  tx: Db,
  errand: Omit<Insertable<ErrandsTable>, 'epoch' | 'answer'>,
): Promise<void> {
  const row = { resource_id: null, version: null, epoch: null, answer: null, ...errand };
  await tx.insertInto('errands').values(row).execute();
}

/** Takes the calls that are asked for and were not begun: each is begun once. `now` is epoch milliseconds. */
export async function takeErrands(tx: Db, epoch: number, now: number): Promise<ErrandRow[]> {
  return tx
    .updateTable('errands')
    .set({ epoch })
    .where('epoch', 'is', null)
    .where('resource_id', 'is', null)
    .where('until', '>', storeNow(tx, now))
    .returningAll()
    .execute();
}

/** Requests that still wait for this resource, held until the transaction ends. `now` is epoch milliseconds. */
export async function lockWaits(tx: Db, { id }: ResourceKey, now: number): Promise<ErrandRow[]> {
  return tx
    .selectFrom('errands')
    .selectAll()
    .where('resource_id', '=', id)
    .where('answer', 'is', null)
    .where('until', '>', storeNow(tx, now))
    .orderBy('version')
    .forUpdate()
    .execute();
}

/** Stores what an errand has come to: the result of a call, or why a write was refused and taken back. */
export async function answerErrand(tx: Db, id: string, answer: string): Promise<void> {
  await tx.updateTable('errands').set({ answer }).where('id', '=', id).execute();
}

/** Lists those of these errands that have an answer. */
export async function listAnswered(
  db: Db,
  ids: readonly string[],
): Promise<Pick<ErrandRow, 'id' | 'answer'>[]> {
  const answered = db
    .selectFrom('errands')
    .select(['id', 'answer'])
    .where('answer', 'is not', null);
  return readInChunks(ids, (some) => answered.where('id', 'in', some).execute());
}

/** Ends an errand: a write can be refused to nobody afterwards. As it was; undefined: it has ended already. */
export async function endErrand(
  tx: Db,
  id: string,
): Promise<Pick<ErrandRow, 'answer'> | undefined> {
  return tx.deleteFrom('errands').where('id', '=', id).returning('answer').executeTakeFirst();
}
