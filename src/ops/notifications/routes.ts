import { listNotifications, type NotificationRow } from '../../store/notifications.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import type { NotificationView } from '../schemas/notifications.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about notifications. */
export const notificationRoutes = [
  route({
    method: 'get',
    path: '/notifications',
    tag: 'Notifications',
    summary: 'What receivers do not have yet, and what was given up, the oldest first.',
    filters: { receiver: 'text', type: 'text', status: ['waiting', 'dead'] },
    meanings: {
      receiver: 'For the receiver with this name.',
      type: 'Such as `plan.held`.',
      status: '`dead`: given up.',
    },
    answers: { 200: 'NotificationList' },
    async handle({ store }: OpsSources, { query }) {
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listNotifications(store.read, { ...query.filters, afterSeq, limit });
      return ok(await readList(query, OLDEST, read, toView));
    },
  }),
  route({
    method: 'post',
    path: '/notifications/retry',
    tag: 'Notifications',
    summary: 'Has a notification tried again now, or all that wait or were given up.',
    body: 'NotificationRetryBody',
    answers: { 200: 'NotificationRetry', 404: 'Problem' },
    async handle({ notifications }: OpsSources, { body }) {
      const id = 'id' in body ? body.id : undefined;
      const count = await notifications.retry(id);
      if (count > 0 || id === undefined) return { ...ok({ count }), change: { after: { count } } };
      return problem(
        404,
        'not-found',
        'No notification has this id and a receiver of the settings: it was delivered, or never was.',
      );
    },
  }),
  route({
    method: 'post',
    path: '/notifications/test',
    tag: 'Notifications',
    summary: 'Sends a notification to one receiver, or to each, to try it.',
    body: 'NotificationTestBody',
    answers: { 200: 'NotificationTest', 404: 'Problem' },
    async handle({ notifications }: OpsSources, { body: { receiver } }) {
      const known = notifications.receivers;
      if (receiver === undefined ? known.length > 0 : known.includes(receiver)) {
        return ok({ ids: await notifications.test(receiver) });
      }
      const message =
        known.length === 0
          ? 'The setting notify.receivers names no receiver.'
          : `No receiver has this name; the setting notify.receivers has ${known.join(', ')}.`;
      return problem(404, 'not-found', message);
    },
  }),
] as const;

function toView(row: NotificationRow): NotificationView {
  const { id, receiver, type, subject, status, attempts, error } = row;
  const at = toMoment(row.created_at);
  const nextAttemptAt = status === 'dead' ? null : toMoment(row.due_at);
  return { id, receiver, type, subject, status, at, attempts, nextAttemptAt, error };
}
