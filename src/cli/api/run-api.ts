import type { Command } from 'commander';
import { BridgeError } from '../../domain/errors.ts';
import { findApiFailure, toApiFailure } from '../../ops/api/failure.ts';
import { allOperations, findNearOperation, findOperation } from '../../ops/api/find-operation.ts';
import { parseCall, type SentCall } from '../../ops/api/routes.ts';
import { findNearest } from '../../settings/nearest.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation, PagedOperation } from '../../upstream/operations/operation.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import { paginate, pagingParameters } from '../../upstream/paginate.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type CliContext, exitCodes, toJson } from '../context.ts';
import { openService } from '../open-service.ts';
import { type ApiOptions, readArgs, toOperationHelp } from './read-args.ts';

/** Entries asked for in one page, unless `limit` or `count` says something else. */
const PAGE_SIZE = 100;
/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const TIMEOUT_MS = 600_000;

interface Typed {
  /** `group.name`, when one was given. */
  readonly id: string | undefined;
  readonly options: ApiOptions;
}

/** Runs `api`. @throws SettingsError when the settings name neither a bridge nor a service */
export async function runApi(
  command: Command,
  context: CliContext,
  { id, options }: Typed,
): Promise<void> {
  const refuse = (message: string): never => command.error(`error: ${message}`);
  const { list, help } = options;
  if (list !== undefined) return context.write(toList(list === true ? undefined : list, refuse));
  if (id === undefined) {
    if (help) return command.outputHelp();
    return refuse('name an operation, such as groups.getListOfGroups; --list shows all');
  }
  const operation = findOperation(id);
  if (operation === undefined)
    return refuse(`there is no operation ${id}${toHint(findNearOperation(id))}`);
  if (help) return context.write(toOperationHelp(operation));
  try {
    await callOperation(context, operation, options);
  } catch (error) {
    // Nothing was sent: a typed text does not fit the operation.
    if (error instanceof TypeError) return refuse(error.message);
    if (!(error instanceof UpstreamError)) throw error;
    context.writeError(`${JSON.stringify(toApiFailure(error))}\n`);
    context.exitWith(toExitCode(error));
  }
}

function toList(group: string | undefined, refuse: (message: string) => never): string {
  const toGroup = ({ id }: Operation) => id.slice(0, id.indexOf('.'));
  const groups = [...new Set(allOperations.map(toGroup))];
  if (group !== undefined && !groups.includes(group)) {
    refuse(`there is no group ${group}${toHint(findNearest(group, groups))}`);
  }
  const lines = allOperations
    .filter((operation) => group === undefined || toGroup(operation) === group)
    .map(({ id, method, path, stage }) => JSON.stringify({ operation: id, method, path, stage }));
  return `[\n${lines.join(',\n')}\n]\n`;
}

function toHint(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean ${near}?`;
}

async function callOperation(
  context: CliContext,
  operation: Operation,
  options: ApiOptions,
): Promise<void> {
  const args = await readArgs(operation, options, context);
  if (options.paginate && !isPaged(operation)) {
    throw new TypeError(`${operation.id} answers at once: leave --paginate out`);
  }
  const pageSize = options.paginate && isPaged(operation) ? getPageSize(operation, args) : 0;
  const caller = openCaller(context);
  try {
    if (!options.paginate || !isPaged(operation)) {
      context.write(toJson((await caller.call(operation, args)) ?? null));
      return;
    }
    const pages = paginate(caller, operation, args, { pageSize });
    const items: unknown[] = [];
    for await (const page of pages) items.push(...page.items);
    context.write(toJson(items));
    if (!pages.result.complete) context.exitWith(exitCodes.incomplete);
  } finally {
    await caller.close();
  }
}

function isPaged(operation: Operation): operation is PagedOperation {
  return operation.paging !== undefined;
}

/** @throws TypeError for a position, which --paginate chooses itself, and for a page of no entries */
function getPageSize({ paging }: PagedOperation, { query = {} }: SentCall): number {
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

const NOWHERE =
  'neither ops.url nor upstream.url is set: set OPS_URL and OPS_TOKEN to go through a running bridge, UPSTREAM_URL and UPSTREAM_TOKEN to go to the service.';

/**
 * Calls through the bridge that `ops.url` names, or past it.
 * @throws SettingsError when the settings name neither; from `call` TypeError when the arguments do not fit, and UpstreamError
 */
function openCaller(context: CliContext): Pick<Transport, 'call' | 'close'> {
  const { settings } = context.loadSettings();
  if (settings.ops.url === undefined) {
    const deps = { clock: systemClock, random: Math.random, isReading: false };
    const transport = openService(settings, NOWHERE, deps);
    return {
      call: (operation, sent) => transport.call<Operation>(operation, parseCall(operation, sent)),
      close: () => transport.close(),
    };
  }
  const client = context.connect(TIMEOUT_MS);
  return {
    async call(operation, sent) {
      const path = `/api/${operation.id.replace('.', '/')}` as const;
      const { status, answer } = await client.ask('POST', path, isNamed(sent) ? sent : {});
      const named = isNamed(answer) ? answer : {};
      if (status === 200) return named.result;
      const failure = findApiFailure(answer);
      if (failure !== undefined) throw failure;
      const words = String(named.message);
      if (status === 400) throw new TypeError(words);
      throw new BridgeError('ops-failed', `the bridge answered ${status}: ${words}`);
    },
    close: async () => undefined,
  };
}
