import type { Condition, Notice, Receiver } from '../domain/notification.ts';
import { parseStored } from '../store/engine/columns.ts';
import { deleteNotices, insertNotices, listNotices } from '../store/notifications.ts';
import type { Db } from '../store/store.ts';
import { enqueue } from './enqueue.ts';

/** State of a bridge as notifications tell of it. */
export interface Observed {
  /** States that hold now. */
  readonly conditions: readonly Condition[];
  /** Notices of what was found since the last time, in the transaction that stores them. */
  readonly findNews: (tx: Db) => Promise<readonly Omit<Notice, 'at'>[]>;
}

/**
 * Tells, in one transaction, which states have begun and which have ended since the last time, whichever process led
 * then. Returns how many notifications were stored.
 */
export async function tellChanges(
  tx: Db,
  receivers: readonly Receiver[],
  { conditions, findNews }: Observed,
  at: number,
): Promise<number> {
  const told = new Map((await listNotices(tx)).map((row) => [row.key, row]));
  const current = new Set(conditions.map(({ key }) => key));
  const begun = conditions.filter(
    ({ key, partOf }) => !told.has(key) && !(partOf !== undefined && current.has(partOf)),
  );
  const over = [...told.values()].filter(({ key }) => !current.has(key));
  await insertNotices(
    tx,
    begun.map(({ key, ended }) => ({
      key,
      since: Math.round(at),
      ended: ended === undefined ? null : JSON.stringify(ended),
    })),
  );
  await deleteNotices(
    tx,
    over.map(({ key }) => key),
  );
  const ended = over.flatMap(({ ended: text }) =>
    text === null ? [] : [parseStored<Omit<Notice, 'at'>>(text)],
  );
  const notices = [...begun.map(({ began }) => began), ...ended, ...(await findNews(tx))];
  const ids = await enqueue(
    tx,
    receivers,
    notices.map((notice) => ({ ...notice, at })),
  );
  return ids.length;
}
