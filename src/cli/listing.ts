import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isAbsent, isPassing, type OpsClient } from '../app/ops-client.ts';
import { isId } from '../domain/ids.ts';
import { toCount } from '../domain/text.ts';
import { toCsv } from '../ops/lists/csv.ts';
import { type Column, type List, type ListOption, MEANINGS } from '../ops/lists/list.ts';
import { SETTINGS } from '../ops/lists/plans.ts';
import { NOTIFICATIONS } from '../ops/lists/records.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import type { ShownSetting } from '../settings/shown.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { findResource, parseAnswer, toJson } from './json.ts';
import { createProgress } from './progress.ts';
import { toTable } from './table.ts';

/** Entries of one request. */
const PAGE = 1_000;
/** Seconds between two looks of `--watch`. */
const WATCH = 5;

/** Options that every command has that shows what the bridge knows. */
export interface ShowOptions {
  readonly json?: true;
  /** Seconds; `true`: as usual. */
  readonly watch?: number | true;
}

/** Options of a list. */
export interface ListOptions extends ShowOptions {
  readonly limit: number;
  readonly csv?: true;
}

/** Adds `--json` and `--watch`. */
export function addShowOptions(command: Command): Command {
  const again = `again and again, every ${WATCH} seconds, until Ctrl-C`;
  return command
    .option('--json', 'as JSON; with --watch one object a line')
    .option('--watch [seconds]', again, parseCount);
}

const HELP = `
--json prints { "items": [...], "nextCursor": ... } as GET /ops/openapi.json describes it; nextCursor is null
when nothing follows. Tables fit the terminal; colours are for a terminal alone, and NO_COLOR=1 switches them off.`;

/** Page of a list as the bridge answers it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Makes the command that shows a list, and what acts on it. */
export function listCommand<Item>(
  list: List<Item>,
  addActs?: (command: Command, context: CliContext) => void,
): AddCommand {
  const { name, about, options } = list.command;
  return (program, context) => {
    const command = addCommand(program, name, about);
    for (const option of options) command.addOption(toOption(list, option));
    command.option('--limit <number>', 'how many at most', parseCount, 50);
    command.option('--csv', 'as CSV');
    addShowOptions(command)
      .addHelpText('after', HELP)
      .action((given: ListOptions & Filters) => {
        if (given.csv && given.json) command.error('error: --csv or --json, not both');
        return showList(context, list, given);
      });
    addActs?.(command, context);
  };
}

type Filters = Readonly<Record<string, unknown>>;

function toOption({ filters, meanings }: List<unknown>, option: ListOption): Option {
  const { flags, filter, value, otherwise, help } = option;
  const meaning = help ?? meanings?.[filter] ?? MEANINGS[filter] ?? filter;
  const made = new Option(
    flags,
    `${meaning.charAt(0).toLowerCase()}${meaning.slice(1)}`.replace(/\.$/, ''),
  );
  if (value !== undefined) return made;
  const words = filters[filter];
  if (otherwise !== undefined) made.default(otherwise);
  return typeof words === 'object' ? made.choices(words) : made;
}

/** Value of a filter as it was given; undefined: it is left out. */
function findGiven({ flags, value, otherwise }: ListOption, given: Filters): string | undefined {
  const typed = given[new Option(flags).attributeName()];
  if (value === undefined) return typeof typed === 'string' ? typed : undefined;
  return (typed === true ? value : otherwise) || undefined;
}

function showList<Item>(
  context: CliContext,
  { path, columns, command }: List<Item>,
  given: ListOptions & Filters,
): Promise<void> {
  const { limit, csv } = given;
  return show(context, {
    options: given,
    async read(client) {
      const query: Record<string, string> = {};
      for (const option of command.options) {
        const value = findGiven(option, given);
        if (value === undefined) continue;
        if (query[option.filter] !== undefined && option.value !== undefined) continue;
        query[option.filter] = option.names ? await toSubject(client, value, option) : value;
      }
      return readList<Item>(client, { path, query, limit, context });
    },
    toText({ items, nextCursor }) {
      if (csv) return toCsv(items, columns);
      const [none, noneFits = none] = command.none;
      const isWhole = command.options.every((option) => {
        const value = findGiven(option, given);
        return option.isScope || value === undefined || value === option.otherwise;
      });
      if (items.length === 0) return `${isWhole ? none : noneFits}\n`;
      return toFirstOf(items, { columns, context, hasMore: nextCursor !== null });
    },
  });
}

/** Finds the id of whom a list is about. @throws BridgeError `ops-failed` when it can only be a user or group and is none */
async function toSubject(client: OpsClient, name: string, { names }: ListOption): Promise<string> {
  if (isId(name)) return name;
  try {
    return (await findResource(client, name)).id;
  } catch (error) {
    if (names !== 'any' || !isAbsent(error)) throw error;
    return name;
  }
}

/** Something that a command shows. */
interface Shown<Answer> {
  readonly options: ShowOptions;
  readonly read: (client: OpsClient) => Promise<Answer>;
  /** @param client for what the text alone needs */
  readonly toText: (answer: Answer, client: OpsClient) => string | Promise<string>;
}

/** Shows an answer of the bridge, once or again and again; a bridge that restarts meanwhile is waited for. */
export async function show<Answer>(context: CliContext, shown: Shown<Answer>): Promise<void> {
  const { watch, json } = shown.options;
  const client = context.connect();
  if (watch !== undefined) {
    const everyMs = (watch === true ? WATCH : watch) * 1_000;
    return showAgain(context, client, { ...shown, everyMs });
  }
  const answer = await shown.read(client);
  context.write(json ? toJson(answer) : await shown.toText(answer, client));
}

/** Says of a bridge that may answer soon what it said, if anything, and that it is asked again. */
export function toAskedAgain(error: unknown): string {
  const words = error instanceof Error ? ` (${error.message})` : '';
  return `The bridge does not answer now${words}; it is asked again.\n`;
}

async function showAgain<Answer>(
  context: CliContext,
  client: OpsClient,
  { options: { json }, read, toText, everyMs }: Shown<Answer> & { readonly everyMs: number },
): Promise<void> {
  const look = async () => {
    const answer = await read(client);
    if (json) return `${JSON.stringify(answer)}\n`;
    // Clears a terminal; elsewhere an empty line is between two looks.
    const start = context.terminal === undefined ? '\n' : '\u001b[2J\u001b[H';
    return `${start}${await toText(answer, client)}`;
  };
  const stopping = new AbortController();
  void context.untilStopped().then(() => stopping.abort());
  for (let isThere = true; !stopping.signal.aborted; ) {
    try {
      context.write(await look());
      isThere = true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (isThere) context.writeError(toAskedAgain(error));
      isThere = false;
    }
    await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

/** Part of a list. */
interface Reading {
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  /** Entries at most. */
  readonly limit: number;
}

/** Reads as many entries as are wanted, with as few requests as that takes. */
async function readList<Item>(
  client: OpsClient,
  { context, ...reading }: Reading & { readonly context: CliContext },
): Promise<Page<Item>> {
  const progress = createProgress(context);
  const tell = ({ items }: Page<Item>) =>
    progress.tell(`${toCount(items.length, 'entry', 'entries')} read`);
  return readPages<Item, Page<Item>>(client, reading, tell).finally(progress.end);
}

/** Reads page by page and joins them. `tell` hears of what is read so far, while there is more. */
export async function readPages<Item, Answer extends Page<Item>>(
  client: OpsClient,
  { path, query = {}, limit }: Reading,
  tell: (answer: Answer) => void,
): Promise<Answer> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const asked = new URLSearchParams({
      limit: `${Math.min(PAGE, limit - items.length)}`,
      ...query,
      ...(cursor !== undefined && { cursor }),
    });
    const page = parseAnswer<Answer>(await client.send('GET', `${path}?${asked}`));
    items.push(...page.items);
    if (page.nextCursor === null || items.length >= limit) return { ...page, items };
    tell({ ...page, items });
    cursor = page.nextCursor;
  }
}

/** Writes the first entries of a list as a table, and tells where there are more. */
export function toFirstOf<Item>(
  items: readonly Item[],
  shown: { columns: readonly Column<Item>[]; context: CliContext; hasMore: boolean },
): string {
  const more = shown.hasMore ? `There are more than these ${items.length}: --limit\n` : '';
  return `${toTable(items, shown.columns, shown.context)}${more}`;
}

/** Parses a whole number above 0. @throws InvalidArgumentError, which is wrong usage */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 to 9999999.');
}

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
async function waitFor(
  client: OpsClient,
  ids: ReadonlySet<string>,
): Promise<OpsJson<'Notification'>[]> {
  const until = performance.now() + TEST_MS;
  for (;;) {
    const page = await client.send('GET', '/notifications?limit=1000');
    const { items } = parseAnswer<Page<OpsJson<'Notification'>>>(page);
    const left = items.filter(({ id }) => ids.has(id));
    const isOver = left.every(({ error }) => error !== null) || performance.now() > until;
    if (isOver) return left;
    await sleep(LOOK_MS);
  }
}

/** `settings`: prints the settings of the running bridge, or those of this command, without secrets. */
export const addSettingsCommand: AddCommand = (program, context) => {
  const { loadSettings, write, writeError } = context;
  addCommand(program, 'settings', SETTINGS.command.about)
    .option('--json', 'as one JSON object')
    .option('--changed', 'only those that are not the default')
    .option('--here', 'those of this environment and file, which a bridge would start with here')
    .addHelpText('after', SETTINGS_HELP)
    .action(async ({ json, changed, here }: { json?: true; changed?: true; here?: true }) => {
      const { shown, warnings } = loadSettings();
      const { source, all } = here
        ? { source: 'this environment and file; a running bridge may have others', all: shown }
        : await readSettings(context);
      const items = changed ? all.filter(({ from }) => from !== 'default') : all;
      const table = `Settings of ${source}:\n\n${toTable(items, SETTINGS.columns, context)}`;
      write(json ? toJson({ items, nextCursor: null }) : table);
      if (here) for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

const SETTINGS_HELP = `
--json prints { "items": [...], "nextCursor": null } as GET /ops/settings answers it.`;

async function readSettings(context: CliContext) {
  const client = context.connect();
  const reading = { path: '/settings', limit: Number.MAX_SAFE_INTEGER, context } as const;
  const { items: all } = await readList<ShownSetting>(client, reading);
  return { source: `the bridge that answers at ${client.url}`, all };
}
