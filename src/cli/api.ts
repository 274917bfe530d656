import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { BridgeError, findJson } from '../domain/values.ts';
import * as operations from '../ops/api/routes.ts';
import { findNearest } from '../settings/nearest.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Operation, PagedOperation } from '../upstream/operations/operation.ts';
import { isNamed } from '../upstream/operations/part.ts';
import { paginate, pagingParameters } from '../upstream/paginate.ts';
import type { Call } from './command.ts';
import { exitCodes, toJson, WrongUsage } from './command.ts';
import type { Pairs } from './options.ts';

/** What is typed behind `api`. */
export interface ApiOptions {
  readonly operation?: string;
  readonly path?: Pairs;
  readonly query?: Pairs;
  /** JSON, `@file`, or `-` for standard input. */
  readonly body?: string;
  readonly file?: Pairs;
  /** Allows an operation that changes all matching entries to be sent without any condition. */
  readonly everything?: true;
  readonly paginate?: true;
  /** The group to list; `true` lists all. */
  readonly list?: string | true;
  readonly help?: true;
}

/** Runs `api`. @throws BridgeError `ops-failed`; WrongUsage */
export async function runApi(call: Call<ApiOptions>) {
  const { operation: id, list, help } = call.typed;
  if (list !== undefined) return { text: toList(list) };
  if (id === undefined) {
    if (help) return void call.command.outputHelp();
    throw new WrongUsage('name an operation, such as groups.getListOfGroups; --list shows all');
  }
  const operation = operations.findOperation(id);
  if (operation === undefined) throw unknown('operation', id, operations.findNearOperation(id));
  // What an operation takes and answers is data, and stands there as it is.
  if (help) return { text: toJson(operation) };
  try {
    return await callOperation(call, operation);
  } catch (error) {
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
  return new WrongUsage(`there is no ${kind} ${name}${hint}`);
}

const PAGE_SIZE = 100;
/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const TIMEOUT_MS = 600_000;

async function callOperation(context: Call<ApiOptions>, operation: Operation) {
  const { path, query, everything, paginate: isList } = context.typed;
  const args = {
    ...(path && { path: toTexts(path) }),
    ...(query && { query: toTexts(query) }),
    ...(await readBody(context)),
    ...(everything && { everything }),
  };
  const client = context.connect(TIMEOUT_MS);
  const caller = {
    async call({ id }: Operation, sent: unknown) {
      const body = isNamed(sent) ? sent : {};
      const asked = await client.ask('POST', `/api/${id.replace('.', '/')}`, body);
      const { result, message } = isNamed(asked.answer) ? asked.answer : {};
      if (asked.status === 200) return result;
      if (asked.status === 400) throw new WrongUsage(`${message}`);
      const words = `the bridge answered ${asked.status}: ${message}`;
      throw operations.findApiFailure(asked.answer) ?? new BridgeError('ops-failed', words);
    },
  };
  if (!isList) return { text: toJson((await caller.call(operation, args)) ?? null) };
  const pageSize = Number(query?.limit ?? query?.count ?? PAGE_SIZE);
  assertFirstPage(operation, { ...query }, pageSize);
  const pages = paginate(caller, operation, args, { pageSize });
  const items: unknown[] = [];
  for await (const page of pages) items.push(...page.items);
  const code = pages.result.complete ? exitCodes.done : exitCodes.incomplete;
  return { text: toJson(items), code };
}

/** The bridge reads the text of a list with commas. */
function toTexts(pairs: Pairs): object {
  return Object.fromEntries(Object.entries(pairs).map(([name, texts]) => [name, texts.join(',')]));
}

function assertFirstPage(
  operation: Operation,
  query: Pairs,
  pageSize: number,
): asserts operation is PagedOperation {
  const { id, paging } = operation;
  if (paging === undefined) throw new WrongUsage(`${id} answers at once: leave --paginate out`);
  const parameters: readonly string[] = pagingParameters[paging];
  const place = parameters.find((name) => name in query && name !== 'limit' && name !== 'count');
  if (place !== undefined)
    throw new WrongUsage(`--paginate begins at the first page: leave ${place} out`);
  if (!(pageSize >= 1)) throw new WrongUsage('a page has to have at least one entry');
}

async function readBody({ typed, readInput, readFile: readText }: Call<ApiOptions>) {
  const { body: given, file = {} } = typed;
  const names = Object.entries(file).map(async ([name, texts]) => {
    return [name, await Promise.all(texts.map((text) => readUpload(name, text)))] as const;
  });
  const files = Object.fromEntries(await Promise.all(names));
  const sent = Object.keys(files).length > 0 ? { files } : {};
  if (given === undefined) return sent;
  let text = given;
  try {
    if (given === '-') text = await readInput();
    else if (given.startsWith('@')) text = readText(given.slice(1));
  } catch {
    throw new WrongUsage(`--body: ${given.slice(1)} cannot be read`);
  }
  const body = findJson(text);
  if (!isNamed(body)) throw new WrongUsage('--body has to be a JSON object');
  return { ...sent, body };
}

async function readUpload(name: string, text: string) {
  if (!text.startsWith('@')) throw new WrongUsage(`--file ${name} has to be ${name}=@path`);
  const path = text.slice(1);
  const content = await readFile(path, 'base64').catch(() => {
    throw new WrongUsage(`--file ${name}: ${path} cannot be read`);
  });
  return { content, name: basename(path) };
}
