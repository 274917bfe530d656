import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { FilterWords } from '../ops/http/list-query.ts';
import { type Act, type Given, toKebab } from '../ops/lists/list.ts';
import { toHelp } from './command.ts';

/** Words for the value of an option that is not called as its parameter or member. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
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

/** An option with a number above 0. */
export function countOption(flags: string, meaning: string): Option {
  return new Option(flags, meaning).argParser((text) => {
    if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It is a whole number from 1 to 9999999.');
  });
}

/** An option that may be repeated. */
export function repeatedOption(flags: string, meaning: string): Option {
  return new Option(flags, meaning).argParser(collect);
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

interface Member {
  readonly name: string;
  readonly parent: string | undefined;
  readonly schema: unknown;
}

/** Makes an option for each member of a body, and a reader of them. @param known members that the command sets itself */
export function bodyOptions(
  body: unknown,
  { flags = {}, nulls = {}, known }: Pick<Act<never>, 'flags' | 'nulls'> & { known: string[] },
) {
  const members = listMembers(body, flags).filter(({ name }) => !known.includes(name));
  const made = members.map((member) => ({ ...member, option: toBodyOption(member, flags) }));
  return {
    options: made.map(({ option }) => option),
    read(typed: Given): Given {
      const values: Record<string, unknown> = {};
      for (const { name, parent, option } of made) {
        const text = typed[option.attributeName()];
        if (text === undefined) continue;
        const value = String(text) === nulls[name] ? null : text;
        if (parent === undefined) values[name] = value;
        else values[parent] = { ...Object(values[parent]), [name]: value };
      }
      return values;
    },
  };
}

function listMembers(body: unknown, flags: object, parent?: string): Member[] {
  if (body instanceof z.ZodUnion) return body.options.flatMap((one) => listMembers(one, flags));
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape).flatMap(([name, schema]) => {
    const inner = unwrap(schema);
    const isNested = inner instanceof z.ZodObject && !(name in flags);
    return isNested ? listMembers(inner, flags, name) : [{ name, parent, schema }];
  });
}

function unwrap(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function toBodyOption({ name, schema }: Member, flags: Readonly<Record<string, string>>): Option {
  const inner = unwrap(schema);
  const isFlag = inner instanceof z.ZodBoolean || inner instanceof z.ZodLiteral;
  const value = inner instanceof z.ZodArray ? 'list' : (PLACEHOLDERS[name] ?? toKebab(name));
  const own = flags[name];
  const flag = own ?? `--${toKebab(name)}${isFlag ? '' : ` <${value}>`}`;
  const described = [schema, inner].flatMap((one) => (one instanceof z.ZodType ? one : []));
  const words = described.find(({ description }) => description)?.description;
  const option = new Option(flag, toHelp(words ?? name));
  if (inner instanceof z.ZodEnum) return option.choices(inner.options.map(String));
  if (inner instanceof z.ZodArray)
    return option.argParser(own === undefined ? toList(inner.element) : collect);
  if (inner instanceof z.ZodRecord) return option.argParser(collectPair);
  return inner instanceof z.ZodObject ? option.argParser(parseFile) : option;
}

/** Reads a list with commas. @throws InvalidArgumentError, out of the reader, for a word that is none of the known */
function toList(element: unknown): (text: string) => string[] {
  const known = element instanceof z.ZodEnum ? element.options.map(String) : undefined;
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    if (known === undefined) return words.filter((word) => word !== '');
    if (text === 'all') return known;
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
function parseFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new InvalidArgumentError('It cannot be read, or is no JSON.');
  }
}
