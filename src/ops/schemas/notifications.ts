import { z } from 'zod';
import { bodyOf, count, type JsonOf, moment, word } from './kinds.ts';

/** Notification that its receiver does not have. */
export const notification = z.strictObject({
  id: z.string().describe('`webhook-id` of each attempt.'),
  receiver: z.string(),
  type: z.string().describe('Such as `reason.began`, `plan.held`, `leaver.late`.'),
  subject: z.string().describe('What is about the same subject arrives in order.'),
  status: word(['waiting', 'dead']).describe('`dead`: given up.'),
  at: moment(),
  attempts: count(),
  nextAttemptAt: moment().nullable().describe('null: it is not tried any more.'),
  error: z.string().nullable().describe('Why the last attempt failed; null: there was none.'),
});
/** Notification as an operator is shown it. */
export type NotificationView = JsonOf<typeof notification>;

/** Body that has notifications tried again. */
export const notificationRetryBody = z.union(
  [
    bodyOf('an id, or all', { id: z.string().min(1).max(100) }),
    bodyOf('an id, or all', { all: z.literal(true) }),
  ],
  { error: 'The body has to be {"id": "…"} or {"all": true}.' },
);
/** Number of notifications that are tried again. */
export const notificationRetry = z.strictObject({ count: count() });

/** Body that asks for a notification to try a receiver. */
export const notificationTestBody = bodyOf('a receiver, or nothing', {
  receiver: z.string().min(1).max(64).optional(),
});
/** Notifications that were stored to try receivers. */
export const notificationTest = z.strictObject({
  ids: z.array(z.string()).describe('Delivered are those that are listed no more.'),
});
