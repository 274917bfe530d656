import { systemClock } from '../telemetry/system-clock.ts';
import type { Download } from '../upstream/download.ts';
import { operationGroups } from '../upstream/operations/all.ts';
import type { RedirectTarget } from '../upstream/operations/call-types.ts';
import type {
  Operation,
  OperationGroup,
  PagedOperation,
} from '../upstream/operations/operation.ts';
import type { DownloadRequest, RawRequest } from '../upstream/raw-request.ts';
import { createTransport, type Transport } from '../upstream/transport.ts';
import type { Timeouts, TransportOptions } from '../upstream/transport-options.ts';
import { assertMs } from '../upstream/transport-options.ts';
import {
  answerTo,
  assertMayBeEmpty,
  captureSite,
  leadTo,
  toTransportOptions,
} from './answering.ts';
import { type ClientHooks, toTransportHooks } from './client-hooks.ts';
import type {
  Answering,
  CallOptions,
  EntryOf,
  Input,
  ListCall,
  PagedArguments,
  PositionedListCall,
} from './client-types.ts';
import type { OperationClient } from './operations.ts';
import { type Entries, type PaginateOptions, readEntries } from './paginate.ts';

/** Options of a client. */
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
  request(request: RawRequest, options?: CallOptions): Answering<unknown>;
  /**
   * Gets a content of any kind as a stream: a path of the service, or the target of a redirect, which is asked without
   * the token. `timeoutMs` ends when the content begins; `signal` ends the content too.
   */
  download(from: DownloadRequest | RedirectTarget, options?: CallOptions): Promise<Download>;
  /**
   * Reads a list to its proven end: `for await (const space of client.paginate(client.spaces.retrieveListOfSpaces))`.
   * @throws TypeError at once for arguments that choose the page; while reading, the errors of each call.
   */
  paginate<Args, Entry>(
    list: PositionedListCall<Args, Entry>,
    ...input: Input<PagedArguments<Args>, PaginateOptions>
  ): Entries<Entry>;
  paginate<Args, Content>(
    list: ListCall<Args, Content>,
    ...input: Input<PagedArguments<Args>, PaginateOptions>
  ): Entries<EntryOf<Content>>;
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
// The types of the groups are generated from the rows, which the compiler cannot see in a loop over them: hence two
// signatures.
export function createClient(options: ClientOptions): object {
  const transport = openTransport(options);
  return {
    ...createGroups(transport),
    request: createRequest(transport),
    download: createDownload(transport),
    paginate: createPaginate(transport),
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
    wordsIn: 'message',
    clock: systemClock,
    random: Math.random,
  });
}

/** A longer limit of a call gives its attempts more time too. */
function toTimeouts(callMs: number): Partial<Timeouts> {
  return { callMs, headersMs: callMs, bodyMs: callMs };
}

function createRequest(transport: Transport) {
  return function request(raw: RawRequest, options?: CallOptions): Answering<unknown> {
    return answerTo(request, options, (callOptions) => transport.request(raw, callOptions));
  };
}

function createDownload(transport: Transport) {
  return async function download(
    from: DownloadRequest | RedirectTarget,
    options?: CallOptions,
  ): Promise<Download> {
    const site = captureSite(download);
    try {
      return await transport.download(from, toTransportOptions(options));
    } catch (error) {
      throw leadTo(site, error);
    }
  };
}

function createPaginate(transport: Transport) {
  return function paginate(list: unknown, args: unknown = {}, options: PaginateOptions = {}) {
    const source = { transport, operation: getListRow(list), args };
    const site = captureSite(paginate);
    return readEntries({ ...source, site, call: toTransportOptions(options) }, options);
  };
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
  const method = (args: unknown = {}, options?: CallOptions): Answering<unknown> =>
    answerTo(method, options, async (callOptions, head) => {
      const content = await transport.call(operation, args, callOptions);
      if (content === undefined) assertMayBeEmpty(operation, head());
      return content;
    });
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
