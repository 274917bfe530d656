import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/values.ts';
import type { ListAnswer } from '../ops/http/list-query.ts';
import type { Act, Given, List } from '../ops/lists/list.ts';
import { findQuestion, MEANINGS, NOTHING, toRequest } from '../ops/lists/list.ts';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import type { Call, CliContext, CommandRow } from './command.ts';
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

type TableOptions = Given & { readonly limit: number };

interface FilterOption {
  readonly flags: string;
  readonly help?: string;
  readonly value?: string;
}

const FILTER_OPTIONS: Readonly<Record<string, readonly FilterOption[]>> = {
  q: [{ flags: '--search <text>' }],
  resource: [{ flags: '--of <name>' }],
  target: [{ flags: '--of <name>' }],
  order: [{ flags: '--oldest', value: 'oldest', help: 'the oldest first instead of the newest' }],
  traced: [{ flags: '--traced', value: 'true' }],
  state: [{ flags: '--all', value: '', help: 'those that are revoked as well' }],
  managed: [
    { flags: '--managed', value: 'true' },
    { flags: '--unmanaged', value: 'false', help: 'the bridge only observes it' },
  ],
};

/** A request below `/ops` that is a command. */
export type Row = List<never> | Act<never>;

/** Makes the command of a list, or of another request. */
export function rowCommand(row: Row, send?: Send): CommandRow {
  return 'filters' in row ? listCommand(row) : actCommand(row, send);
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
    help: 'What --json and --csv print: docs/command-line.md#common-options.',
    options: [...known.map(({ option }) => option), ...TABLE_OPTIONS],
    async run({ typed, connect }) {
      const query: Record<string, string> = { ...defaults };
      for (const { filter, option, value } of known) {
        const text = typed[option.attributeName()];
        if (text !== undefined) query[filter] = value ?? String(text);
      }
      const page = await readList<never>(connect(), path, { query, limit: typed.limit });
      const { items, nextCursor } = page;
      const table = tableOf(items, columns, { hasMore: nextCursor !== null });
      return { json: page, text: items.length === 0 ? `${NOTHING}\n` : '', table };
    },
  });
}

/** Finds a user or group by a name or an id. @throws BridgeError `ops-failed` where none has it, or several */
function findResource(client: OpsClient, name: string) {
  return askOps(client, 'Explanation', `/explain/${encodeURIComponent(name)}`);
}

/** Reads as many entries as are wanted, all by default, with as few requests as that takes. An empty value is no filter. */
export async function readList<Item, Answer extends ListAnswer<Item> = ListAnswer<Item>>(
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
  send: Send = ({ connect }, given) => sendAct(act, connect, given),
): CommandRow {
  const { columns, file, meanings = {}, parameters = {} } = act;
  const inUsage = [...act.command.matchAll(/[<[](\w+)/g)].map(([, name = '']) => name);
  const others = Object.entries(parameters).filter(([name]) => !inUsage.includes(name));
  const schema = act.body && opsSchemas[act.body];
  const known = [...new Set([...inUsage, ...Object.keys(parameters), ...(file ? ['file'] : [])])];
  const body = bodyOptions(schema, { ...act, known });
  const hasDryRun = body.options.some((option) => option.attributeName() === 'dryRun');
  return commandOf<TableOptions>({
    usage: act.command,
    about: toHelp(act.summary),
    help: act.help,
    options: [
      ...(file === 'optional' ? [['--file <file>', toHelp(meanings.file ?? '')] as const] : []),
      ...others.map(([name, words]) => toOption(name, words, meanings[name] ?? name)),
      ...body.options,
      ...(act.question === undefined ? [] : [YES]),
      ...(columns === undefined ? [JSON_TEXT] : TABLE_OPTIONS),
    ],
    async run(call) {
      const { typed, write, writeError } = call;
      const given = body.read(typed);
      const ask = async (more: Given = {}) => {
        const answer = await send(call, { ...given, ...more });
        const json = parseAnswer<never>(answer);
        const text = toText(act.say(json, given));
        const code = (act.isWhole?.(json) ?? true) ? exitCodes.done : exitCodes.failed;
        if (columns === undefined) return { json, text, code };
        const { items } = parseAnswer<ListAnswer<never>>(answer);
        const found = items.filter((item) => act.isFinding?.(item) ?? true);
        const table = tableOf(found, columns, { limit: typed.limit });
        const hasFindings = act.isFinding !== undefined && found.length > 0;
        return { json, text, table, code: hasFindings ? exitCodes.incomplete : code };
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

/** A comparison of a large company takes a while, in milliseconds. */
const FILE_TIMEOUT_MS = 600_000;

async function sendAct(act: Act<never>, connect: CliContext['connect'], given: Given) {
  const file = act.file && (await readExport(given.file));
  const client = connect(file && FILE_TIMEOUT_MS);
  const isOfOne = act.path.startsWith('/{resource}');
  const of = isOfOne ? await findResource(client, String(given.resource)) : undefined;
  const { path, body } = toRequest(act, given, of);
  const query = new URLSearchParams();
  for (const name of Object.keys(act.parameters ?? {}))
    if (given[name] !== undefined) query.set(name, String(given[name]));
  const search = query.size === 0 ? '' : `?${query}`;
  return client.send('POST', `${path}${search}`, file ?? body);
}

/** Reads a provider's export; none is empty. @throws BridgeError `file-unreadable` */
async function readExport(path: unknown): Promise<Uint8Array> {
  if (path === undefined) return new Uint8Array();
  return readFile(String(path)).catch((cause: unknown) => {
    throw new BridgeError('file-unreadable', `${path} cannot be read.`, { cause });
  });
}
