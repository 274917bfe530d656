import type { BudgetState } from './budget.ts';
import { type CallDeps, runCall } from './call.ts';
import type { CallClass } from './call-class.ts';
import { type Download, downloadFrom, toDownload } from './download.ts';
import { createForm } from './form.ts';
import { assertCount, assertMs } from './limits.ts';
import type { ArgsOf, RedirectTarget } from './operations/call-types.ts';
import type { FilePaths } from './operations/form-parts.ts';
import type { Operation } from './operations/operation.ts';
import { compileOperation, type Prepare } from './operations/prepare.ts';
import type { GateState } from './probe-gate.ts';
import {
  type DownloadRequest,
  type PathPrefixes,
  type PreparedRaw,
  prepareDownload,
  prepareRaw,
  type RawRequest,
} from './raw-request.ts';
import { addHeaders } from './send.ts';
import { createDeps } from './transport-deps.ts';
import type { CallOptions, TransportOptions, WritesRefused } from './transport-options.ts';

export type { CallClass } from './call-class.ts';
export type { CallOptions, Sending, TransportOptions, WritesRefused } from './transport-options.ts';

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
  /** Gets a content of any kind from the service, or without the token from the address that a redirect led to. */
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
  const deps = createDeps(options);
  const { filePaths = 'refuse' } = options;
  const prefixes = toPrefixes(options);
  const prepareFor = createPrepares(prefixes, filePaths);

  // Async, so that a TypeError is a rejection like every other failure.
  async function call(operation: Operation, args: unknown, callOptions: CallOptions = {}) {
    return await run({ operation, request: prepareFor(operation)(args) }, args, callOptions);
  }

  async function request(raw: RawRequest, callOptions: CallOptions = {}) {
    return await run(prepareRaw(raw, { prefixes, filePaths }), raw, callOptions);
  }

  async function download(from: DownloadRequest | RedirectTarget, callOptions: CallOptions = {}) {
    if ('url' in from) return await downloadFrom(deps, from, checkOptions(callOptions));
    const prepared = prepareDownload(from, { prefixes, filePaths });
    return await toDownload((onAnswer) => run(prepared, from, { ...callOptions, onAnswer }));
  }

  async function run(
    { operation, request: { path, body, form } }: PreparedRaw,
    args: unknown,
    callOptions: CallOptions,
  ) {
    const options = checkOptions(callOptions);
    // Files are opened before the call waits for its turn, so that a wrong path costs nothing.
    const request = { path, body: form ? await createForm(operation.id, form) : body };
    const callClass = options.class ?? 'pass';
    return await runCall(deps, { operation, args, request, callClass, options });
  }

  return { call, request, download, ...createControls(deps) };
}

/**
 * The same way to the service, whose calls get the options that `toOptions` makes of theirs: it is asked once a call, and
 * what it throws is how the call ends.
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

/** The part of a transport that is about all its calls. */
function createControls({
  bearer,
  budget,
  gates,
  hooks,
  disconnect,
}: CallDeps): Omit<Transport, 'call' | 'request' | 'download'> {
  let closing: Promise<void> | undefined;
  async function closeOnce(): Promise<void> {
    budget.close();
    await disconnect();
  }

  return {
    health: () => ({
      ...budget.state(),
      credentials: gates.credentials(),
      service: gates.service(),
      redirectedSinceMs: gates.redirectedSinceMs(),
    }),
    writesRefused: hooks.writesRefused ?? (() => undefined),
    queueAheadMs: budget.queueAheadMs.bind(budget),
    prioritise: budget.prioritise.bind(budget),
    renewToken(token) {
      bearer.renew(token);
      gates.tokenRenewed();
    },
    close() {
      closing ??= closeOnce();
      return closing;
    },
  };
}

/** @throws TypeError for a number or a header that cannot be. */
function checkOptions(options: CallOptions): CallOptions {
  const { timeoutMs, withinMs, attemptsMax, headers } = options;
  for (const ms of [timeoutMs, withinMs]) if (ms !== undefined) assertMs('timeoutMs', ms);
  if (attemptsMax !== undefined) assertCount('attemptsMax', attemptsMax, 1);
  addHeaders([], headers);
  return options;
}

function toPrefixes({ baseUrl, apiVersion = 'latest' }: TransportOptions): PathPrefixes {
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  return { scim: basePath, rest: `${basePath}/api/${apiVersion}` };
}

/** The compiled form of each row, made at its first use. */
function createPrepares(prefixes: PathPrefixes, filePaths: FilePaths) {
  const prepares = new Map<Operation, Prepare>();
  return (operation: Operation): Prepare => {
    const known = prepares.get(operation);
    if (known) return known;
    const prepare = compileOperation(operation, prefixes[operation.api], filePaths);
    prepares.set(operation, prepare);
    return prepare;
  };
}
