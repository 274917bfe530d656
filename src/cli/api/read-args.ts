import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SentCall } from '../../ops/api/routes.ts';
import type { Fields, Operation } from '../../upstream/operations/operation.ts';
import { isFileType, isNamed, type Named, toTypes } from '../../upstream/operations/part.ts';
import type { CliContext } from '../command.ts';

/** Options of `api`, as they were typed. */
export interface ApiOptions {
  readonly path?: readonly string[];
  readonly query?: readonly string[];
  /** JSON, `@file`, or `-` for standard input. */
  readonly body?: string;
  readonly file?: readonly string[];
  /** Allows an operation that changes all matching entries to be sent without any condition. */
  readonly everything?: true;
  readonly paginate?: true;
  /** The group to list; `true` lists all. */
  readonly list?: string | true;
  readonly help?: true;
}

/**
 * Converts the typed texts into the types of the operation, and files into base64; the operation checks them.
 * @throws TypeError that says which text does not fit
 */
export async function readArgs(
  { id, pathParameters, query }: Operation,
  options: ApiOptions,
  context: Pick<CliContext, 'readFile' | 'readInput'>,
): Promise<SentCall> {
  const parts = {
    path: parsePairs(`${id}: --path`, options.path, pathParameters),
    query: parsePairs(`${id}: --query`, options.query, query),
    body: options.body === undefined ? {} : await readBody(options.body, context),
    files: await readFiles(options.file),
  };
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  const everything = options.everything && { everything: options.everything };
  return { ...Object.fromEntries(filled), ...everything };
}

function parsePairs(label: string, pairs: readonly string[] = [], fields: Fields = {}): Named {
  const types = toTypes(fields);
  const values = [...groupPairs(pairs)].map(([name, texts]) => {
    const type = types.get(name);
    if (type === undefined) {
      const known = types.size === 0 ? 'nothing' : [...types.keys()].join(', ');
      throw new TypeError(`${label} ${name} is unknown; it takes ${known}`);
    }
    return [name, parseTyped(`${label} ${name}`, type, texts)] as const;
  });
  return Object.fromEntries(values);
}

function groupPairs(pairs: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new TypeError(`"${pair}" has to be name=value`);
    const name = pair.slice(0, at);
    groups.set(name, [...(groups.get(name) ?? []), pair.slice(at + 1)]);
  }
  return groups;
}

/**
 * Parses texts as a value of a type in the notation of operations. A list is given one by one or with commas, an object
 * as JSON. The operation itself checks whether the value fits exactly. @throws TypeError
 */
function parseTyped(label: string, type: string, texts: readonly string[]): unknown {
  const item = /^\((.+)\)\[\]$/.exec(type)?.[1] ?? /^([^|]+)\[\]$/.exec(type)?.[1];
  const given = item === undefined ? texts : texts.flatMap((text) => text.split(','));
  const alternatives = (item ?? type).split(' | ');
  const values = given.map((text) => {
    const found = alternatives.map((one) => readAs(one, text)).find((one) => one !== undefined);
    if (found === undefined) throw new TypeError(`${label} must be ${type}`);
    return found;
  });
  if (item !== undefined) return values;
  if (values.length > 1) throw new TypeError(`${label} was given more than once`);
  return values[0];
}

/** The text as one type; undefined: it is none of it. A number may be the type itself, and so may a quoted word. */
function readAs(type: string, text: string): unknown {
  if (type === 'string' || type === 'unknown' || type === `'${text}'`) return text;
  const value = findJson(text);
  if (value === null || value === undefined) return undefined;
  const isFit = type === text || typeof value === (type === 'integer' ? 'number' : type);
  return isFit ? value : undefined;
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The message names what was expected.
  }
}

/** @param given JSON, `@file`, or `-` for standard input. @throws TypeError */
async function readBody(given: string, context: Pick<CliContext, 'readFile' | 'readInput'>) {
  let text = given;
  try {
    if (given === '-') text = await context.readInput();
    else if (given.startsWith('@')) text = context.readFile(given.slice(1));
  } catch (cause) {
    throw new TypeError(`--body: ${given.slice(1)} cannot be read`, { cause });
  }
  const value = findJson(text);
  if (isNamed(value)) return value;
  throw new TypeError(value === undefined ? '--body is no JSON' : '--body has to be a JSON object');
}

async function readFiles(pairs: readonly string[] = []): Promise<SentCall['files'] & object> {
  const files: Record<string, { content: string; name: string }[]> = {};
  for (const [name, texts] of groupPairs(pairs)) {
    files[name] = await Promise.all(
      texts.map(async (text) => {
        if (!text.startsWith('@')) throw new TypeError(`--file ${name} has to be ${name}=@path`);
        const path = text.slice(1);
        const content = await readFile(path, 'base64').catch((cause: unknown) => {
          throw new TypeError(`--file ${name}: ${path} cannot be read`, { cause });
        });
        return { content, name: basename(path) };
      }),
    );
  }
  return files;
}

/** Describes the parameters and the answer of an operation, from its row. */
export function toOperationHelp(operation: Operation): string {
  const { id, about, method, path, pathParameters = {}, query, body, conditions } = operation;
  const { stage, source, paging, content, deprecated } = operation;
  const required = Object.entries(pathParameters).map(([name, type]) => [`${name}*`, type]);
  const notes = [stage, source === 'field-notes' ? 'not in the documents of the service' : ''];
  const remarks = notes.filter(Boolean).join(', ');
  const isForm = content === 'multipart' || content === 'json-or-multipart';
  const { kind, fields } = operation.response;
  const what = kind === 'array' ? 'a list of objects' : 'an object';
  const answer = fields.length === 0 ? what : `${what} with ${fields.join(', ')}`;
  const sections = [
    `Usage: scim-bridge api ${id}${toUsage(operation)}`,
    `${method} ${path}${remarks === '' ? '' : `   (${remarks})`}`,
    about,
    toTable('--path', Object.fromEntries(required)),
    toTable('--query', query),
    toTable(isForm ? '--body, files with --file' : '--body', body, deprecated),
    conditions &&
      `Without ${conditions.join(', ')} it changes all there is, and needs --everything.`,
    `Answer: ${kind === 'none' ? 'nothing' : answer}`,
    paging && `--paginate reads the whole list (${paging}).`,
    Object.keys({ ...pathParameters, ...query, ...body }).length > 0 && '* required',
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

function toUsage({ pathParameters = {}, query = {}, body = {} }: Operation): string {
  const required = (fields: Fields) =>
    Object.keys(fields).flatMap((name) => (name.endsWith('*') ? name.slice(0, -1) : []));
  const isFile = (name: string) => isFileType(body[`${name}*`]);
  const inBody = required(body);
  const json = inBody.flatMap((name) => (isFile(name) ? [] : `"${name}":…`)).join(',');
  return [
    ...Object.keys(pathParameters).map((name) => ` --path ${name}=…`),
    ...required(query).map((name) => ` --query ${name}=…`),
    json && ` --body '{${json}}'`,
    ...inBody.filter(isFile).map((name) => ` --file ${name}=@…`),
  ].join('');
}

function toTable(title: string, fields: Fields = {}, deprecated: readonly string[] = []): string {
  const rows = Object.entries(fields);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, type]) => {
    const note = deprecated.includes(name) ? '   (deprecated)' : '';
    return `  ${name.padEnd(width)}  ${type}${note}`;
  });
  return lines.length === 0 ? '' : [`${title}:`, ...lines].join('\n');
}
