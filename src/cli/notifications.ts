import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { NotificationView } from '../ops/schemas/notifications.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer } from './json.ts';
import { addListOptions, LIST_HELP, type ListOptions, type Page, showList } from './listing.ts';
import { toMoment } from './lists.ts';
import { createProgress } from './progress.ts';
import { type Column, toDim, toTable } from './table.ts';

/** `notifications`: what receivers do not have, and a try of a receiver. */
export const addNotificationsCommand: AddCommand = (program, context) => {
  const command = program
    .command('notifications')
    .description('what receivers were not told yet (asks the running bridge)');
  addList(command, context);
  addTest(command, context);
};

function addList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description('list what waits, the oldest first')
    .option('--receiver <name>', 'for this receiver');
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action(({ receiver, ...options }: { receiver?: string } & ListOptions) =>
      showList<NotificationView>(context, {
        options,
        columns,
        path: '/notifications',
        query: { receiver },
        none:
          receiver === undefined ? 'Every receiver has everything.' : 'There is none like that.',
      }),
    );
}

const columns: readonly Column<NotificationView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'at', rank: 'minor', cell: ({ at }) => toMoment(at) },
  { head: 'receiver', cell: ({ receiver }) => receiver },
  { head: 'type', cell: ({ type }) => type },
  { head: 'attempts', rank: 'minor', cell: ({ attempts }) => `${attempts}` },
  { head: 'error', cell: ({ error }) => ({ text: error ?? '', colour: 'red' }) },
];

/** How long a try waits for its delivery, and how often it looks, in milliseconds. */
const TEST_MS = 30_000;
const LOOK_MS = 250;

function addTest(command: Command, context: CliContext): void {
  const { connect, write, exitWith } = context;
  command
    .command('test')
    .description('send a notification to one receiver, or to each, and wait until it has it')
    .argument('[receiver]', 'name of the receiver in notify.receivers')
    .action(async (receiver: string | undefined) => {
      const client = connect();
      const body = receiver === undefined ? {} : { receiver };
      const sent = await client.send('POST', '/notifications/test', body);
      const { ids } = parseAnswer<OpsJson<'NotificationTest'>>(sent);
      const progress = createProgress(context, { words: 'Waiting for the receivers' });
      const left = await waitFor(client, new Set(ids)).finally(progress.end);
      write(left.length === 0 ? `Delivered: ${ids.length}\n` : toTable(left, columns, context));
      exitWith(left.length === 0 ? 0 : 1);
    });
}

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
