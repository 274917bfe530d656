import { type Command, InvalidArgumentError, Option } from 'commander';
import { isAbsent, type OpsClient } from '../app/ops-client.ts';
import { isId } from '../domain/ids.ts';
import type { FilterWords } from '../ops/http/list-query.ts';
import { toKebab } from '../ops/lists/act.ts';
import { type Column, type List, MEANINGS, NOTHING, toCsv } from '../ops/lists/list.ts';
import {
  type AddCommand,
  addCommand,
  type CliContext,
  findResource,
  parseAnswer,
  toHelp,
  toJson,
} from './context.ts';
import { toTable } from './table.ts';

/** The most entries that the bridge answers at once. */
const PAGE = 1_000;

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
  { filters, meanings, defaults = {} }: Omit<List<never>, 'columns'>,
  filter: string,
): FilterOption[] {
  const meaning = meanings?.[filter] ?? MEANINGS[filter] ?? filter;
  const known = OPTIONS[filter]?.map(({ flags, help = toHelp(meaning), ...rest }) => {
    return { ...rest, filter, option: new Option(flags, help) };
  });
  if (known !== undefined) return known;
  const option = toOption(filter, filters[filter] ?? 'text', meaning);
  if (defaults[filter] !== undefined) option.default(defaults[filter]);
  return [{ filter, option }];
}

/** Words for the value of an option that is not called as its parameter or member. */
export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  expires: 'duration',
  jwksUri: 'url',
  lifetime: 'duration',
  map: 'column=attribute...',
  provider: 'name',
  until: 'date',
};

/** The option for a parameter of a request: a flag, one of its words, or a text. */
export function toOption(name: string, words: FilterWords, meaning: string): Option {
  const flag = `--${toKebab(name)}`;
  const help = toHelp(meaning);
  if (words.includes('true')) return new Option(flag, help);
  const option = new Option(`${flag} <${PLACEHOLDERS[name] ?? name}>`, help);
  return words === 'text' ? option : option.choices(words);
}

type Given = TableOptions & Readonly<Record<string, unknown>>;

/** Makes the command that shows a list, and what acts on it. */
export function listCommand<Item>(
  list: List<Item>,
  addActs?: (command: Command, context: CliContext) => void,
): AddCommand {
  const { path, columns, defaults = {} } = list;
  const options = Object.keys(list.filters).flatMap((filter) => listOptions(list, filter));
  return (program, context) => {
    const command = addCommand(program, list.command, list.summary);
    for (const { option } of options) command.addOption(option);
    addTableOptions(command)
      .addHelpText('after', HELP)
      .action(async (given: Given) => {
        const client = context.connect();
        const asked = options.filter(({ option }) => given[option.attributeName()] !== undefined);
        const toValue = ({ option, value }: FilterOption) =>
          value ?? String(given[option.attributeName()]);
        const query: Record<string, string> = { ...defaults };
        for (const option of asked)
          query[option.filter] = await toId(client, option, toValue(option));
        const page = await readList<Item>(client, { path, query, limit: given.limit });
        const none = `${NOTHING}\n`;
        const text = () => toListText(page, { columns, none, options: given, context });
        context.write(given.json ? toJson(page) : text());
      });
    addActs?.(command, context);
  };
}

/** Options of what is shown as a table. */
export interface TableOptions {
  readonly limit: number;
  readonly json?: true;
  readonly csv?: true;
}

/** Adds `--limit`, `--csv` and `--json`. */
export function addTableOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'how many at most', parseCount, 50)
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .option('--json', 'as JSON');
}

interface Shown<Item> {
  readonly columns: readonly Column<Item>[];
  /** What is written about an empty list. */
  readonly none: string;
  readonly options: TableOptions;
  readonly context: CliContext;
}

/** Writes the first entries of a list as a table or as CSV, and says where there are more. */
export function toListText<Item>(
  { items, nextCursor }: Page<Item>,
  { columns, none, options: { limit, csv }, context }: Shown<Item>,
): string {
  if (csv) return toCsv(items, columns);
  if (items.length === 0) return none;
  const shown = items.slice(0, limit);
  const hasMore = nextCursor !== null || items.length > limit;
  const more = hasMore ? `There are more than these ${shown.length}: --limit\n` : '';
  return `${toTable(shown, columns, context)}${more}`;
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

interface Reading {
  readonly path: `/${string}`;
  /** An empty value is no filter. */
  readonly query?: Readonly<Record<string, string>>;
  /** Entries at most; all when left out. */
  readonly limit?: number;
}

/** Reads as many entries as are wanted, with as few requests as that takes. */
export async function readList<Item, Answer extends Page<Item> = Page<Item>>(
  client: OpsClient,
  { path, query = {}, limit = Number.MAX_SAFE_INTEGER }: Reading,
): Promise<Answer> {
  const filters = Object.entries(query).filter(([, value]) => value !== '');
  const items: Item[] = [];
  for (let first: Answer | undefined, cursor: string | undefined; ; ) {
    const asked = new URLSearchParams(filters);
    asked.set('limit', `${Math.min(PAGE, limit - items.length)}`);
    if (cursor !== undefined) asked.set('cursor', cursor);
    const page = parseAnswer<Answer>(await client.send('GET', `${path}?${asked}`));
    items.push(...page.items);
    first ??= page;
    const { nextCursor } = page;
    // What a list says beside its items stands on its first page.
    if (nextCursor === null || items.length >= limit) return { ...first, items, nextCursor };
    cursor = nextCursor;
  }
}

/** Parses a whole number above 0. @throws InvalidArgumentError, which is wrong usage */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 to 9999999.');
}
