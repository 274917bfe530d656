import { type Selectable, sql } from 'kysely';
import type { NoticesTable } from './schema.ts';
import type { Db } from './store.ts';

/** State of one condition for one receiver, as stored. */
export type NoticeRow = Selectable<NoticesTable>;

/** Lists all conditions that receivers got, or are to get. */
export async function listNotices(db: Db): Promise<NoticeRow[]> {
  return db.selectFrom('notices').selectAll().execute();
}

/** Lists what receivers do not have yet, the oldest first. */
export async function listWaitingNotices(db: Db): Promise<NoticeRow[]> {
  const waiting = db.selectFrom('notices').selectAll().where('phase', '<>', 'active');
  return waiting.orderBy('since').orderBy('receiver').orderBy('key').execute();
}

/** Lists what is to be sent to one receiver now: what an operator tries first, then the oldest. */
export async function listDueNotices(db: Db, receiver: string, now: number): Promise<NoticeRow[]> {
  const { rows } = await sql<NoticeRow>`select * from notices
    where receiver = ${receiver} and phase <> 'active' and due_at <= ${now}
    order by case type when 'test' then 0 else since end, key`.execute(db);
  return rows;
}

/** Stores the message of a condition for a receiver, in the place of the one before. */
export async function putNotice(tx: Db, row: NoticeRow): Promise<void> {
  await tx
    .insertInto('notices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['receiver', 'key']).doUpdateSet(row))
    .execute();
}

/** Forgets a condition for one receiver. */
export async function deleteNotice(tx: Db, { receiver, key }: NoticeRow): Promise<void> {
  const row = tx.deleteFrom('notices').where('receiver', '=', receiver);
  await row.where('key', '=', key).execute();
}

/** Forgets what is for other receivers than these. */
export async function deleteOtherNotices(tx: Db, receivers: readonly string[]): Promise<void> {
  const others = tx.deleteFrom('notices');
  await (receivers.length === 0 ? others : others.where('receiver', 'not in', receivers)).execute();
}

/** Stores that a message is about to be sent, or how that failed. False: it is not to be sent any more. */
export async function saveAttempt(
  tx: Db,
  id: string,
  attempt: Partial<Pick<NoticeRow, 'attempts' | 'due_at' | 'error'>>,
): Promise<boolean> {
  const message = tx.updateTable('notices').set(attempt).where('id', '=', id);
  const { numUpdatedRows } = await message.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Stores that the receiver has a message: it knows that the condition holds, or nothing is left to send. */
export async function endNotice(tx: Db, { id, phase }: NoticeRow): Promise<void> {
  await (phase === 'began'
    ? tx.updateTable('notices').set({ phase: 'active', error: null }).where('id', '=', id)
    : tx.deleteFrom('notices').where('id', '=', id)
  ).execute();
}

/** Counts what receivers do not have yet. */
export async function countWaitingNotices(db: Db): Promise<{ receiver: string; count: number }[]> {
  const { rows } = await sql<{ receiver: string; count: number }>`select receiver, count(*) as count
    from notices where phase <> 'active' group by receiver`.execute(db);
  return rows;
}
