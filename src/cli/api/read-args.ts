import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Fields, Operation } from '../../upstream/operations/operation.ts';
import { isNamed, type Named, toTypes } from '../../upstream/operations/part.ts';
import type { ApiOptions } from '../api.ts';
import type { CliContext } from '../context.ts';
import { parseTyped } from './parse-typed.ts';

/** Arguments of a call, unchecked: the transport checks them. */
export interface GivenArgs {
  readonly path?: Named;
  readonly query?: Named;
  readonly body?: Named;
  readonly everything?: true;
}

/**
 * Converts the typed texts into the types of the operation.
 * @throws TypeError that says which text does not fit
 */
export async function readArgs(
  { id, pathParameters, query, body }: Operation,
  options: ApiOptions,
  context: Pick<CliContext, 'readFile' | 'readInput'>,
): Promise<GivenArgs> {
  const given = options.body === undefined ? {} : await readBody(options.body, context);
  return {
    ...toPart('path', parsePairs(`${id}: --path`, options.path, pathParameters)),
    ...toPart('query', parsePairs(`${id}: --query`, options.query, query)),
    ...toPart('body', { ...given, ...(await openFiles(options.file, body)) }),
    ...(options.everything === undefined ? {} : { everything: true }),
  };
}

function toPart(part: 'path' | 'query' | 'body', values: Named): GivenArgs {
  return Object.keys(values).length === 0 ? {} : { [part]: values };
}

function parsePairs(label: string, pairs: readonly string[] = [], fields: Fields = {}): Named {
  const types = toTypes(fields);
  const texts = Map.groupBy(pairs.map(splitPair), ({ name }) => name);
  const values = [...texts].map(([name, given]) => {
    const type = types.get(name);
    if (type === undefined) {
      const known = types.size === 0 ? 'nothing' : [...types.keys()].join(', ');
      throw new TypeError(`${label} ${name} is unknown; it takes ${known}`);
    }
    const typed = parseTyped(
      type,
      given.map(({ text }) => text),
    );
    if (typed.kind === 'wrong') throw new TypeError(`${label} ${name} ${typed.problem}`);
    return [name, typed.value] as const;
  });
  return Object.fromEntries(values);
}

function splitPair(pair: string): { name: string; text: string } {
  const at = pair.indexOf('=');
  if (at < 1) throw new TypeError(`"${pair}" has to be name=value`);
  return { name: pair.slice(0, at), text: pair.slice(at + 1) };
}

async function readBody(
  given: string,
  { readFile, readInput }: Pick<CliContext, 'readFile' | 'readInput'>,
): Promise<Named> {
  const text = given === '-' ? await readInput() : readGiven(given, readFile);
  return parseBody(text);
}

function readGiven(given: string, readFile: CliContext['readFile']): string {
  if (!given.startsWith('@')) return given;
  try {
    return readFile(given.slice(1));
  } catch (cause) {
    throw new TypeError(`--body: ${given.slice(1)} cannot be read`, { cause });
  }
}

function parseBody(text: string): Named {
  try {
    const value: unknown = JSON.parse(text);
    if (isNamed(value)) return value;
  } catch (cause) {
    throw new TypeError('--body is no JSON', { cause });
  }
  throw new TypeError('--body has to be a JSON object');
}

/** Files by parameter; a list where the operation takes one, or where several were given. */
async function openFiles(pairs: readonly string[] = [], fields: Fields = {}): Promise<Named> {
  const types = toTypes(fields);
  const values: [string, File | File[]][] = [];
  for (const [name, given] of Map.groupBy(pairs.map(splitPair), (pair) => pair.name)) {
    const files = await Promise.all(given.map(({ text }) => openFile(name, text)));
    const [only, ...more] = files;
    const isList = types.get(name) === 'file[]' || more.length > 0;
    values.push([name, isList || only === undefined ? files : only]);
  }
  return Object.fromEntries(values);
}

async function openFile(name: string, text: string): Promise<File> {
  if (!text.startsWith('@')) throw new TypeError(`--file ${name} has to be ${name}=@path`);
  const path = text.slice(1);
  try {
    // Read when it is sent, piece by piece.
    return new File([await openAsBlob(path)], basename(path));
  } catch (cause) {
    throw new TypeError(`--file ${name}: ${path} cannot be read`, { cause });
  }
}
