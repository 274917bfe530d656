import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { FilterWords } from '../ops/http/list-query.ts';
import type { Act, Given } from '../ops/lists/list.ts';
import { toKebab } from '../ops/lists/list.ts';

/** Options of many commands. */
export const YES = ['--yes', 'do it without asking'] as const;
export const JSON_TEXT = ['--json', 'as JSON'] as const;

/** Words for the value of an option that is not called as its parameter or member. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  expires: 'duration',
  jwksUri: 'url',
  lifetime: 'duration',
  provider: 'name',
  until: 'date',
};

/** The option for a parameter of a request: a flag, one of its words, or a text. */
export function toOption(name: string, words: FilterWords, meaning: string): Option {
  const flag = `--${toKebab(name)}`;
  const help = toHelp(meaning);
  if (words.includes('true')) return new Option(flag, help);
  const option = new Option(`${flag} <${PLACEHOLDERS[name] ?? name}>`, help);
  return typeof words === 'string' ? option : option.choices(words);
}

/** An option with a number above 0. */
export function countOption(flags: string, meaning: string): Option {
  return new Option(flags, meaning).argParser((text) => {
    if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It is a whole number from 1 to 9999999.');
  });
}

/** Texts of an option that is `name=value` and may be repeated. */
export type Pairs = Readonly<Record<string, readonly string[]>>;

/** An option with `name=value` that may be repeated. */
export function pairOption(flags: string, meaning: string): Option {
  return new Option(flags, meaning).argParser(collectPair);
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Options of commands whose result has a table. */
export const TABLE_OPTIONS = [
  countOption('--limit <number>', 'how many at most').default(50),
  new Option('--csv', 'as CSV').conflicts('json'),
  JSON_TEXT,
] as const;

/** Makes an option for each member of a body, and a reader of the body. @param known members that are arguments */
export function bodyOptions(
  body: unknown,
  { flags = {}, nulls = {}, fixed = {}, known }: BodyWords & { known: string[] },
) {
  const all = body instanceof z.ZodUnion ? body.options : [body];
  const members = all
    .filter((one) => fits(one, fixed))
    .flatMap((one) => listMembers(one, { flags, nulls }))
    .filter(({ name }) => !known.includes(name) && !(name in fixed));
  return {
    options: members.map(({ option }) => option),
    read(typed: Given): Given {
      const values = { ...Object.fromEntries(known.map((name) => [name, typed[name]])), ...fixed };
      for (const { name, parent } of members) {
        const text = typed[name];
        if (text === undefined) continue;
        const value = String(text) === nulls[name] ? null : text;
        if (parent === undefined) values[name] = value;
        else values[parent] = { ...Object(values[parent]), [name]: value };
      }
      return values;
    },
  };
}

type BodyWords = Pick<Act<never>, 'flags' | 'nulls' | 'fixed'>;

/** True for the form of a body that has these values. */
function fits(form: unknown, fixed: Given): boolean {
  const shape = form instanceof z.ZodObject ? form.shape : {};
  return Object.entries(fixed).every(([name, value]) => shape[name]?.safeParse(value).success);
}

interface Member {
  readonly name: string;
  readonly parent: string | undefined;
  readonly option: Option;
}

function listMembers(body: unknown, own: BodyWords, parent?: string): Member[] {
  const { flags = {}, nulls = {} } = own;
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape).flatMap(([name, schema]) => {
    const { inner, words = name } = unwrap(schema);
    const isNested = inner instanceof z.ZodObject && !(name in flags);
    if (isNested) return listMembers(inner, own, name);
    // What is null in a body is a word here.
    const help = toHelp(words).replace(/\bnull(: any)?/, nulls[name] ?? 'null');
    return { name, parent, option: toBodyOption(name, inner, help, flags[name]) };
  });
}

/** The type of a member without what makes it optional or null, and its description. */
function unwrap(schema: unknown, words?: string): { inner: unknown; words: string | undefined } {
  const said = words ?? (schema instanceof z.ZodType ? schema.description : undefined);
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap(), said) : { inner: schema, words: said };
}

function toBodyOption(name: string, type: unknown, words: string, own: string | undefined): Option {
  const isFlag = type instanceof z.ZodBoolean || type instanceof z.ZodLiteral;
  const value = type instanceof z.ZodArray ? 'list' : (PLACEHOLDERS[name] ?? toKebab(name));
  const flag = own ?? `--${toKebab(name)}${isFlag ? '' : ` <${value}>`}`;
  // A refusal of the bridge names the member, whatever its option is called.
  const option = Object.assign(new Option(flag, words), { attributeName: () => name });
  if (type instanceof z.ZodEnum) return option.choices(type.options.map(String));
  if (type instanceof z.ZodArray)
    return option.argParser(own === undefined ? toList(type.element) : collect);
  if (type instanceof z.ZodRecord) return option.argParser(collectPair);
  if (type instanceof z.ZodNumber) return option.argParser(Number);
  return type instanceof z.ZodObject ? option.argParser(parseFile) : option;
}

/** Reads a list with commas; `all` is each of the words that are known. */
function toList(element: unknown): (text: string) => string[] {
  const known = element instanceof z.ZodEnum ? element.options.map(String) : undefined;
  return (text) => {
    if (text === 'all' && known) return known;
    return text.split(',').flatMap((word) => word.trim() || []);
  };
}

function collectPair(text: string, before: Pairs = {}): Pairs {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It is name=value.');
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

/** Read while options are parsed, so that a wrong file is a wrong option. @throws InvalidArgumentError */
function parseFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new InvalidArgumentError('It cannot be read, or is no JSON.');
  }
}

/** A sentence as the help of a command or an option. */
export function toHelp(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\.$/, '');
  return `${plain.charAt(0).toLowerCase()}${plain.slice(1)}`;
}
