import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isAbsent, isPassing, type OpsClient } from '../app/ops-client.ts';
import { isId } from '../domain/ids.ts';
import { toCount } from '../domain/text.ts';
import type { AddCommand, CliContext } from './context.ts';
import { findResource } from './find-resource.ts';
import { parseAnswer, toJson } from './json.ts';
import { createProgress } from './progress.ts';
import { type Column, toTable } from './table.ts';

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
}

/** Adds `--json` and `--watch`. */
export function addShowOptions(command: Command): Command {
  return command
    .option('--json', 'as JSON; with --watch one object a line')
    .option(
      '--watch [seconds]',
      `again and again, every ${WATCH} seconds, until Ctrl-C`,
      parseCount,
    );
}

/** Adds `--limit`, `--json` and `--watch`. */
export function addListOptions(command: Command): Command {
  return addShowOptions(command.option('--limit <number>', 'how many at most', parseCount, 50));
}

/** Help of every list. */
export const LIST_HELP = `
--json prints { "items": [...], "nextCursor": ... } as GET /ops/openapi.json describes it; nextCursor is null
when nothing follows. Tables fit the terminal; colours are for a terminal alone, and NO_COLOR=1 switches them off.`;

/** Page of a list as the bridge answers it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** List that a command shows. */
export interface Listing<Item> {
  readonly path: `/${string}`;
  /** Filters; what is undefined is left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly columns: readonly Column<Item>[];
  /** Words for an empty list, as a sentence. */
  readonly none: string;
  readonly subject?: Subject;
}

/** Writes the words for an empty list; where there are filters, of what fits them alone. */
export function toNone(
  words: string,
  filters: readonly (string | undefined)[],
  fits = 'and fits',
): string {
  const isWhole = filters.every((filter) => filter === undefined);
  return isWhole ? `${words}.` : `${words} ${fits} these filters.`;
}

/** Subject that a list is about, as it was named. */
interface Subject {
  /** Filter that takes its id. */
  readonly filter: string;
  readonly name: string | undefined;
  /** It may be something else than a user or group: a name of none is an id. */
  readonly isAny?: true;
}

/** Shows a list, once or again and again. */
export async function showList<Item>(
  context: CliContext,
  { options, ...listing }: Listing<Item> & { readonly options: ListOptions },
): Promise<void> {
  await show(context, {
    options,
    async read(client) {
      const query = { ...listing.query, ...(await findSubject(client, listing.subject)) };
      const { limit } = options;
      return readList<Item>(client, { path: listing.path, query, limit, context });
    },
    toText: (page) => toListText(page, listing, context),
  });
}

/** Something that a command shows. */
export interface Shown<Answer> {
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
    return `${toStart(context)}${await toText(answer, client)}`;
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

/** Finds the id of whom a list is about. @throws BridgeError `ops-failed` when it can only be a user or group and is none */
async function findSubject(
  client: OpsClient,
  subject: Subject | undefined,
): Promise<Record<string, string>> {
  if (subject?.name === undefined) return {};
  const { filter, name, isAny } = subject;
  if (isId(name)) return { [filter]: name };
  try {
    const { id } = await findResource(client, name);
    return { [filter]: id };
  } catch (error) {
    if (!isAny || !isAbsent(error)) throw error;
    return { [filter]: name };
  }
}

/** Clears a terminal; elsewhere an empty line is between two looks. */
function toStart({ terminal }: CliContext): string {
  return terminal === undefined ? '\n' : '\u001b[2J\u001b[H';
}

/** Part of a list. */
interface Reading extends Pick<Listing<unknown>, 'path'> {
  /** Filters; what is undefined is left out. */
  readonly query?: Listing<unknown>['query'];
  /** Entries at most. */
  readonly limit: number;
}

/** Reads as many entries as are wanted, with as few requests as that takes. */
export async function readList<Item>(
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
    const asked = new URLSearchParams({ limit: `${Math.min(PAGE, limit - items.length)}` });
    for (const [name, value] of Object.entries({ ...query, cursor }))
      if (value !== undefined) asked.set(name, value);
    const page = parseAnswer<Answer>(await client.send('GET', `${path}?${asked}`));
    items.push(...page.items);
    if (page.nextCursor === null || items.length >= limit) return { ...page, items };
    tell({ ...page, items });
    cursor = page.nextCursor;
  }
}

function toListText<Item>(
  { items, nextCursor }: Page<Item>,
  { columns, none }: Listing<Item>,
  context: CliContext,
): string {
  if (items.length === 0) return `${none}\n`;
  return toFirstOf(items, { columns, context, hasMore: nextCursor !== null });
}

/** Options of a table of the first entries of a list. */
interface FirstOptions<Item> {
  readonly columns: readonly Column<Item>[];
  readonly context: CliContext;
  readonly hasMore: boolean;
}

/** Writes the first entries of a list as a table, and tells where there are more. */
export function toFirstOf<Item>(
  items: readonly Item[],
  { columns, context, hasMore }: FirstOptions<Item>,
): string {
  const more = hasMore ? `There are more than these ${items.length}: --limit\n` : '';
  return `${toTable(items, columns, context)}${more}`;
}

/** Parses a whole number above 0. @throws InvalidArgumentError, which is wrong usage */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 to 9999999.');
}

/** Command that shows a list of the running bridge. */
interface ListCommand<Item, Filters> {
  readonly name: string;
  readonly description: string;
  readonly addOptions: (command: Command) => Command;
  readonly toListing: (filters: Filters) => Listing<Item>;
  /** Adds the commands that act on what is listed. */
  readonly addDecisions?: (command: Command, context: CliContext) => void;
}

/** Makes a command that lists what the running bridge has. */
export function listCommand<Item, Filters>(parts: ListCommand<Item, Filters>): AddCommand {
  const { name, description, addOptions, toListing, addDecisions } = parts;
  return (program, context) => {
    const command = program.command(name).description(`${description} (asks the running bridge)`);
    addListOptions(addOptions(command)).addHelpText('after', LIST_HELP);
    command.action((options: ListOptions & Filters) =>
      showList(context, { ...toListing(options), options }),
    );
    addDecisions?.(command, context);
  };
}
