import type { Command } from 'commander';
import { createOpsClient, isLate } from '../../app/ops-client.ts';
import { toTransportOptions } from '../../app/settings.ts';
import { BridgeError } from '../../domain/errors.ts';
import { toCount } from '../../domain/text.ts';
import { findApiFailure, toApiFailure } from '../../ops/api/failure.ts';
import { allOperations, findNear, findOperation } from '../../ops/api/find-operation.ts';
import type { SentCall } from '../../ops/api/routes.ts';
import { SettingsError } from '../../settings/errors.ts';
import type { Settings } from '../../settings/schema.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation, PagedOperation } from '../../upstream/operations/operation.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import { paginate } from '../../upstream/paginate.ts';
import { pagingParameters } from '../../upstream/paging-styles.ts';
import { createTransport, type Transport } from '../../upstream/transport.ts';
import type { CliContext } from '../context.ts';
import { exitCodes, toJson } from '../json.ts';
import { createProgress } from '../progress.ts';
import { type ApiOptions, type GivenArgs, readArgs, toOperationHelp } from './read-args.ts';

/** Entries asked for in one page, unless `limit` or `count` says something else. */
const PAGE_SIZE = 100;

interface Typed {
  /** `group.name`, when one was given. */
  readonly id: string | undefined;
  readonly options: ApiOptions;
}

/** Runs `api`. @throws SettingsError when the settings name no service */
export async function runApi(
  command: Command,
  context: CliContext,
  { id, options }: Typed,
): Promise<void> {
  const refuse = (message: string): never => command.error(`error: ${message}`);
  const { list, help } = options;
  if (list !== undefined) return showList(list === true ? undefined : list);
  if (id === undefined) {
    if (help) return command.outputHelp();
    return refuse('name an operation, such as groups.getListOfGroups; --list shows all');
  }
  const found = findOperation(id);
  if (found.kind === 'unknown') return refuse(`there is no operation ${id}${toHint(found.near)}`);
  const { operation } = found;
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

  function showList(group: string | undefined): void {
    const groups = [...new Set(allOperations.map(toGroup))];
    if (group !== undefined && !groups.includes(group)) {
      refuse(`there is no group ${group}${toHint(findNear(group, groups))}`);
    }
    const lines = allOperations
      .filter((operation) => group === undefined || toGroup(operation) === group)
      .map(({ id, method, path, stage }) => JSON.stringify({ operation: id, method, path, stage }));
    context.write(`[\n${lines.join(',\n')}\n]\n`);
  }
}

function toGroup({ id }: Operation): string {
  return id.slice(0, id.indexOf('.'));
}

function toHint(near: readonly string[]): string {
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
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
  const caller = openCaller(context.loadSettings().settings);
  const progress = createProgress(context, { words: 'Waiting for the answer' });
  try {
    if (!options.paginate || !isPaged(operation)) {
      context.write(toJson((await caller.call(operation, args).finally(progress.end)) ?? null));
      return;
    }
    const pages = paginate(caller, operation, args, { pageSize: getPageSize(operation, args) });
    const items: unknown[] = [];
    for await (const page of pages) {
      items.push(...page.items);
      const { length: done } = items;
      const part = page.total === undefined ? undefined : { done, total: page.total };
      progress.tell(`${toCount(done, 'entry', 'entries')} read`, part);
    }
    progress.end();
    context.write(toJson(items));
    if (!pages.result.complete) context.exitWith(exitCodes.incomplete);
  } finally {
    progress.end();
    await caller.close();
  }
}

function isPaged(operation: Operation): operation is PagedOperation {
  return operation.paging !== undefined;
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

/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const BRIDGE_TIMEOUT_MS = 600_000;

/** Sends calls to the service. */
export type Caller = Pick<Transport, 'call' | 'close'>;

/**
 * Opens a caller through the bridge that `ops.url` names, or else straight to the service.
 * @param timeoutMs for one call through the bridge. @throws SettingsError when the settings name neither
 */
export function openCaller(settings: Settings, timeoutMs = BRIDGE_TIMEOUT_MS): Caller {
  if (settings.ops.url !== undefined) return openThroughBridge(settings, timeoutMs);
  const { url, token, requestsPerSecond } = settings.upstream;
  if (url === undefined || token === undefined) {
    const message =
      'neither ops.url nor upstream.url is set: set OPS_URL and OPS_TOKEN to go through a running bridge, UPSTREAM_URL and UPSTREAM_TOKEN to go to the service.';
    throw new SettingsError([{ setting: 'upstream.url', message }]);
  }
  const target = { baseUrl: url, findToken: () => token, identity: url, requestsPerSecond };
  return createTransport({
    ...toTransportOptions(settings, target),
    clock: systemClock,
    random: Math.random,
    hooks: { writesRefused: () => (settings.mode === 'observe' ? 'observe-mode' : undefined) },
  });
}

function openThroughBridge(settings: Settings, timeoutMs: number): Caller {
  const client = createOpsClient(settings, timeoutMs);
  return {
    async call(operation, args) {
      const path = `/api/${operation.id.replace('.', '/')}` as const;
      const asked = client.ask('POST', path, await toSentCall(args));
      const { status, answer } = await asked.catch((error: unknown) => {
        throw toLate(operation, error) ?? error;
      });
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

/** A late answer is retryable: the bridge is there, and the call may be under way. */
function toLate({ id }: Operation, error: unknown): UpstreamError | undefined {
  if (!(error instanceof BridgeError) || !isLate(error.cause)) return undefined;
  const { message: detail } = error;
  const fate = { retry: 'later', outcome: 'unknown' } as const;
  return new UpstreamError('timeout', { operation: id, detail, cause: error, ...fate });
}

type Files = NonNullable<SentCall['files']>;

/** Arguments of a call in the form that the bridge takes: files travel beside the body, as base64. */
async function toSentCall(args: unknown): Promise<SentCall> {
  const { body = {}, ...others } = parseArgs(args);
  const files: Record<string, Files[string]> = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const list = [value].flat().filter((item) => item instanceof File);
    if (list.length === 0) fields[name] = value;
    else files[name] = await Promise.all(list.map(toSentFile));
  }
  const parts = Object.entries({ body: fields, files });
  const filled = parts.filter(([, part]) => Object.keys(part).length > 0);
  return { ...others, ...Object.fromEntries(filled) };
}

async function toSentFile(file: File): Promise<Files[string][number]> {
  const content = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { content, name: file.name };
}

/** The command itself made them, so their shape is known. */
function parseArgs(args: unknown): Omit<SentCall, 'files'> {
  return args as Omit<SentCall, 'files'>;
}
