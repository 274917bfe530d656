import { Budget, type BudgetState } from './budget.ts';
import { type CallDeps, runCall } from './call.ts';
import { readSteady } from './clock.ts';
import { openConnections } from './dispatcher.ts';
import { DOWNLOAD, type Download, toDownload } from './download.ts';
import { createForm } from './form.ts';
import { Gates } from './gates.ts';
import { checkHeaders, createBearer } from './headers.ts';
import type { ArgsOf, RedirectTarget } from './operations/call-types.ts';
import type { Operation } from './operations/operation.ts';
import { compileOperation, type Prepare, type PreparedRequest } from './operations/prepare.ts';
import type { GateState } from './probe-gate.ts';
import {
  type DownloadRequest,
  type PreparedRaw,
  prepareRaw,
  type RawRequest,
} from './raw-request.ts';
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
  /** How far the clock of the service is ahead of ours, as its last answer showed it, in milliseconds. */
  aheadMs(): number;
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
  /** Refuses waiting calls, lets calls under way finish, at most `graceMs`, and closes the connections. May be called again. */
  close(graceMs?: number): Promise<void>;
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
  const { token, userAgent = 'scim-bridge', filePaths = 'refuse' } = options;
  const { prefixes, origin } = parseBaseUrl(options);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  for (const [name, ms] of Object.entries(timeouts)) assertMs(`timeouts.${name}`, ms);
  const connections = openConnections(options, timeouts.connectMs);
  const bearer = createBearer(token, userAgent);
  const dispatcher = connections.to(origin);
  const deps = createDeps(options, { origin, dispatcher, bearer, timeouts });
  const { budget, gates, hooks, running } = deps;
  /** The compiled form of each row, made at its first use. */
  const prepares = new Map<Operation, Prepare>();

  function prepare(operation: Operation, args: unknown): PreparedRequest {
    const made = prepares.get(operation) ?? compileOperation(operation, prefixes[operation.api]);
    prepares.set(operation, made);
    return made(args);
  }

  async function run({ operation, request }: PreparedRaw, args: unknown, given?: CallOptions) {
    const callOptions = checkOptions(given);
    // Files are opened before the call waits for its turn, so that a wrong path costs nothing.
    const { path, form } = request;
    const body = form ? await createForm(form, filePaths) : request.body;
    return await runCall(deps, { operation, args, path, body, options: callOptions });
  }

  /** Gets a content once, without the token, the budget, the gates and the hooks, which belong to the service alone. */
  async function runElsewhere(args: RedirectTarget, callOptions: CallOptions): Promise<unknown> {
    const { protocol, origin: other, pathname, search } = URL.parse(args.url) ?? {};
    if (other === undefined || !/^https?:$/.test(protocol ?? '')) {
      throw new TypeError(`${DOWNLOAD.id}: url must be an address of the web`);
    }
    const alone = { ...options, requestsPerSecond: 0, attemptsMax: 1, hooks: {} };
    const bearer = { token, headers: {} };
    const target = { origin: other, dispatcher: connections.to(other), bearer, timeouts };
    const request = { operation: DOWNLOAD, args, path: `${pathname}${search}`, body: undefined };
    return runCall(createDeps(alone, target), { ...request, options: callOptions });
  }

  // Async, so that a TypeError is a rejection like every other failure.
  return {
    call: async (operation: Operation, args: unknown, given?: CallOptions) =>
      run({ operation, request: prepare(operation, args) }, args, given),
    request: async (raw, given) => run(prepareRaw(raw, prefixes), raw, given),
    download: async (from, given) =>
      toDownload(checkOptions(given), (callOptions) => {
        if ('url' in from) return runElsewhere(from, callOptions);
        const { request } = prepareRaw({ method: 'GET', ...from }, prefixes);
        return run({ operation: DOWNLOAD, request }, from, callOptions);
      }),
    health: () => ({ ...budget.state(), ...gates.state() }),
    aheadMs: () => readSteady(deps.clock) + deps.leadMs - deps.clock.now(),
    writesRefused: hooks.writesRefused ?? (() => undefined),
    queueAheadMs: budget.queueAheadMs.bind(budget),
    prioritise: budget.prioritise.bind(budget),
    renewToken(renewed) {
      deps.bearer = createBearer(renewed, userAgent);
      gates.tokenRenewed();
    },
    close(graceMs) {
      budget.close();
      return connections.close(running, graceMs);
    },
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

/** What all calls of a transport share, with the defaults of the options. @throws TypeError for a number that cannot be */
function createDeps(
  options: TransportOptions,
  target: Pick<CallDeps, 'origin' | 'dispatcher' | 'bearer' | 'timeouts'>,
): CallDeps {
  const { clock, random, hooks = {}, wordsIn, requestsPerSecond, spentAt } = options;
  const { inFlightMax = 64, attemptsMax = 3, queueMax = 10_000, rateMarginMs = 50 } = options;
  const { responseBytesMax = 32 * 1024 * 1024 } = options;
  for (const [name, count] of Object.entries({ inFlightMax, attemptsMax, responseBytesMax })) {
    assertCount(name, count, 1);
  }
  assertCount('queueMax', queueMax, 0);
  const rate = { requestsPerSecond, marginMs: rateMarginMs, spentAt };
  const { onPause } = hooks;
  return {
    ...target,
    wordsIn,
    responseBytesMax,
    attemptsMax,
    clock,
    leadMs: clock.now() - readSteady(clock),
    random,
    hooks,
    budget: new Budget({ ...rate, inFlightMax, queueMax, clock, onPause }),
    gates: new Gates(clock, hooks),
    running: new Set(),
  };
}

/** @throws TypeError for anything but the address of a service. */
function parseBaseUrl({ baseUrl, apiVersion = 'latest' }: TransportOptions) {
  const url = URL.parse(baseUrl);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.password || url.search || url.hash) {
    throw new TypeError('the base URL must be http(s)://host[:port][/path] and nothing more');
  }
  const scim = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefixes: { scim, rest: `${scim}/api/${apiVersion}` } };
}

/** @throws TypeError for a number or a header that cannot be. */
function checkOptions(options: CallOptions = {}): CallOptions {
  const { timeoutMs, attemptsMax, headers } = options;
  if (timeoutMs !== undefined) assertMs('timeoutMs', timeoutMs);
  if (attemptsMax !== undefined) assertCount('attemptsMax', attemptsMax, 1);
  checkHeaders(headers);
  return options;
}
