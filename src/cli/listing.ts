import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isAbsent, isPassing, type OpsClient } from '../app/ops-client.ts';
import { isId } from '../domain/ids.ts';
import { toCount } from '../domain/text.ts';
import { type Column, type List, MEANINGS, toCsv } from '../ops/lists/list.ts';
import { type AddCommand, addCommand, type CliContext, toHelp } from './context.ts';
import { findResource, parseAnswer, toJson } from './json.ts';
import { createProgress } from './progress.ts';
import { toTable } from './table.ts';

const PAGE = 1_000;
/** Seconds between two looks of `--watch`. */
const WATCH = 5;

/** Options that every command has that shows what the bridge knows. */
export interface ShowOptions {
  readonly json?: true;
  /** Seconds; `true`: as usual. */
  readonly watch?: number | true;
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

/** Option of the command that shows a list: it sets a filter of the request. */
interface FilterOption {
  readonly filter: string;
  readonly option: Option;
  /** Value that a flag sets; undefined: the one that is typed. */
  readonly value?: string;
  /** The filter takes an id, and the option a name of a user or group; `any`: or the id of something else. */
  readonly names?: 'resource' | 'any';
}

const OF_ONE = 'of one user or group: a userName, an address, a displayName or a SCIM id';
const OF_ANY = `${OF_ONE}; or the id of a drift, plan, token or client, or a provider`;

/** Options of filters that are not called as the filter is. */
const OPTIONS: Readonly<
  Record<
    string,
    readonly (Omit<FilterOption, 'filter' | 'option'> & { flags: string; help?: string })[]
  >
> = {
  q: [{ flags: '--search <text>' }],
  resource: [{ flags: '--of <name>', names: 'resource', help: OF_ONE }],
  target: [{ flags: '--of <name>', names: 'any', help: OF_ANY }],
  order: [{ flags: '--oldest', value: 'oldest', help: 'the oldest first instead of the newest' }],
  state: [{ flags: '--all', value: '', help: 'those that are revoked as well' }],
  managed: [
    { flags: '--managed', value: 'true' },
    { flags: '--unmanaged', value: 'false', help: 'the bridge only observes it' },
  ],
};

function listOptions(
  { filters, meanings, command: { defaults = {} } }: List<unknown>,
  filter: string,
): FilterOption[] {
  const meaning = toHelp(meanings?.[filter] ?? MEANINGS[filter] ?? filter);
  const known = OPTIONS[filter]?.map(({ flags, help = meaning, ...rest }) => {
    return { ...rest, filter, option: new Option(flags, help) };
  });
  if (known !== undefined) return known;
  const words = filters[filter];
  if (words?.includes('true')) {
    return [{ filter, value: 'true', option: new Option(`--${filter}`, meaning) }];
  }
  const option = new Option(`--${filter} <${filter}>`, meaning);
  if (defaults[filter] !== undefined) option.default(defaults[filter]);
  return [{ filter, option: typeof words === 'object' ? option.choices(words) : option }];
}

type Given = ShowOptions & Readonly<Record<string, unknown>> & { limit: number; csv?: true };

/** Makes the command that shows a list, and what acts on it. */
export function listCommand<Item>(
  list: List<Item>,
  addActs?: (command: Command, context: CliContext) => void,
): AddCommand {
  const options = Object.keys(list.filters).flatMap((filter) => listOptions(list, filter));
  return (program, context) => {
    const command = addCommand(program, list.command.name, list.summary);
    for (const { option } of options) command.addOption(option);
    command.option('--limit <number>', 'how many at most', parseCount, 50);
    command.addOption(new Option('--csv', 'as CSV').conflicts('json'));
    addShowOptions(command)
      .addHelpText('after', HELP)
      .action((given: Given) => showList(context, list, { options, given }));
    addActs?.(command, context);
  };
}

function showList<Item>(
  context: CliContext,
  { path, columns, command: { none, defaults = {}, scope } }: List<Item>,
  { options, given }: { readonly options: readonly FilterOption[]; readonly given: Given },
): Promise<void> {
  const { limit, csv } = given;
  const asked = options.filter(({ option }) => given[option.attributeName()] !== undefined);
  const toValue = ({ option, value }: FilterOption) =>
    value ?? String(given[option.attributeName()]);
  return show(context, {
    options: given,
    async read(client) {
      const query: Record<string, string> = { ...defaults };
      for (const option of asked)
        query[option.filter] = await toId(client, option, toValue(option));
      const filled = Object.entries(query).filter(([, value]) => value !== '');
      return readList<Item>(client, { path, query: Object.fromEntries(filled), limit, context });
    },
    toText({ items, nextCursor }) {
      if (csv) return toCsv(items, columns);
      const isWhole = asked.every((option) => {
        const usual = [defaults[option.filter], ''];
        return option.filter === scope || usual.includes(toValue(option));
      });
      if (items.length === 0) return `${(isWhole ? undefined : none[1]) ?? none[0]}\n`;
      return toFirstOf(items, { columns, context, hasMore: nextCursor !== null });
    },
  });
}

/** Finds the id of whom a list is about. @throws BridgeError `ops-failed` when it can only be a user or group and is none */
async function toId(client: OpsClient, { names }: FilterOption, name: string): Promise<string> {
  if (names === undefined || isId(name)) return name;
  try {
    return (await findResource(client, name)).id;
  } catch (error) {
    if (names !== 'any' || !isAbsent(error)) throw error;
    return name;
  }
}

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

interface Reading {
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  /** Entries at most; all when left out. */
  readonly limit?: number;
  readonly context: CliContext;
}

/** Reads as many entries as are wanted, with as few requests as that takes, and tells how far it is. */
export async function readList<Item, Answer extends Page<Item> = Page<Item>>(
  client: OpsClient,
  { path, query = {}, limit = Number.MAX_SAFE_INTEGER, context }: Reading,
): Promise<Answer> {
  const progress = createProgress(context);
  const items: Item[] = [];
  try {
    for (let first: Answer | undefined, cursor: string | undefined; ; ) {
      const asked = new URLSearchParams({
        limit: `${Math.min(PAGE, limit - items.length)}`,
        ...query,
        ...(cursor !== undefined && { cursor }),
      });
      const page = parseAnswer<Answer>(await client.send('GET', `${path}?${asked}`));
      items.push(...page.items);
      first ??= page;
      const { nextCursor } = page;
      // What a list says beside its items stands on its first page.
      if (nextCursor === null || items.length >= limit) return { ...first, items, nextCursor };
      progress.tell(`${toCount(items.length, 'entry', 'entries')} read`);
      cursor = nextCursor;
    }
  } finally {
    progress.end();
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
