import { checkHeaders, createHeaders } from './attempt.ts';
import { Budget, type BudgetState } from './budget.ts';
import { runCall } from './call.ts';
import { createDispatcher } from './dispatcher.ts';
import { type Download, runElsewhere, toDownload } from './download.ts';
import { createForm } from './form.ts';
import { createGates } from './gates.ts';
import type { ArgsOf, RedirectTarget } from './operations/call-types.ts';
import type { Operation } from './operations/operation.ts';
import { compileOperation, type Prepare } from './operations/prepare.ts';
import type { Bearer, CallDeps } from './outgoing-call.ts';
import type { GateState } from './probe-gate.ts';
import { createRateLimit } from './rate-limit.ts';
import {
  DOWNLOAD,
  type DownloadRequest,
  type PreparedRaw,
  prepareRaw,
  type RawRequest,
} from './raw-request.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import type { CallOptions, TransportOptions, WritesRefused } from './transport-options.ts';
import { assertCount, assertMs } from './transport-options.ts';
import type { CallClass } from './waiting-room.ts';

export type { CallOptions, TransportOptions, WritesRefused } from './transport-options.ts';
export type { CallClass } from './waiting-room.ts';

/** The one way to the service: all calls share its token, budget, pauses and connections. */
export interface Transport {
  /**
   * Runs an operation and returns the parsed JSON of its answer, undefined when there is no body. All arguments are
   * checked, also those that only the compiler knows nothing of.
   * @throws TypeError before anything is sent, when the arguments do not fit the row or a time is impossible.
   * @throws UpstreamError for everything else.
   */
  call<O extends Operation>(operation: O, args: ArgsOf<O>, options?: CallOptions): Promise<unknown>;
  /** The same for a request that no row describes. */
  request(raw: RawRequest, options?: CallOptions): Promise<unknown>;
  /**
   * Gets a content of any kind from the service, or from the address that a redirect led to: without the token, which
   * belongs to the service alone, and once.
   */
  download(from: DownloadRequest | RedirectTarget, options?: CallOptions): Promise<Download>;
  health(): TransportHealth;
  /** Reason why nothing is changed in the service now; undefined: changes are sent. */
  writesRefused(): WritesRefused | undefined;
  /**
   * Estimated wait of a new call of this class for its turn, in milliseconds: behind the waiting calls and `others`
   * more.
   */
  queueAheadMs(callClass: CallClass, others?: number): number;
  /** Gives waiting calls with this key the urgency of `remove`: the resource is about to lose access. */
  prioritise(key: string): void;
  /**
   * Presents another token from the next request on, and lets a call try it at once where the former one was refused.
   * @throws TypeError for a token that no header can carry
   */
  renewToken(token: string): void;
  /** Refuses waiting calls, lets calls under way finish, closes the connections. May be called again. */
  close(): Promise<void>;
}

/** State of the transport and of the service, as far as it is known without a call. */
export interface TransportHealth extends BudgetState {
  /** Shut while the service refuses our token (401). */
  readonly credentials: GateState;
  /** Shut while the service does not answer or answers 5xx. */
  readonly service: GateState;
  /** When the service began to send calls elsewhere (3xx), in milliseconds since 1970; undefined: it does not. */
  readonly redirectedSinceMs?: number | undefined;
}

/**
 * Creates a transport with its own pool, unless a dispatcher is given. @throws TypeError for an impossible base URL,
 * token or number.
 */
export function createTransport(options: TransportOptions): Transport {
  const { token, userAgent = 'scim-bridge' } = options;
  const bearer = { token, headers: createHeaders(token, userAgent) };
  const shared = createDeps(options, bearer);
  const connections = openConnections(options, shared);
  const deps = { ...shared, dispatcher: connections.own };
  const { budget, gates, hooks, running } = deps;
  let closing: Promise<void> | undefined;
  return {
    ...createCalls(deps, options, connections),
    health: () => ({
      ...budget.state(),
      credentials: gates.credentials(),
      service: gates.service(),
      redirectedSinceMs: gates.redirectedSinceMs(),
    }),
    writesRefused: hooks.writesRefused ?? (() => undefined),
    queueAheadMs: budget.queueAheadMs.bind(budget),
    prioritise: budget.prioritise.bind(budget),
    renewToken(renewed) {
      bearer.headers = createHeaders(renewed, userAgent);
      bearer.token = renewed;
      gates.tokenRenewed();
    },
    close() {
      budget.close();
      closing ??= connections.close(running);
      return closing;
    },
  };
}

function createCalls(
  deps: CallDeps,
  { baseUrl, apiVersion = 'latest', filePaths = 'refuse' }: TransportOptions,
  connections: Pick<Connections, 'elsewhere'>,
): Pick<Transport, 'call' | 'request' | 'download'> {
  const scim = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const prefixes = { scim, rest: `${scim}/api/${apiVersion}` };
  /** The compiled form of each row, made at its first use. */
  const prepares = new Map<Operation, Prepare>();
  const prepare = (raw: RawRequest) => prepareRaw(raw, prefixes);

  function prepareFor(operation: Operation): Prepare {
    const known = prepares.get(operation);
    const made = known ?? compileOperation(operation, prefixes[operation.api]);
    prepares.set(operation, made);
    return made;
  }

  async function run({ operation, request }: PreparedRaw, args: unknown, given?: CallOptions) {
    const callOptions = checkOptions(given);
    // Files are opened before the call waits for its turn, so that a wrong path costs nothing.
    const { path, form } = request;
    const body = form ? await createForm(form, filePaths) : request.body;
    return await runCall(deps, { operation, args, path, body, options: callOptions });
  }

  // Async, so that a TypeError is a rejection like every other failure.
  return {
    call: async (operation: Operation, args: unknown, given?: CallOptions) =>
      run({ operation, request: prepareFor(operation)(args) }, args, given),
    request: async (raw, given) => run(prepare(raw), raw, given),
    download: async (from, given) =>
      toDownload((onAnswer) => {
        const callOptions = { ...checkOptions(given), onAnswer };
        if ('url' in from) {
          return runElsewhere(deps, from, { callOptions, dispatcher: connections.elsewhere() });
        }
        const { path, query, queryStyle } = from;
        const { request } = prepare({ method: 'GET', path, query, queryStyle });
        return run({ operation: DOWNLOAD, request }, from, callOptions);
      }),
  };
}

/**
 * A transport that passes the options of each call through `toOptions`. What `toOptions` throws is the result of the call.
 */
export function withOptions<Given extends CallOptions>(
  upstream: Transport,
  toOptions: (options?: Given) => CallOptions | undefined,
): Transport {
  return {
    ...upstream,
    call: async (operation, args, options?: Given) =>
      upstream.call(operation, args, toOptions(options)),
  };
}

const DEFAULT_TIMEOUTS = { connectMs: 5_000, headersMs: 15_000, bodyMs: 15_000, callMs: 30_000 };

/** Creates what all calls share, but for the connections. @throws TypeError for an unusable base URL or number. */
function createDeps(options: TransportOptions, bearer: Bearer): Omit<CallDeps, 'dispatcher'> {
  const { clock, random, hooks = {}, wordsIn, requestsPerSecond, spentAt } = options;
  const { inFlightMax = 64, attemptsMax = 3, queueMax = 10_000, rateMarginMs = 50 } = options;
  const { responseBytesMax = 32 * 1024 * 1024 } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  for (const [name, count] of Object.entries({ inFlightMax, attemptsMax, responseBytesMax })) {
    assertCount(name, count, 1);
  }
  assertCount('queueMax', queueMax, 0);
  for (const [name, ms] of Object.entries(timeouts)) assertMs(`timeouts.${name}`, ms);
  const limits = { requestsPerSecond, marginMs: rateMarginMs, spentAt, inFlightMax, queueMax };
  const budget = new Budget({ ...limits, clock });
  return {
    origin: parseBaseUrl(options.baseUrl).origin,
    bearer,
    wordsIn,
    timeouts,
    responseBytesMax,
    attemptsMax,
    clock,
    random,
    hooks,
    budget,
    rateLimit: createRateLimit(budget, clock, hooks),
    gates: createGates(clock, hooks),
    running: new Set(),
  };
}

/** Connections of a transport; a dispatcher of the caller serves all of it and stays open. */
interface Connections {
  readonly own: RequestDispatcher;
  /** A sender to any host, made when it is needed first. */
  elsewhere(): RequestDispatcher;
  /** Waits for exchanges under way, then closes the connections of our own. */
  close(running: Iterable<Promise<unknown>>): Promise<void>;
}

function openConnections(
  { dispatcher, proxy, inFlightMax: connections = 64 }: TransportOptions,
  { origin, timeouts: { connectMs } }: Pick<CallDeps, 'origin' | 'timeouts'>,
): Connections {
  if (dispatcher !== undefined) {
    return { own: dispatcher, elsewhere: () => dispatcher, close: async () => undefined };
  }
  const own = createDispatcher({ origin, proxy, connectMs, connections });
  let open: ReturnType<typeof createDispatcher> | undefined;
  return {
    own,
    elsewhere() {
      open ??= createDispatcher({ origin: undefined, proxy, connectMs, connections });
      return open;
    },
    // Not closed: that would wait for connections that have no use any more.
    async close(running) {
      await Promise.all(running);
      await Promise.all([own.destroy(), open?.destroy()]);
    },
  };
}

function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.password || url.search || url.hash) {
    throw new TypeError('the base URL must be http(s)://host[:port][/path] and nothing more');
  }
  return url;
}

/** @throws TypeError for a number or a header that cannot be. */
function checkOptions(options: CallOptions = {}): CallOptions {
  const { timeoutMs, withinMs, attemptsMax, headers } = options;
  for (const ms of [timeoutMs, withinMs]) if (ms !== undefined) assertMs('timeoutMs', ms);
  if (attemptsMax !== undefined) assertCount('attemptsMax', attemptsMax, 1);
  checkHeaders(headers);
  return options;
}
