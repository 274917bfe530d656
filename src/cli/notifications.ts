import { setTimeout as sleep } from 'node:timers/promises';
import type { OpsClient } from '../app/ops-client.ts';
import { NOTIFICATIONS } from '../ops/lists/records.ts';
import type { NotificationView } from '../ops/schemas/notifications.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand } from './context.ts';
import { parseAnswer } from './json.ts';
import type { Page } from './listing.ts';
import { createProgress } from './progress.ts';
import { toTable } from './table.ts';

/** How long a try waits for its delivery, and how often it looks, in milliseconds. */
const TEST_MS = 30_000;
const LOOK_MS = 250;

/** `notifications test`: tries receivers. */
export const addNotificationsTest: AddCommand = (program, context) => {
  const about = 'send a notification to one receiver, or to each, and wait until it has it';
  addCommand(program, 'notifications test', about)
    .argument('[receiver]', 'name of the receiver in notify.receivers')
    .action(async (receiver: string | undefined) => {
      const client = context.connect();
      const sent = await client.send('POST', '/notifications/test', { receiver });
      const { ids } = parseAnswer<OpsJson<'NotificationTest'>>(sent);
      const progress = createProgress(context, { words: 'Waiting for the receivers' });
      const left = await waitFor(client, new Set(ids)).finally(progress.end);
      const isDone = left.length === 0;
      const table = toTable(left, NOTIFICATIONS.columns, context);
      context.write(isDone ? `Delivered: ${ids.length}\n` : table);
      context.exitWith(isDone ? 0 : 1);
    });
};

/** Waits until these are delivered, or failed; returns those that were not. */
async function waitFor(client: OpsClient, ids: ReadonlySet<string>): Promise<NotificationView[]> {
  const until = performance.now() + TEST_MS;
  for (;;) {
    const page = await client.send('GET', '/notifications?limit=1000');
    const { items } = parseAnswer<Page<NotificationView>>(page);
    const left = items.filter(({ id }) => ids.has(id));
    const isOver = left.every(({ error }) => error !== null) || performance.now() > until;
    if (isOver) return left;
    await sleep(LOOK_MS);
  }
}
