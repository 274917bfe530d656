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
import { assertMs, type TransportOptions } from '../upstream/transport-options.ts';
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
  const groups = Object.entries(operationGroups).map(([group, operations]) => {
    const rows: [string, Operation][] = Object.entries(operations);
    return [group, Object.fromEntries(rows.map(([name, row]) => [name, toMethod(transport, row)]))];
  });
  return {
    ...Object.fromEntries(groups),
    request: function request(raw: RawRequest, given?: CallOptions) {
      return answerTo(request, given, (callOptions) => transport.request(raw, callOptions));
    },
    download: async function download(from: DownloadRequest | RedirectTarget, given?: CallOptions) {
      const site = captureSite(download);
      return transport.download(from, toTransportOptions(given)).catch((error: unknown) => {
        throw leadTo(site, error);
      });
    },
    paginate: function paginate(list: unknown, args: unknown = {}, given: PaginateOptions = {}) {
      const site = captureSite(paginate);
      const call = toTransportOptions(given);
      return readEntries({ transport, operation: getListRow(list), args, site, call }, given);
    },
    close: () => transport.close(),
  };
}

function openTransport(options: ClientOptions): Transport {
  const { requestsPerSecond = SERVICE_REQUESTS_PER_SECOND, hooks = {}, timeoutMs } = options;
  if (timeoutMs !== undefined) assertMs('timeoutMs', timeoutMs);
  return createTransport({
    ...options,
    requestsPerSecond,
    // A longer limit of a call gives its attempts more time too.
    timeouts: timeoutMs
      ? { callMs: timeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs }
      : undefined,
    hooks: toTransportHooks(hooks, options.token),
    filePaths: 'read',
    wordsIn: 'message',
    clock: systemClock,
    random: Math.random,
  });
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
  const groups: OperationGroup[] = Object.values(operationGroups);
  const row = groups
    .flatMap((group) => Object.values(group))
    .find((each) => each === Object(operation).operation);
  if (!row) throw new TypeError('paginate: the first argument must be an operation of a client');
  if (!isPaged(row)) throw new TypeError(`paginate: ${row.id} does not go on page by page`);
  return row;
}

function isPaged(row: Operation): row is PagedOperation {
  return row.paging !== undefined;
}
