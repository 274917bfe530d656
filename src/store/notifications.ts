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

/**
 * Lists for one receiver the first that waits of each subject, where its time has come; what an operator tries comes first,
 * the newest of it before what was tried in vain.
 */
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
    where one.due_at <= ${now} order by case one.type when 'test' then -one.seq else 0 end, one.seq limit ${limit}`.execute(
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
  readonly type?: string | undefined;
  readonly status?: NotificationRow['status'] | undefined;
  readonly afterSeq: number;
  readonly limit: number;
}

/** Notifications that wait or were given up, the oldest first. */
export async function listNotifications(
  db: Db,
  { receiver, type, status, afterSeq, limit }: NotificationQuery,
): Promise<NotificationRow[]> {
  let query = db.selectFrom('notifications').selectAll().where('seq', '>', afterSeq);
  if (receiver !== undefined) query = query.where('receiver', '=', receiver);
  if (type !== undefined) query = query.where('type', '=', type);
  if (status !== undefined) query = query.where('status', '=', status);
  return query.orderBy('seq').limit(limit).execute();
}

/** Notifications that are tried again: one, or all that were given up or wait, as far as their receivers are these. */
export interface Retrying {
  readonly id: string | undefined;
  readonly receivers: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Has notifications tried again now, and returns how many. */
export async function retryNotifications(
  tx: Db,
  { id, receivers, now }: Retrying,
): Promise<number> {
  if (receivers.length === 0) return 0;
  const again = { status: 'waiting', due_at: now, attempts: 0 } as const;
  const all = tx
    .updateTable('notifications')
    .set(again)
    .where('receiver', 'in', [...receivers]);
  const some = id === undefined ? all : all.where('id', '=', id);
  const result = await some.executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Gives up what waits for other receivers than these. */
export async function giveUpOthers(
  tx: Db,
  receivers: readonly string[],
  error: string,
): Promise<void> {
  const waiting = tx.updateTable('notifications').set({ status: 'dead', error });
  const others = waiting.where('status', '=', 'waiting');
  await (receivers.length === 0
    ? others
    : others.where('receiver', 'not in', [...receivers])
  ).execute();
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
