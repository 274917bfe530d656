import { newId } from '../domain/ids.ts';
import { createMatcher } from '../domain/matcher.ts';
import type { Notice, Receiver } from '../domain/notification.ts';
import { insertNotifications } from '../store/notifications.ts';
import type { Db } from '../store/store.ts';
import { toBody } from './render.ts';

/** Stores notices for each receiver that asked for their type; returns the ids. */
export async function enqueue(
  tx: Db,
  receivers: readonly Receiver[],
  notices: readonly Notice[],
): Promise<string[]> {
  const rows = notices.flatMap((notice) =>
    receivers
      .filter(({ events }) => createMatcher(events)([notice.type]))
      .map((receiver) => ({
        id: `msg_${newId()}`,
        receiver: receiver.name,
        subject: notice.subject,
        type: notice.type,
        body: toBody(notice, receiver),
        created_at: Math.round(notice.at),
        due_at: Math.round(notice.at),
        attempts: 0,
        status: 'waiting' as const,
        error: null,
      })),
  );
  await insertNotifications(tx, rows);
  return rows.map(({ id }) => id);
}
