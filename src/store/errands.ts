import type { Selectable } from 'kysely';
import { storeNow } from './engine/dialect.ts';
import { createPrune } from './engine/prune.ts';
import type { ErrandsTable } from './schema.ts';
import type { Db } from './store.ts';

/** A call that a process asks the leader for. */
type ErrandRow = Selectable<ErrandsTable>;

/** Asks the leader for a call, until `until` (epoch milliseconds). */
export async function insertErrand(
  tx: Db,
  { id, task, until }: Pick<ErrandRow, 'id' | 'task' | 'until'>,
): Promise<void> {
  await tx.insertInto('errands').values({ id, task, until, epoch: null, answer: null }).execute();
}

/** Takes what is asked for and was not begun: each errand is begun once. `now` is epoch milliseconds. */
export async function takeErrands(tx: Db, epoch: number, now: number): Promise<ErrandRow[]> {
  return tx
    .updateTable('errands')
    .set({ epoch })
    .where('epoch', 'is', null)
    .where('until', '>', storeNow(tx, now))
    .returningAll()
    .execute();
}

/** Stores what an errand has come to. */
export async function answerErrand(tx: Db, id: string, answer: string): Promise<void> {
  await tx.updateTable('errands').set({ answer }).where('id', '=', id).execute();
}

/** The answer of an errand; undefined: there is none yet. */
export async function findErrandAnswer(db: Db, id: string): Promise<string | undefined> {
  const found = db.selectFrom('errands').select('answer').where('id', '=', id);
  return (await found.executeTakeFirst())?.answer ?? undefined;
}

/** Forgets an errand whose answer nobody waits for any more. */
export async function deleteErrand(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('errands').where('id', '=', id).execute();
}

/** Forgets errands of processes that ended without a word; returns how many. */
export const pruneErrands = createPrune({
  ...({ table: 'errands', key: 'id', at: 'until', oldest: 'until' } as const),
});
