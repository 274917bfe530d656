import { toTransportOptions } from '../../app/settings.ts';
import { BridgeError } from '../../domain/errors.ts';
import {
  allOperations,
  findApiFailure,
  findNearOperation,
  findOperation,
  parseCall,
  toApiFailure,
} from '../../ops/api/routes.ts';
import { SettingsError } from '../../settings/errors.ts';
import { findNearest } from '../../settings/nearest.ts';
import type { Settings } from '../../settings/schema.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation, PagedOperation } from '../../upstream/operations/operation.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import { paginate, pagingParameters } from '../../upstream/paginate.ts';
import {
  createTransport,
  type Transport,
  type TransportOptions,
} from '../../upstream/transport.ts';
import {
  type Call,
  type CliContext,
  exitCodes,
  type Output,
  toJson,
  WrongUsage,
} from '../command.ts';
import { type ApiOptions, readArgs, toOperationHelp } from './read-args.ts';

const PAGE_SIZE = 100;
/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** Runs `api`. @throws SettingsError when the settings name neither a bridge nor a service; WrongUsage */
export async function runApi(call: Call<ApiOptions>): Promise<Output | undefined> {
  const { words, options } = call;
  const [id] = words;
  if (options.list !== undefined) return { text: toList(options.list) };
  if (id === undefined) {
    if (options.help) return call.outputHelp();
    throw new WrongUsage(
      'error: name an operation, such as groups.getListOfGroups; --list shows all',
    );
  }
  const operation = findOperation(id);
  if (operation === undefined) throw unknown('operation', id, findNearOperation(id));
  if (options.help) return { text: toOperationHelp(operation) };
  try {
    return await callOperation(call, operation, options);
  } catch (error) {
    // Nothing was sent: a typed text does not fit the operation.
    if (error instanceof TypeError) throw new WrongUsage(`error: ${error.message}`);
    if (!(error instanceof UpstreamError)) throw error;
    // A refused token does not recover by itself, so it is no temporary failure.
    const isLater = error.retry === 'later' && error.code !== 'credentials-refused';
    const code = isLater ? exitCodes.later : exitCodes.failed;
    return { text: '', notes: `${JSON.stringify(toApiFailure(error))}\n`, code };
  }
}

function toList(asked: string | true): string {
  const toGroup = ({ id }: Operation) => id.slice(0, id.indexOf('.'));
  const found = allOperations.filter((operation) => asked === true || toGroup(operation) === asked);
  if (asked !== true && found.length === 0)
    throw unknown('group', asked, findNearest(asked, allOperations.map(toGroup)));
  const lines = found.map(({ id, method, path, stage }) =>
    JSON.stringify({ operation: id, method, path, stage }),
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}

function unknown(kind: string, name: string, near: string | undefined): WrongUsage {
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new WrongUsage(`error: there is no ${kind} ${name}${hint}`);
}

async function callOperation(
  context: CliContext,
  operation: Operation,
  options: ApiOptions,
): Promise<Output> {
  const args = await readArgs(operation, options, context);
  if (!options.paginate)
    return withCaller(context, async (caller) => {
      return { text: toJson((await caller.call(operation, args)) ?? null) };
    });
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
    const code = pages.result.complete ? undefined : exitCodes.incomplete;
    return { text: toJson(items), code };
  });
}

function isPaged(operation: Operation): operation is PagedOperation {
  return operation.paging !== undefined;
}

const NOWHERE =
  'neither ops.url nor upstream.url is set: set OPS_URL and OPS_TOKEN to go through a running bridge, UPSTREAM_URL and UPSTREAM_TOKEN to go to the service.';

/**
 * Calls through the bridge that `ops.url` names, or past it.
 * @throws SettingsError when the settings name neither; from `call` TypeError when the arguments do not fit, and UpstreamError
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
      call: (operation, sent) => transport.call<Operation>(operation, parseCall(operation, sent)),
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
        findApiFailure(answer) ??
        (status === 400 ? new TypeError(words) : new BridgeError('ops-failed', refused))
      );
    },
  });
}

/**
 * Opens a way to the service of the settings, past any bridge, at the rate that is set. `isReading`: nothing is changed.
 * @param words what to set where the settings name no service. @throws SettingsError with them
 */
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
