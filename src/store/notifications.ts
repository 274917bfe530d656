import { type Insertable, type Selectable, sql } from 'kysely';
import { chunks } from './engine/dialect.ts';
import { createPrune } from './engine/prune.ts';
import type { NoticesTable, NotificationsTable } from './schema.ts';
import type { Db } from './store.ts';

/** Notification as stored. */
export type NotificationRow = Selectable<NotificationsTable>;

/** Told state as stored. */
type NoticeRow = Selectable<NoticesTable>;

/** Lists the states that were told and have not ended. */
export async function listNotices(db: Db): Promise<NoticeRow[]> {
  return db.selectFrom('notices').selectAll().execute();
}

/** Remembers that states were told. */
export async function insertNotices(tx: Db, rows: readonly NoticeRow[]): Promise<void> {
  for (const some of chunks(rows)) {
    await tx
      .insertInto('notices')
      .values([...some])
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Forgets states that have ended. */
export async function deleteNotices(tx: Db, keys: readonly string[]): Promise<void> {
  for (const some of chunks(keys)) {
    await tx
      .deleteFrom('notices')
      .where('key', 'in', [...some])
      .execute();
  }
}

/** Stores what receivers are to be told, in this order. */
export async function insertNotifications(
  tx: Db,
  rows: readonly Insertable<NotificationsTable>[],
): Promise<void> {
  for (const some of chunks(rows)) {
    await tx
      .insertInto('notifications')
      .values([...some])
      .execute();
  }
}

/** Lists for one receiver the first that waits of each subject, where its time has come; what an operator tries first. */
export async function listReady(
  db: Db,
  receiver: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select one.* from notifications as one
    join (select min(seq) as seq from notifications
      where receiver = ${receiver} and status = 'waiting' group by subject) as head
      on head.seq = one.seq
    where one.due_at <= ${now} order by case one.type when 'test' then 0 else 1 end, one.seq limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Forgets a notification that its receiver has. */
export async function deleteNotification(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('notifications').where('id', '=', id).execute();
}

/** Stores how an attempt failed. */
export async function saveAttempt(
  tx: Db,
  id: string,
  change: Pick<NotificationRow, 'attempts' | 'due_at' | 'status' | 'error'>,
): Promise<void> {
  await tx.updateTable('notifications').set(change).where('id', '=', id).execute();
}

/** Which notifications are listed. */
interface NotificationQuery {
  readonly receiver?: string | undefined;
  readonly status?: NotificationRow['status'] | undefined;
  readonly afterSeq: number;
  readonly limit: number;
}

/** Notifications that wait or were given up, the oldest first. */
export async function listNotifications(
  db: Db,
  { receiver, status, afterSeq, limit }: NotificationQuery,
): Promise<NotificationRow[]> {
  let query = db.selectFrom('notifications').selectAll().where('seq', '>', afterSeq);
  if (receiver !== undefined) query = query.where('receiver', '=', receiver);
  if (status !== undefined) query = query.where('status', '=', status);
  return query.orderBy('seq').limit(limit).execute();
}

/** Has notifications tried again now: one, or all that were given up or wait; returns how many. */
export async function retryNotifications(
  tx: Db,
  id: string | undefined,
  now: number,
): Promise<number> {
  const again = { status: 'waiting', due_at: now, attempts: 0 } as const;
  const all = tx.updateTable('notifications').set(again);
  const some = id === undefined ? all : all.where('id', '=', id);
  const result = await some.executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Counts notifications by receiver and status. */
export async function countNotifications(
  db: Db,
): Promise<{ receiver: string; status: NotificationRow['status']; count: number }[]> {
  return db
    .selectFrom('notifications')
    .select((select) => ['receiver', 'status', select.fn.countAll<number>().as('count')])
    .groupBy(['receiver', 'status'])
    .execute();
}

/** Forgets the oldest notifications that are given up; returns how many. */
export const pruneNotifications = createPrune({
  ...({ table: 'notifications', key: 'seq', at: 'created_at', oldest: 'seq' } as const),
  isOver: sql`status = 'dead'`,
});
