import { toCount } from '../../domain/text.ts';
import { toApiFailure } from '../../ops/api/failure.ts';
import { allOperations, findNear, findOperation } from '../../ops/api/find-operation.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation, PagedOperation } from '../../upstream/operations/operation.ts';
import { paginate } from '../../upstream/paginate.ts';
import { pagingParameters } from '../../upstream/paging-styles.ts';
import type { ApiRun } from '../api.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { createProgress } from '../progress.ts';
import { type Caller, openCaller } from './caller.ts';
import { toOperationHelp } from './operation-help.ts';
import { type GivenArgs, readArgs } from './read-args.ts';

const WAITING = 'Waiting for the answer';

/** Entries asked for in one page, unless `limit` or `count` says something else. */
const PAGE_SIZE = 100;

/** Runs `api`. @throws SettingsError when the settings name no service */
export async function runApi(run: ApiRun): Promise<void> {
  const { id, options, context } = run;
  if (options.list !== undefined)
    return showList(run, options.list === true ? undefined : options.list);
  if (id === undefined) {
    if (options.help) return run.showHelp();
    run.refuse('name an operation, such as groups.getListOfGroups; --list shows all');
  }
  const operation = getOperation(run, id);
  if (options.help) return context.write(toOperationHelp(operation));
  try {
    await callOperation(run, operation);
  } catch (error) {
    // Nothing was sent: a typed text does not fit the operation.
    if (error instanceof TypeError) run.refuse(error.message);
    if (!(error instanceof UpstreamError)) throw error;
    context.writeError(`${JSON.stringify(toApiFailure(error))}\n`);
    context.exitWith(toExitCode(error));
  }
}

function showList({ context, refuse }: ApiRun, group: string | undefined): void {
  const groups = [...new Set(allOperations.map(toGroup))];
  if (group !== undefined && !groups.includes(group)) {
    refuse(`there is no group ${group}${toHint(findNear(group, groups))}`);
  }
  const lines = allOperations
    .filter((operation) => group === undefined || toGroup(operation) === group)
    .map(({ id, method, path, stage }) => JSON.stringify({ operation: id, method, path, stage }));
  context.write(`[\n${lines.join(',\n')}\n]\n`);
}

function toGroup({ id }: Operation): string {
  return id.slice(0, id.indexOf('.'));
}

function getOperation({ refuse }: ApiRun, id: string): Operation {
  const found = findOperation(id);
  if (found.kind === 'found') return found.operation;
  return refuse(`there is no operation ${id}${toHint(found.near)}`);
}

function toHint(near: readonly string[]): string {
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

async function callOperation({ options, context }: ApiRun, operation: Operation): Promise<void> {
  const args = await readArgs(operation, options, context);
  if (options.paginate && !isPaged(operation)) {
    throw new TypeError(`${operation.id} answers at once: leave --paginate out`);
  }
  const caller = openCaller(context.loadSettings().settings);
  try {
    if (options.paginate && isPaged(operation)) {
      const { items, isComplete } = await readAll(caller, { operation, args, context });
      context.write(toJson(items));
      if (!isComplete) context.exitWith(exitCodes.incomplete);
      return;
    }
    const progress = createProgress(context, { words: WAITING });
    const answer = await caller.call(operation, args).finally(progress.end);
    context.write(toJson(answer ?? null));
  } finally {
    await caller.close();
  }
}

function isPaged(operation: Operation): operation is PagedOperation {
  return operation.paging !== undefined;
}

interface ListToRead {
  readonly operation: PagedOperation;
  readonly args: GivenArgs;
  readonly context: ApiRun['context'];
}

async function readAll(
  caller: Caller,
  { operation, args, context }: ListToRead,
): Promise<{ items: unknown[]; isComplete: boolean }> {
  const pages = paginate(caller, operation, args, {
    pageSize: getPageSize(operation, args),
  });
  const items: unknown[] = [];
  const progress = createProgress(context, { words: WAITING });
  try {
    for await (const page of pages) {
      items.push(...page.items);
      const { length: done } = items;
      const part = page.total === undefined ? undefined : { done, total: page.total };
      progress.tell(`${toCount(done, 'entry', 'entries')} read`, part);
    }
  } finally {
    progress.end();
  }
  return { items, isComplete: pages.result.complete };
}

/** @throws TypeError for a position, which --paginate chooses itself, and for a page of no entries */
function getPageSize({ paging }: PagedOperation, { query = {} }: GivenArgs): number {
  const sizes = new Set(['limit', 'count']);
  const place = pagingParameters[paging].find((name) => name in query && !sizes.has(name));
  if (place !== undefined)
    throw new TypeError(`--paginate begins at the first page: leave ${place} out`);
  const size = Number(query.limit ?? query.count ?? PAGE_SIZE);
  if (size >= 1) return size;
  throw new TypeError('a page has to have at least one entry');
}

/** A refused token does not recover by itself, so it is no temporary failure. */
function toExitCode({ retry, code }: UpstreamError): number {
  return retry === 'later' && code !== 'credentials-refused' ? exitCodes.later : exitCodes.failed;
}
