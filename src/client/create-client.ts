import { systemClock } from '../telemetry/system-clock.ts';
import { assertMs } from '../upstream/limits.ts';
import { operationGroups } from '../upstream/operations/all.ts';
import type { EntryOf } from '../upstream/operations/call-types.ts';
import type {
  Operation,
  OperationGroup,
  PagedOperation,
} from '../upstream/operations/operation.ts';
import type { RawRequest } from '../upstream/raw-request.ts';
import { type CallOptions, createTransport, type Transport } from '../upstream/transport.ts';
import type { Timeouts, TransportOptions } from '../upstream/transport-options.ts';
import { type ClientHooks, toTransportHooks } from './client-hooks.ts';
import type {
  ClientCallOptions,
  ClientOperation,
  Input,
  OperationClient,
  PagedArgsOf,
} from './client-types.ts';
import { type Entries, type PaginateOptions, readEntries } from './paginate.ts';

/** Options of a client: those of the bridge's own transport, with the service's usual rate. */
export interface ClientOptions
  extends Pick<
    TransportOptions,
    | 'baseUrl'
    | 'token'
    | 'apiVersion'
    | 'inFlightMax'
    | 'queueMax'
    | 'attemptsMax'
    | 'responseBytesMax'
    | 'proxy'
    | 'dispatcher'
    | 'userAgent'
  > {
  /** Most calls that leave in any second; 5 by default, which is what the service allows. 0 means no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Milliseconds that a call may take after its first turn, over all attempts; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly hooks?: ClientHooks | undefined;
}

/** The typed service: each operation, and the functions that all of them share. */
export interface Client extends OperationClient {
  /** Sends a request that no operation describes: same token, budget, repeats and errors. */
  request(request: RawRequest, options?: ClientCallOptions): Promise<unknown>;
  /**
   * Reads a list to its proven end: `for await (const space of client.paginate(client.spaces.retrieveListOfSpaces))`.
   * @throws TypeError at once for arguments that choose the page; while reading, the errors of each call.
   */
  paginate<O extends PagedOperation>(
    list: ClientOperation<O>,
    ...input: Input<PagedArgsOf<O>, PaginateOptions>
  ): Entries<EntryOf<O>>;
  /** Refuses waiting calls, lets calls under way finish, closes the connections. May be called again. */
  close(): Promise<void>;
}

/** The rate that the service allows. */
const SERVICE_REQUESTS_PER_SECOND = 5;

/**
 * Creates a client of the whole service: one token, one budget, one pool of connections.
 * @throws TypeError for an impossible base URL, token or number; RangeError for an impossible rate.
 */
export function createClient(options: ClientOptions): Client;
// The types of the groups follow from the rows, which the compiler cannot see in a loop over them: hence two
// signatures.
export function createClient(options: ClientOptions): object {
  const transport = openTransport(options);
  return {
    ...createGroups(transport),
    request: (request: RawRequest, callOptions?: ClientCallOptions) =>
      transport.request(request, toCallOptions(callOptions)),
    paginate: (list: unknown, args: unknown = {}, options: PaginateOptions = {}) =>
      readEntries(
        { transport, operation: getListRow(list), args, call: toCallOptions(options) },
        options,
      ),
    close: () => transport.close(),
  };
}

function openTransport(options: ClientOptions): Transport {
  const {
    requestsPerSecond = SERVICE_REQUESTS_PER_SECOND,
    hooks = {},
    timeoutMs,
    ...rest
  } = options;
  if (timeoutMs !== undefined) assertMs('timeoutMs', timeoutMs);
  return createTransport({
    ...rest,
    requestsPerSecond,
    timeouts: timeoutMs === undefined ? {} : toTimeouts(timeoutMs),
    hooks: toTransportHooks(hooks, options.token),
    filePaths: 'read',
    clock: systemClock,
    random: Math.random,
  });
}

/** A longer limit of a call gives its attempts more time too. */
function toTimeouts(callMs: number): Partial<Timeouts> {
  return { callMs, headersMs: callMs, bodyMs: callMs };
}

function toCallOptions({ signal, timeoutMs }: ClientCallOptions = {}): CallOptions {
  return { signal, withinMs: timeoutMs };
}

function createGroups(transport: Transport): object {
  const groups = Object.entries(operationGroups).map(([group, operations]) => [
    group,
    createGroup(transport, Object.entries(operations)),
  ]);
  return Object.fromEntries(groups);
}

function createGroup(transport: Transport, operations: [string, Operation][]): object {
  return Object.fromEntries(
    operations.map(([name, operation]) => [name, toMethod(transport, operation)]),
  );
}

function toMethod(transport: Transport, operation: Operation): object {
  const method = (args: unknown = {}, options?: ClientCallOptions) =>
    transport.callChecked(operation, args, toCallOptions(options));
  return Object.assign(method, { operation });
}

/** The row behind an operation of a client. @throws TypeError when it is no paged list. */
function getListRow(operation: unknown): PagedOperation {
  const row =
    typeof operation === 'function' && 'operation' in operation
      ? listRows().find((each) => each === operation.operation)
      : undefined;
  if (!row) throw new TypeError('paginate: the first argument must be an operation of a client');
  if (!isPaged(row)) throw new TypeError(`paginate: ${row.id} does not go on page by page`);
  return row;
}

function listRows(): Operation[] {
  const groups: OperationGroup[] = Object.values(operationGroups);
  return groups.flatMap((group) => Object.values(group));
}

function isPaged(row: Operation): row is PagedOperation {
  return row.paging !== undefined;
}
