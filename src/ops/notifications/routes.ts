import { listWhere } from '../../store/tables.ts';
import { toPage } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { NOTIFICATIONS } from '../lists/records.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about notifications. */
export const notificationRoutes = [
  route({
    ...NOTIFICATIONS,
    async handle({ store }: OpsSources, { query }) {
      const { receiver: name } = query.filters;
      const waiting = { receiver: name, phase: { '<>': 'active' } } as const;
      const order = ['since', 'receiver', 'key'] as const;
      const some = await listWhere(store.read, 'notices', waiting, { order });
      const items = some.map((row) =>
        toView('Notification', row, {
          at: toMoment(row.since),
          nextAttemptAt: toMoment(row.due_at),
        }),
      );
      return ok(toPage(items, query));
    },
  }),
  route({
    method: 'post',
    path: '/notifications/test',
    tag: 'Notifications',
    summary: 'Send a notification to one receiver, or to each, to try it.',
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
