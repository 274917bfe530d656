import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { findJson } from '../app/ops-client.ts';
import { toTransportOptions } from '../app/settings.ts';
import { BridgeError } from '../domain/values.ts';
import * as operations from '../ops/api/routes.ts';
import { SettingsError } from '../settings/errors.ts';
import { findNearest } from '../settings/nearest.ts';
import type { Settings } from '../settings/schema.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Fields, Operation, PagedOperation } from '../upstream/operations/operation.ts';
import { compileFieldType, isFileType, isNamed, toTypes } from '../upstream/operations/part.ts';
import { paginate, pagingParameters } from '../upstream/paginate.ts';
import { createTransport, type Transport, type TransportOptions } from '../upstream/transport.ts';
import { type Call, type CliContext, exitCodes, toJson, WrongUsage } from './command.ts';
import { toDetails } from './table.ts';

/** What is typed behind `api`. */
export interface ApiOptions {
  readonly operation?: string;
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

/** Runs `api`. @throws SettingsError when the settings name neither a bridge nor a service; WrongUsage */
export async function runApi(call: Call<ApiOptions>) {
  const { operation: id, list, help } = call.typed;
  if (list !== undefined) return { text: toList(list) };
  if (id === undefined) {
    if (help) return void call.command.outputHelp();
    throw new WrongUsage(
      'error: name an operation, such as groups.getListOfGroups; --list shows all',
    );
  }
  const operation = operations.findOperation(id);
  if (operation === undefined) throw unknown('operation', id, operations.findNearOperation(id));
  if (help) return { text: toOperationHelp(operation) };
  try {
    return await callOperation(call, operation);
  } catch (error) {
    // Nothing was sent: a typed text does not fit the operation.
    if (error instanceof TypeError) throw new WrongUsage(`error: ${error.message}`);
    if (!(error instanceof UpstreamError)) throw error;
    // A refused token does not recover by itself, so it is no temporary failure.
    const isLater = error.retry === 'later' && error.code !== 'credentials-refused';
    const code = isLater ? exitCodes.later : exitCodes.failed;
    return { notes: `${JSON.stringify(operations.toApiFailure(error))}\n`, code };
  }
}

function toList(asked: string | true): string {
  const all = operations.allOperations.map(({ id, method, path, stage }) => {
    return { group: id.slice(0, id.indexOf('.')), row: { operation: id, method, path, stage } };
  });
  const found = all.filter(({ group }) => asked === true || group === asked);
  const groups = all.map(({ group }) => group);
  if (asked !== true && found.length === 0)
    throw unknown('group', asked, findNearest(asked, groups));
  return `[\n${found.map(({ row }) => JSON.stringify(row)).join(',\n')}\n]\n`;
}

function unknown(kind: string, name: string, near: string | undefined): WrongUsage {
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new WrongUsage(`error: there is no ${kind} ${name}${hint}`);
}

const PAGE_SIZE = 100;

async function callOperation(context: Call<ApiOptions>, operation: Operation) {
  const args = await readArgs(operation, context);
  if (!context.typed.paginate) {
    const result = await withCaller(context, (caller) => caller.call(operation, args));
    return { text: toJson(result ?? null) };
  }
  if (!isPaged(operation))
    throw new TypeError(`${operation.id} answers at once: leave --paginate out`);
  const { query = {} } = args;
  const parameters: readonly string[] = pagingParameters[operation.paging];
  const place = parameters.find((name) => name in query && name !== 'limit' && name !== 'count');
  if (place !== undefined)
    throw new TypeError(`--paginate begins at the first page: leave ${place} out`);
  const pageSize = Number(query.limit ?? query.count ?? PAGE_SIZE);
  if (!(pageSize >= 1)) throw new TypeError('a page has to have at least one entry');
  return withCaller(context, async (caller) => {
    const pages = paginate(caller, operation, args, { pageSize });
    const items: unknown[] = [];
    for await (const page of pages) items.push(...page.items);
    const code = pages.result.complete ? exitCodes.done : exitCodes.incomplete;
    return { text: toJson(items), code };
  });
}

function isPaged(operation: Operation): operation is PagedOperation {
  return operation.paging !== undefined;
}

/** Converts texts into the types of the operation, and files into base64. @throws TypeError that says which does not fit */
async function readArgs(
  { id, pathParameters, query }: Operation,
  { typed, ...context }: Call<ApiOptions>,
): Promise<operations.SentCall> {
  const { body, everything } = typed;
  const parts = {
    path: parsePairs(`${id}: --path`, typed.path, pathParameters),
    query: parsePairs(`${id}: --query`, typed.query, query),
    body: body === undefined ? {} : await readBody(body, context),
    files: await readFiles(typed.file),
  };
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return { ...Object.fromEntries(filled), ...(everything && { everything }) };
}

function parsePairs(label: string, pairs: readonly string[] = [], fields: Fields = {}) {
  const types = toTypes(fields);
  const values = [...groupPairs(pairs)].map(([name, texts]) => {
    const type = types.get(name);
    if (type !== undefined) return [name, parseTyped(`${label} ${name}`, type, texts)];
    const known = [...types.keys()].join(', ') || 'nothing';
    throw new TypeError(`${label} ${name} is unknown; it takes ${known}`);
  });
  return Object.fromEntries(values);
}

function groupPairs(pairs: readonly string[]): Map<string, string[]> {
  const split = pairs.map((pair) => {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name !== undefined && text !== undefined) return { name, text };
    throw new TypeError(`"${pair}" has to be name=value`);
  });
  const groups = Map.groupBy(split, ({ name }) => name);
  return new Map([...groups].map(([name, some]) => [name, some.map(({ text }) => text)]));
}

/** Parses texts in the notation of operations: a list one by one or with commas, an object as JSON. @throws TypeError */
function parseTyped(label: string, type: string, texts: readonly string[]): unknown {
  const isList = /^(\(.+\)|[^|]+)\[\]$/.test(type);
  const words = texts.flatMap((text) => (isList ? text.split(',') : text));
  const values = words.map(findJson);
  const read = isList ? [words, values] : [words[0], values[0]];
  const found = read.find(compileFieldType(type));
  if (found === undefined) throw new TypeError(`${label} must be ${type}`);
  if (words.length > 1 && !isList) throw new TypeError(`${label} was given more than once`);
  return found;
}

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

async function readFiles(pairs: readonly string[] = []) {
  const files = [...groupPairs(pairs)].map(async ([name, texts]) => {
    return [name, await Promise.all(texts.map((text) => readUpload(name, text)))] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

async function readUpload(name: string, text: string) {
  if (!text.startsWith('@')) throw new TypeError(`--file ${name} has to be ${name}=@path`);
  const path = text.slice(1);
  const content = await readFile(path, 'base64').catch((cause: unknown) => {
    throw new TypeError(`--file ${name}: ${path} cannot be read`, { cause });
  });
  return { content, name: basename(path) };
}

/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const TIMEOUT_MS = 600_000;

const NOWHERE =
  'neither ops.url nor upstream.url is set: set OPS_URL and OPS_TOKEN to go through a running bridge, UPSTREAM_URL and UPSTREAM_TOKEN to go to the service.';

/**
 * Calls through the bridge of `ops.url`, or past it. @throws SettingsError for neither; from `call` TypeError,
 * UpstreamError
 */
async function withCaller<T>(
  context: CliContext,
  use: (caller: Pick<Transport, 'call'>) => Promise<T>,
): Promise<T> {
  const { settings } = context.loadSettings();
  if (settings.ops.url === undefined) {
    const deps = { clock: systemClock, random: Math.random, isReading: false };
    const transport = openService(settings, NOWHERE, deps);
    return use({
      call: (operation, sent) =>
        transport.call<Operation>(operation, operations.parseCall(operation, sent)),
    }).finally(() => transport.close());
  }
  const client = context.connect(TIMEOUT_MS);
  return use({
    async call(operation, sent) {
      const path = `/api/${operation.id.replace('.', '/')}` as const;
      const { status, answer } = await client.ask('POST', path, isNamed(sent) ? sent : {});
      const named = isNamed(answer) ? answer : {};
      if (status === 200) return named.result;
      const words = String(named.message);
      const refused = `the bridge answered ${status}: ${words}`;
      throw (
        operations.findApiFailure(answer) ??
        (status === 400 ? new TypeError(words) : new BridgeError('ops-failed', refused))
      );
    },
  });
}

/** Opens a way to the service past any bridge. @param words what to set where no service is @throws SettingsError with them */
export function openService(
  settings: Settings,
  words: string,
  { isReading, ...deps }: Pick<TransportOptions, 'clock' | 'random'> & { isReading: boolean },
): Transport {
  const { url, token, requestsPerSecond } = settings.upstream;
  if (url === undefined || token === undefined)
    throw new SettingsError([{ setting: 'upstream.url', message: words }]);
  const target = { baseUrl: url, findToken: () => token, identity: url, requestsPerSecond };
  const refused = isReading || settings.mode === 'observe' ? 'observe-mode' : undefined;
  const options = toTransportOptions(settings, target);
  return createTransport({ ...options, ...deps, hooks: { writesRefused: () => refused } });
}

function toOperationHelp(operation: Operation): string {
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
  const facts = Object.entries(fields).map(([name, type]) => {
    return { title: name, text: `${type}${deprecated.includes(name) ? '   (deprecated)' : ''}` };
  });
  return facts.length === 0 ? '' : `${title}:\n${toDetails(facts, {})}`.trimEnd();
}
