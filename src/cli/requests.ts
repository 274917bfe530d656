import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { isAnswered } from '../app/ops-client.ts';
import { BridgeError, isId } from '../domain/values.ts';
import type { Act, FileAct, Given, List } from '../ops/lists/list.ts';
import { findQuestion, MEANINGS, NOTHING, toRequest } from '../ops/lists/list.ts';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import type { Call, CommandRow } from './command.ts';
import { commandOf, confirm, exitCodes } from './command.ts';
import { bodyOptions, JSON_TEXT, TABLE_OPTIONS, toHelp, toOption, YES } from './options.ts';
import { tableOf, toText } from './table.ts';

/** Types an answer of a bridge of the same version; the caller names the type that describes the route. */
export function parseAnswer<T>(answer: unknown): T {
  return answer as T;
}

/** Reads below `/ops`, or sends where there is a body. `name` is the schema of the answer. @throws BridgeError `ops-failed` */
export async function askOps<Name extends OpsSchemaName>(
  client: OpsClient,
  _name: Name,
  path: `/${string}`,
  body?: object,
): Promise<OpsJson<Name>> {
  return parseAnswer(await client.send(body ? 'POST' : 'GET', path, body));
}

const PAGE = 1_000;

const LIST_HELP = `
--json prints { "items": [...], "nextCursor": ... } as GET /ops/openapi.json describes it; nextCursor is null
when nothing follows. Tables fit the terminal; colours are for a terminal alone, and NO_COLOR=1 switches them off.`;

type TableOptions = Given & { readonly limit: number };

const OF_ONE = 'of one user or group: a userName, an address, a displayName or a SCIM id';
const OF_ANY = `${OF_ONE}; or the id of a drift, plan, token or client, or a provider`;

interface FilterOption {
  readonly flags: string;
  readonly help?: string;
  readonly value?: string;
  /** The filter takes an id, and the option a name of a user or group; `any`: or the id of something else. */
  readonly names?: 'resource' | 'any';
}

const FILTER_OPTIONS: Readonly<Record<string, readonly FilterOption[]>> = {
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

type FileAnswer = { readonly items: readonly never[] };
type FileRow = FileAct<FileAnswer, never>;

/** A request below `/ops` that is a command. */
export type Row = List<never> | Act<never> | FileRow;

/** Makes the command of a list, of a request with a file, or of another request. */
export function rowCommand(row: Row, send?: Send): CommandRow {
  if ('filters' in row) return listCommand(row);
  return 'parameters' in row ? fileCommand(row) : actCommand(row, send);
}

function listCommand(list: List<never>): CommandRow {
  const { path, columns, defaults = {}, filters, meanings = {} } = list;
  const known = Object.entries(filters).flatMap(([filter, words]) => {
    const meaning = meanings[filter] ?? MEANINGS[filter] ?? filter;
    const usual = toOption(filter, words, meaning).default(defaults[filter]);
    return (FILTER_OPTIONS[filter] ?? [{ flags: '' }]).map(({ flags, help, ...one }) => {
      const option = flags === '' ? usual : new Option(flags, help ?? toHelp(meaning));
      return { ...one, filter, option };
    });
  });
  return commandOf<TableOptions>({
    usage: list.command,
    about: toHelp(list.summary),
    help: LIST_HELP,
    options: [...known.map(({ option }) => option), ...TABLE_OPTIONS],
    async run({ typed, connect }) {
      const client = connect();
      const query: Record<string, string> = { ...defaults };
      for (const { filter, option, value, names } of known) {
        const text = typed[option.attributeName()];
        if (text !== undefined) query[filter] = await toId(client, value ?? String(text), names);
      }
      const page = await readList<never>(client, path, { query, limit: typed.limit });
      const { items, nextCursor } = page;
      const table = tableOf(items, columns, { hasMore: nextCursor !== null });
      return { json: page, text: items.length === 0 ? `${NOTHING}\n` : '', table };
    },
  });
}

/** Finds the id of whom a list is about. @throws BridgeError `ops-failed` when it can only be a user or group and is none */
async function toId(client: OpsClient, name: string, names: FilterOption['names']) {
  if (names === undefined || isId(name)) return name;
  try {
    return (await findResource(client, name)).id;
  } catch (error) {
    if (names !== 'any' || !isAnswered(error, 404)) throw error;
    return name;
  }
}

/** Finds a user or group by a name or an id. @throws BridgeError `ops-failed` where none has it, or several */
function findResource(client: OpsClient, name: string) {
  return askOps(client, 'Explanation', `/explain/${encodeURIComponent(name)}`);
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Reads as many entries as are wanted, all by default, with as few requests as that takes. An empty value is no filter. */
export async function readList<Item, Answer extends Page<Item> = Page<Item>>(
  client: OpsClient,
  path: `/${string}`,
  {
    query = {},
    limit = Number.MAX_SAFE_INTEGER,
  }: { query?: Readonly<Record<string, string>>; limit?: number } = {},
): Promise<Answer> {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const items: Item[] = [];
  for (let first: Answer | undefined; ; ) {
    asked.set('limit', `${Math.min(PAGE, limit - items.length)}`);
    const page = parseAnswer<Answer>(await client.send('GET', `${path}?${asked}`));
    items.push(...page.items);
    first ??= page;
    const { nextCursor } = page;
    // What a list says beside its items stands on its first page.
    if (nextCursor === null || items.length >= limit) return { ...first, items, nextCursor };
    asked.set('cursor', nextCursor);
  }
}

/** Sends the request of a command. @returns its answer */
export type Send = (call: Call<Given>, given: Given) => Promise<unknown>;

/** Makes the command of a request: it shows a dry run and asks where something is dangerous, sends, and says what came of it. */
function actCommand(
  act: Act<never>,
  send: Send = ({ connect }, given) => sendAct(act, connect(), given),
): CommandRow {
  const schema = act.body && opsSchemas[act.body];
  const body = bodyOptions(schema, { ...act, known: listArguments(act.command) });
  const hasDryRun = body.options.some((option) => option.attributeName() === 'dryRun');
  return commandOf<Given>({
    usage: act.command,
    about: toHelp(act.summary),
    help: act.help,
    options: [...body.options, ...(act.question === undefined ? [] : [YES]), JSON_TEXT],
    async run(call) {
      const { typed, write, writeError } = call;
      const given = body.read(typed);
      const ask = async (more: Given = {}) => {
        const json = parseAnswer<never>(await send(call, { ...given, ...more }));
        const code = (act.isWhole?.(json) ?? true) ? exitCodes.done : exitCodes.failed;
        return { json, text: toText(act.say(json, given)), code };
      };
      const question = findQuestion(act, given);
      if (question === undefined || typed.yes || given.dryRun) return ask();
      const preview = hasDryRun ? await ask({ dryRun: true }) : undefined;
      if (preview) (typed.json ? writeError : write)(preview.text);
      if (!(await confirm(call, question))) return undefined;
      return ask(preview && act.confirmed?.(preview.json));
    },
  });
}

function listArguments(usage: string): string[] {
  return [...usage.matchAll(/[<[](\w+)/g)].map(([, name = '']) => name);
}

async function sendAct(act: Act<never>, client: OpsClient, given: Given): Promise<unknown> {
  const isOfOne = act.path.startsWith('/{resource}');
  const of = isOfOne ? await findResource(client, String(given.resource)) : undefined;
  const sent = toRequest(act, given, of);
  return client.send('POST', sent.path, sent.body);
}

/** A large company takes a while, in milliseconds. */
const FILE_TIMEOUT_MS = 600_000;

/** Makes the command of a request with a provider's export: each parameter of the request is an option. */
function fileCommand(act: FileRow): CommandRow {
  const { command, parameters, meanings, columns } = act;
  const known = listArguments(command);
  const file = ['--file <file>', toHelp(act.fileOption ?? '')] as const;
  const others = Object.entries(parameters).filter(([name]) => !known.includes(name));
  return commandOf<TableOptions & { readonly file?: string }>({
    usage: command,
    about: toHelp(act.summary),
    help: act.help,
    options: [
      ...(known.includes('file') ? [] : [file]),
      ...others.map(([name, words]) => toOption(name, words, meanings[name] ?? name)),
      ...TABLE_OPTIONS,
    ],
    async run({ typed, connect }) {
      const { file, limit } = typed;
      const reading = file === undefined ? new Uint8Array() : readFile(file);
      const body = await Promise.resolve(reading).catch((cause: unknown) => {
        throw new BridgeError('file-unreadable', `${file} cannot be read.`, { cause });
      });
      // All else that was given is in the address.
      const query = new URLSearchParams();
      for (const name of Object.keys(parameters))
        if (typed[name] !== undefined) query.set(name, String(typed[name]));
      const path = `${toRequest({ path: act.path }, typed).path}?${query}` as const;
      const json = parseAnswer<FileAnswer>(await connect(FILE_TIMEOUT_MS).send('POST', path, body));
      const items = json.items.filter((item) => act.isFinding?.(item) ?? true);
      const hasFindings = act.isFinding !== undefined && items.length > 0;
      return {
        json,
        text: () => toText(act.say(json)),
        table: tableOf(items, columns, { limit }),
        code: hasFindings ? exitCodes.incomplete : undefined,
      };
    },
  });
}
