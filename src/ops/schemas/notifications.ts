import { z } from 'zod';
import { bodyOf, count, type JsonOf, moment } from './kinds.ts';

/** Notification that its receiver does not have. */
export const notification = z.strictObject({
  id: z.string().describe('`webhook-id` of each attempt.'),
  receiver: z.string(),
  type: z.string().describe('Such as `reason.began`, `plan.held`, `leaver.late`.'),
  at: moment(),
  attempts: count(),
  nextAttemptAt: moment(),
  error: z.string().nullable().describe('Why the last attempt failed; null: none has.'),
});
/** Notification as an operator is shown it. */
export type NotificationView = JsonOf<typeof notification>;

/** Body that asks for a notification to try a receiver. */
export const notificationTestBody = bodyOf('a receiver, or nothing', {
  receiver: z.string().min(1).max(64).optional(),
});
/** Notifications that were stored to try receivers. */
export const notificationTest = z.strictObject({
  ids: z.array(z.string()).describe('Delivered are those that are listed no more.'),
});
