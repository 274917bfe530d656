import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { createOpsClient, type OpsClient } from '../app/ops-client.ts';
import type { NotificationView } from '../ops/schemas/notifications.ts';
import type { AddCommand, CliContext } from './context.ts';
import { toJson } from './json.ts';

/** `notifications`: what receivers do not have, another attempt, and a try of a receiver. */
export const addNotificationsCommand: AddCommand = (program, context) => {
  const command = program
    .command('notifications')
    .description('what receivers were not told yet (asks the running bridge)');
  addList(command, context);
  addRetry(command, context);
  addTest(command, context);
};

function addList(command: Command, { loadSettings, write }: CliContext): void {
  command
    .command('list')
    .description('list what waits and what was given up, the oldest first')
    .option('--receiver <name>', 'for this receiver')
    .option('--dead', 'what was given up alone')
    .option('--limit <count>', 'how many at most', '100')
    .option('--json', 'as one JSON object')
    .action(async ({ receiver, dead, limit, json }: ListOptions) => {
      const query = new URLSearchParams({
        limit,
        ...(receiver === undefined ? {} : { receiver }),
        ...(dead === undefined ? {} : { status: 'dead' }),
      });
      const client = createOpsClient(loadSettings().settings);
      const list = parseList(await client.send('GET', `/notifications?${query}`));
      write(json ? toJson(list) : toListText(list.items));
    });
}

interface ListOptions {
  readonly receiver?: string;
  readonly dead?: true;
  readonly limit: string;
  readonly json?: true;
}

function addRetry(command: Command, { loadSettings, write }: CliContext): void {
  const retry = command
    .command('retry')
    .description('send again now what waits or was given up')
    .argument('[id]', 'of one notification')
    .option('--all', 'everything');
  retry.action(async (id: string | undefined, { all }: { all?: true }) => {
    if ((id === undefined) !== (all === true)) {
      retry.error('error: name one notification, or say --all');
    }
    const client = createOpsClient(loadSettings().settings);
    const body = id === undefined ? { all: true } : { id };
    const { count } = Object(await client.send('POST', '/notifications/retry', body));
    write(`Tried again now: ${count}\n`);
  });
}

/** How long a try waits for its delivery, and how often it looks, in milliseconds. */
const TEST_MS = 30_000;
const LOOK_MS = 250;

function addTest(command: Command, { loadSettings, write, exitWith }: CliContext): void {
  command
    .command('test')
    .description('send a notification to one receiver, or to each, and wait until it has it')
    .argument('[receiver]', 'name of the receiver in notify.receivers')
    .addHelpText(
      'after',
      '\nExit codes:\n  0  every receiver has it\n  1  one does not, which is told',
    )
    .action(async (receiver: string | undefined) => {
      const client = createOpsClient(loadSettings().settings);
      const body = receiver === undefined ? {} : { receiver };
      const { ids } = parseTest(await client.send('POST', '/notifications/test', body));
      const left = await waitFor(client, new Set(ids));
      write(left.length === 0 ? `Delivered: ${ids.length}\n` : toListText(left));
      exitWith(left.length === 0 ? 0 : 1);
    });
}

/** Waits until these are delivered, or failed; returns those that were not. */
async function waitFor(client: OpsClient, ids: ReadonlySet<string>): Promise<NotificationView[]> {
  const until = performance.now() + TEST_MS;
  for (;;) {
    const { items } = parseList(await client.send('GET', '/notifications?limit=1000'));
    const left = items.filter(({ id }) => ids.has(id));
    const isOver = left.every(({ attempts }) => attempts > 0) || performance.now() > until;
    if (isOver) return left;
    await sleep(LOOK_MS);
  }
}

function toListText(items: readonly NotificationView[]): string {
  if (items.length === 0) return 'Every receiver has everything.\n';
  const lines = items.map(({ id, receiver, type, at, status, attempts, error }) => {
    const how = attempts === 0 ? 'not tried yet' : `${attempts} attempts, ${error}`;
    return `${at}  ${receiver}  ${type}  ${status}: ${how}  (${id})\n`;
  });
  return lines.join('');
}

interface ListOf {
  readonly items: readonly NotificationView[];
}

/** The answer of a bridge of the same version. */
function parseList(answer: unknown): ListOf {
  return answer as ListOf;
}

/** The answer of a bridge of the same version. */
function parseTest(answer: unknown): { readonly ids: readonly string[] } {
  return answer as { readonly ids: readonly string[] };
}
