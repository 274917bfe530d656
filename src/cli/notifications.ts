import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { NotificationView } from '../ops/schemas/notifications.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import { addListOptions, LIST_HELP, type ListOptions, type Page, showList } from './listing.ts';
import { toMoment } from './lists.ts';
import { createProgress } from './progress.ts';
import { type Column, toDim, toTable } from './table.ts';

/** `notifications`: what receivers do not have, another attempt, and a try of a receiver. */
export const addNotificationsCommand: AddCommand = (program, context) => {
  const command = program
    .command('notifications')
    .description('what receivers were not told yet (asks the running bridge)');
  addList(command, context);
  addRetry(command, context);
  addTest(command, context);
};

function addList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description('list what waits and what was given up, the oldest first')
    .option('--receiver <name>', 'for this receiver')
    .option('--dead', 'what was given up alone');
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action(({ receiver, dead, ...options }: Filters & ListOptions) =>
      showList<NotificationView>(context, {
        ...{ options, columns, path: '/notifications' },
        query: { receiver, status: dead && 'dead' },
        none: receiver === undefined && dead === undefined ? NONE : 'There is none like that.',
      }),
    );
}

interface Filters {
  readonly receiver?: string;
  readonly dead?: true;
}

const NONE = 'Every receiver has everything.';

const columns: readonly Column<NotificationView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'at', rank: 'minor', cell: ({ at }) => toMoment(at) },
  { head: 'receiver', cell: ({ receiver }) => receiver },
  { head: 'type', cell: ({ type }) => type },
  { head: 'status', cell: ({ status }) => status },
  { head: 'attempts', rank: 'minor', cell: ({ attempts }) => `${attempts}` },
  { head: 'error', cell: ({ error }) => ({ text: error ?? '', colour: 'red' }) },
];

function addRetry(command: Command, { connect, write }: CliContext): void {
  const retry = command
    .command('retry')
    .description('send again now what waits or was given up')
    .argument('[id]', 'of one notification')
    .option('--all', 'everything')
    .option('--json', 'as one JSON object');
  retry.action(async (id: string | undefined, { all, json }: { all?: true; json?: true }) => {
    if ((id === undefined) !== (all === true)) {
      retry.error('error: name one notification, or say --all');
    }
    const client = connect();
    const body = id === undefined ? { all: true } : { id };
    const answer = await client.send('POST', '/notifications/retry', body);
    write(json ? toJson(answer) : `Tried again now: ${Object(answer).count}\n`);
  });
}

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
    const page = await client.send('GET', '/notifications?type=test&limit=1000');
    const { items } = parseAnswer<Page<NotificationView>>(page);
    const left = items.filter(({ id }) => ids.has(id));
    const isOver = left.every(({ attempts }) => attempts > 0) || performance.now() > until;
    if (isOver) return left;
    await sleep(LOOK_MS);
  }
}
