import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { toCount } from '../domain/text.ts';
import {
  type Act,
  type FileAct,
  findQuestion,
  type Given,
  toKebab,
  toRequest,
} from '../ops/lists/act.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import {
  type AddCommand,
  addCommand,
  type CliContext,
  exitCodes,
  findResource,
  parseAnswer,
  toHelp,
  toJson,
} from './context.ts';
import {
  addTableOptions,
  PLACEHOLDERS,
  type TableOptions,
  toListText,
  toOption,
} from './listing.ts';
import { toText } from './table.ts';

/** What a command does in another way than its act says. */
interface Special {
  /** Sends something else than the one request. */
  readonly send?: (context: CliContext, given: Given) => Promise<unknown>;
  /** Says what is wrong with what was typed; undefined: nothing. */
  readonly findFault?: (given: Given) => string | undefined;
  /** Question that depends on what was given, or on the state of the bridge; undefined: none now. */
  readonly findQuestion?: (context: CliContext, given: Given) => Promise<string | undefined>;
}

/** Makes the command of a request: it asks where something is dangerous, sends, and says what came of it. */
export function actCommand<Answer>(act: Act<Answer>, special: Special = {}): AddCommand {
  const { send = sendAct } = special;
  return (program, context) => {
    const command = addCommand(program, act.command, act.summary);
    const body = act.body === undefined ? undefined : opsSchemas[act.body];
    const readOptions = addBodyOptions(command, { ...act, body, readFile: context.readFile });
    if (act.question !== undefined || special.findQuestion) command.option(...YES);
    command.option('--json', 'as one JSON object');
    if (act.help !== undefined) command.addHelpText('after', act.help);
    command.action(async () => {
      const { yes, json } = command.opts<{ yes?: true; json?: true }>();
      const given = { ...readArguments(command), ...readOptions() };
      const fault = special.findFault?.(given);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const question = findQuestion(act, given) ?? (await special.findQuestion?.(context, given));
      if (question && !(await confirm(command, context, { yes, question }))) return;
      const answer = parseAnswer<Answer>(await send(context, given));
      context.write(json ? toJson(answer) : toText(act.say(answer, given)));
    });
  };

  async function sendAct({ connect }: CliContext, given: Given): Promise<unknown> {
    const client = connect();
    const isOfOne = act.path.startsWith('/{resource}');
    const of = isOfOne ? await findResource(client, String(given.resource)) : undefined;
    const sent = toRequest(act, given, of);
    return client.send('POST', sent.path, sent.body);
  }
}

/** A large company takes a while, in milliseconds. */
const FILE_TIMEOUT_MS = 600_000;

/** Makes the command of a request with a provider's export: each parameter of the request is an option. */
export function fileCommand<Item, Answer extends { readonly items: readonly Item[] }>(
  act: FileAct<Answer, Item>,
): AddCommand {
  const { parameters, meanings } = act;
  return (program, context) => {
    const command = addCommand(program, act.command, act.summary);
    const known = command.registeredArguments.map((argument) => argument.name());
    if (!known.includes('file')) command.option('--file <file>', toHelp(act.fileOption ?? ''));
    for (const [name, words] of Object.entries(parameters)) {
      if (!known.includes(name)) command.addOption(toOption(name, words, meanings[name] ?? name));
    }
    if (act.kinds)
      command.addOption(new Option('--kind <kind...>', 'of these kinds').choices(act.kinds));
    addTableOptions(command).addHelpText('after', act.help);
    command.action(async () => {
      const options = command.opts<TableOptions & { kind?: readonly string[] }>();
      const given: Given = { ...options, ...readArguments(command) };
      const { file } = given;
      const bytes = file === undefined ? new Uint8Array() : await readExport(String(file));
      const client = context.connect(FILE_TIMEOUT_MS);
      const sent = parseAnswer<Answer>(await client.send('POST', toAddress(act, given), bytes));
      const answer = (options.kind && act.narrow?.(sent, options.kind)) ?? sent;
      const page = { items: act.listItems?.(answer) ?? answer.items, nextCursor: null };
      const shown = { columns: act.columns, none: '', options, context };
      const table = toListText(page, shown);
      const text = options.csv ? table : `${toText(act.say(answer))}${table}`;
      context.write(options.json ? toJson(answer) : text);
      if (act.isIncomplete?.(answer)) context.exitWith(exitCodes.incomplete);
    });
  };
}

/** The address of a request, whose body is a file: all else that was given is in it. */
function toAddress(
  { path, parameters }: Pick<FileAct<never, never>, 'path' | 'parameters'>,
  given: Given,
) {
  const query = new URLSearchParams();
  for (const name of Object.keys(parameters)) {
    // The values of an option that may be repeated are joined with commas.
    if (given[name] !== undefined) query.set(name, String(given[name]));
  }
  return `${toRequest({ path }, given).path}?${query}` as const;
}

/**
 * Reads a provider's export. A list in one JSON document (SCIM, Microsoft Graph, Okta) becomes one object a line, which
 * the bridge takes; all else is left as it is.
 * @throws BridgeError `file-unreadable`; `file-incomplete` for the first pages of a list, which would show people as gone
 */
async function readExport(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new BridgeError('file-unreadable', `${path} cannot be read.`, { cause });
  });
  const list = findList(bytes);
  if (list === undefined) return bytes;
  const { items, isWhole } = list;
  if (!isWhole) {
    const message = `${path} is one page of a list, with ${toCount(items.length, 'entry', 'entries')}: put all pages into one file, one object a line.`;
    throw new BridgeError('file-incomplete', message);
  }
  return Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

/** The entries of one JSON document, and whether it has all of them; undefined: it is something else. */
function findList(bytes: Buffer) {
  // Behind the mark of UTF-8, which is above all letters.
  const first = bytes.find((byte) => byte > 0x20 && byte < 0x80) ?? 0;
  if (!'{['.includes(String.fromCharCode(first))) return undefined;
  try {
    return findItems(JSON.parse(bytes.toString().replace(/^\uFEFF/, '')));
  } catch {
    return undefined; // One object a line, or no JSON: the bridge says which row it does not understand.
  }
}

/** A bare list has no place to say that more follow. @see RFC 7644 §3.4.2 (totalResults) */
function findItems(value: unknown) {
  if (Array.isArray(value)) return { items: value, isWhole: true };
  if (!isJsonObject(value)) return undefined;
  const { Resources, value: graph, totalResults, '@odata.nextLink': next } = value;
  if (Array.isArray(Resources)) {
    const isWhole = !(typeof totalResults === 'number' && totalResults > Resources.length);
    return { items: Resources, isWhole };
  }
  return Array.isArray(graph) ? { items: graph, isWhole: next === undefined } : undefined;
}

function readArguments({ registeredArguments, args }: Command): Given {
  const typed = registeredArguments.map((argument, place) => [argument.name(), args[place]]);
  return Object.fromEntries(typed.filter(([, text]) => text !== undefined));
}

interface BodyOptions {
  readonly body: unknown;
  readonly flags?: Readonly<Record<string, string>>;
  readonly nulls?: Readonly<Record<string, string>>;
  /** Member that the command itself sets. */
  readonly fixed?: string;
  readonly readFile: CliContext['readFile'];
}

interface Member {
  readonly name: string;
  readonly parent: string | undefined;
  readonly schema: unknown;
}

/** Adds an option for each member of a body that is no argument; returns a reader of what was given. */
export function addBodyOptions(command: Command, row: BodyOptions): () => Given {
  const known = new Set(command.registeredArguments.map((argument) => argument.name()));
  if (row.fixed !== undefined) known.add(row.fixed);
  const members = listMembers(row.body, row.flags).filter(({ name }) => !known.has(name));
  const options = members.map((member) => ({ ...member, option: toBodyOption(member, row) }));
  for (const { option } of options) command.addOption(option);
  return () => {
    const typed = command.opts<Record<string, unknown>>();
    const values: Record<string, unknown> = {};
    for (const { name, parent, option } of options) {
      const text = typed[option.attributeName()];
      if (text === undefined) continue;
      const value = String(text) === row.nulls?.[name] ? null : text;
      if (parent === undefined) values[name] = value;
      else values[parent] = { ...Object(values[parent]), [name]: value };
    }
    return values;
  };
}

function listMembers(body: unknown, flags: BodyOptions['flags'], parent?: string): Member[] {
  if (body instanceof z.ZodUnion) return body.options.flatMap((one) => listMembers(one, flags));
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape).flatMap(([name, schema]) => {
    const inner = unwrap(schema);
    const isNested = inner instanceof z.ZodObject && flags?.[name] === undefined;
    return isNested ? listMembers(inner, flags, name) : [{ name, parent, schema }];
  });
}

/** The schema of what a member holds when it is there. */
function unwrap(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function toBodyOption({ name, schema }: Member, { flags, readFile }: BodyOptions): Option {
  const inner = unwrap(schema);
  const isFlag = inner instanceof z.ZodBoolean || inner instanceof z.ZodLiteral;
  const value = inner instanceof z.ZodArray ? 'list' : (PLACEHOLDERS[name] ?? toKebab(name));
  const own = flags?.[name];
  const flag = own ?? `--${toKebab(name)}${isFlag ? '' : ` <${value}>`}`;
  const option = new Option(flag, toHelp(findWords(schema) ?? findWords(inner) ?? name));
  if (inner instanceof z.ZodEnum) return option.choices(inner.options.map(String));
  if (inner instanceof z.ZodArray) {
    const words =
      inner.element instanceof z.ZodEnum ? inner.element.options.map(String) : undefined;
    return option.argParser(own === undefined ? toList(words) : collect);
  }
  if (inner instanceof z.ZodRecord) return option.argParser(collectPair);
  if (inner instanceof z.ZodObject) return option.argParser((path) => parseFile(path, readFile));
  return option;
}

function findWords(schema: unknown): string | undefined {
  return schema instanceof z.ZodType ? schema.description : undefined;
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Reads a list with commas. @throws InvalidArgumentError, out of the reader, for a word that is none of the known */
function toList(known: readonly string[] | undefined): (text: string) => string[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    if (known === undefined) return words.filter((word) => word !== '');
    if (text === 'all') return [...known];
    const unknown = words.find((word) => !known.includes(word));
    if (unknown === undefined) return words;
    throw new InvalidArgumentError(`${unknown} is none of them: ${known.join(', ')}, or all.`);
  };
}

type Pairs = Readonly<Record<string, readonly string[]>>;

function collectPair(text: string, before: Pairs = {}): Pairs {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It is name=value.');
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

/** Read while options are parsed, so that a wrong file is a wrong option. @throws InvalidArgumentError */
function parseFile(path: string, readFile: CliContext['readFile']): unknown {
  try {
    return JSON.parse(readFile(path));
  } catch {
    throw new InvalidArgumentError('It cannot be read, or is no JSON.');
  }
}

/** Option that answers the question before something dangerous. */
export const YES = ['--yes', 'do it without asking'] as const;

/**
 * Asks before something dangerous is done; false: the person said no. Where nobody can be asked, `--yes` is wanted, and
 * without it the command ends with the code of wrong usage.
 */
export async function confirm(
  command: Command,
  { ask, writeError }: CliContext,
  { yes, question }: { readonly yes: true | undefined; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (ask === undefined) {
    command.error(`error: ${question} Nobody can be asked here: say --yes. Nothing was done.`);
  }
  const answer = await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  writeError('Nothing was done.\n');
  return false;
}
