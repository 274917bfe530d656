import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { FilterWords } from '../ops/http/list-query.ts';
import {
  type Act,
  type FileAct,
  findQuestion,
  type Given,
  toKebab,
  toRequest,
} from '../ops/lists/act.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext, toHelp } from './context.ts';
import { exitCodes, findResource, parseAnswer, toJson } from './json.ts';
import { addTableOptions, type TableOptions, toListText } from './listing.ts';
import { readExport } from './read-export.ts';
import { toText } from './table.ts';

/** Sends something else than the one request of an act. */
type Send = (context: CliContext, given: Given) => Promise<unknown>;

/** Makes the command of a request: it asks where something is dangerous, sends, and says what came of it. */
export function actCommand<Answer>(act: Act<Answer>, send?: Send): AddCommand {
  const { summary, command: row } = act;
  return (program, context) => {
    const command = addCommand(program, row.usage, summary);
    const body = act.body === undefined ? undefined : opsSchemas[act.body];
    const readOptions = addBodyOptions(command, { ...row, body, readFile: context.readFile });
    if (row.question !== undefined) command.option(...YES);
    command.option('--json', 'as one JSON object');
    if (row.help !== undefined) command.addHelpText('after', row.help);
    command.action(async () => {
      const { yes, json } = command.opts<{ yes?: true; json?: true }>();
      const given = { ...readArguments(command), ...readOptions() };
      const question = findQuestion(act, given);
      if (question && !(await confirm(command, context, { yes, question }))) return;
      const answer = parseAnswer<Answer>(await (send ?? sendAct)(context, given));
      context.write(json ? toJson(answer) : toText(row.say(answer, given)));
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
export function fileCommand<Answer, Item>(act: FileAct<Answer, Item>): AddCommand {
  const { summary, parameters, meanings, command: row } = act;
  return (program, context) => {
    const command = addCommand(program, row.usage, summary);
    const known = command.registeredArguments.map((argument) => argument.name());
    if (!known.includes('file')) command.option('--file <file>', toHelp(row.file));
    for (const [name, words] of Object.entries(parameters)) {
      if (!known.includes(name)) command.addOption(toParameter(name, words, meanings[name]));
    }
    addTableOptions(command).addHelpText('after', row.help);
    command.action(async () => {
      const options = command.opts<TableOptions & Record<string, unknown>>();
      const given: Given = { ...options, ...readArguments(command) };
      const { file } = given;
      const bytes = file === undefined ? new Uint8Array() : await readExport(String(file));
      const client = context.connect(FILE_TIMEOUT_MS);
      const answer = parseAnswer<Answer>(await client.sendFile(toAddress(act, given), bytes));
      const page = { items: row.listItems(answer), nextCursor: null };
      const shown = { columns: row.columns, none: '', options, context };
      const table = toListText(page, shown);
      const text = options.csv ? table : `${toText(row.say(answer))}${table}`;
      context.write(options.json ? toJson(answer) : text);
      if (row.isIncomplete(answer)) context.exitWith(exitCodes.incomplete);
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
    if (given[name] !== undefined) query.set(name, String(given[name]));
  }
  return `${toRequest({ path }, given).path}?${query}` as const;
}

function toParameter(name: string, words: FilterWords, meaning = name): Option {
  if (words === 'text') {
    return new Option(`--${name} <${PLACEHOLDERS[name] ?? name}>`, toHelp(meaning));
  }
  if (words.includes('true')) return new Option(`--${toKebab(name)}`, toHelp(meaning));
  return new Option(`--${name} <${name}>`, toHelp(meaning)).choices(words);
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
  const options = members.map((member) => ({ ...member, option: toOption(member, row) }));
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

/** Words for the value of an option that is not called as its member. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  expires: 'duration',
  jwksUri: 'url',
  lifetime: 'duration',
  map: 'column=attribute,...',
  provider: 'name',
  until: 'date',
};

function toOption({ name, schema }: Member, { flags, readFile }: BodyOptions): Option {
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
