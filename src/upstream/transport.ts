import type { BudgetState } from './budget.ts';
import { runCall } from './call.ts';
import type { CallClass } from './call-class.ts';
import { createFormBody } from './form-body.ts';
import { assertMs } from './limits.ts';
import type { ArgsOf } from './operations/call-types.ts';
import type { FilePaths } from './operations/form-parts.ts';
import type { Operation } from './operations/operation.ts';
import { compileOperation, type Prepare, type PreparedRequest } from './operations/prepare.ts';
import type { GateState } from './probe-gate.ts';
import { type PathPrefixes, prepareRaw, type RawRequest } from './raw-request.ts';
import { createDeps } from './transport-deps.ts';
import type { CallOptions, TransportOptions, WritesRefused } from './transport-options.ts';

export type { CallClass } from './call-class.ts';
export type { CallOptions, Sending, TransportOptions, WritesRefused } from './transport-options.ts';

/** The one way to the service: all calls share its token, budget, pauses and connections. */
export interface Transport {
  /**
   * Runs an operation and returns the parsed JSON of its answer, undefined when there is no body.
   * @throws TypeError before anything is sent, when the arguments do not fit the row or a time is impossible.
   * @throws UpstreamError for everything else.
   */
  call<O extends Operation>(operation: O, args: ArgsOf<O>, options?: CallOptions): Promise<unknown>;
  /** The same for arguments that are known only at run time; they are checked the same way. */
  callChecked(operation: Operation, args: unknown, options?: CallOptions): Promise<unknown>;
  /** The same for a request that no row describes. */
  request(raw: RawRequest, options?: CallOptions): Promise<unknown>;
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
  /** Refuses waiting calls, lets calls under way finish, closes the connections. May be called again. */
  close(): Promise<void>;
}

/** State of the transport and of the service, as far as it is known without a call. */
export interface TransportHealth extends BudgetState {
  /** Shut while the service refuses our token (401). */
  readonly credentials: GateState;
  /** Shut while the service does not answer or answers 5xx. */
  readonly service: GateState;
}

/**
 * Creates a transport with its own pool, unless a dispatcher is given. @throws TypeError for an impossible base URL,
 * token or number.
 */
export function createTransport(options: TransportOptions): Transport {
  const deps = createDeps(options);
  const { budget, gates } = deps;
  const { filePaths = 'refuse' } = options;
  const prefixes = toPrefixes(options);
  const prepareFor = createPrepares(prefixes, filePaths);

  // Async, so that a TypeError is a rejection like every other failure.
  async function call(operation: Operation, args: unknown, callOptions: CallOptions = {}) {
    return await run(operation, { args, request: prepareFor(operation)(args) }, callOptions);
  }

  async function request(raw: RawRequest, callOptions: CallOptions = {}) {
    const { operation, request } = prepareRaw(raw, { prefixes, filePaths });
    return await run(operation, { args: raw, request }, callOptions);
  }

  async function run(
    operation: Operation,
    { args, request: prepared }: { args: unknown; request: PreparedRequest },
    callOptions: CallOptions,
  ) {
    const { timeoutMs, withinMs } = callOptions;
    for (const ms of [timeoutMs, withinMs]) if (ms !== undefined) assertMs('timeoutMs', ms);
    const { path, body, form } = prepared;
    // Files are opened before the call waits for its turn, so that a wrong path costs nothing.
    const request = { path, body: form ? await createFormBody(operation.id, form) : body };
    const callClass = callOptions.class ?? 'pass';
    return await runCall(deps, { operation, args, request, callClass, options: callOptions });
  }

  let closing: Promise<void> | undefined;
  async function closeOnce(): Promise<void> {
    budget.close();
    await deps.disconnect();
  }

  return {
    call,
    callChecked: call,
    request,
    health: () => ({
      ...budget.state(),
      credentials: gates.credentials(),
      service: gates.service(),
    }),
    writesRefused: () => options.hooks?.writesRefused?.(),
    queueAheadMs: (callClass, others) => budget.queueAheadMs(callClass, others),
    prioritise: (key) => budget.prioritise(key),
    close() {
      closing ??= closeOnce();
      return closing;
    },
  };
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
