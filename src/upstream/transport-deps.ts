import { acceptedEncodings } from './answer-body.ts';
import { createBudget } from './budget.ts';
import type { CallDeps } from './call.ts';
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts';
import { createGates } from './gates.ts';
import { assertCount, assertMs } from './limits.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Bearer } from './send.ts';
import type { TransportOptions } from './transport-options.ts';

const defaultTimeouts = {
  connectMs: 5_000,
  headersMs: 15_000,
  bodyMs: 15_000,
  callMs: 30_000,
} as const;

/** Creates the parts of a transport. @throws TypeError for an unusable base URL, token or number. */
export function createDeps(options: TransportOptions): CallDeps {
  const { clock, random, token, hooks = {}, inFlightMax = 64, attemptsMax = 3 } = options;
  const { responseBytesMax = 32 * 1024 * 1024 } = options;
  const { origin } = parseBaseUrl(options.baseUrl);
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  assertCount('inFlightMax', inFlightMax, 1);
  assertCount('attemptsMax', attemptsMax, 1);
  assertCount('responseBytesMax', responseBytesMax, 1);
  for (const [name, ms] of Object.entries(timeouts)) assertMs(`timeouts.${name}`, ms);
  const budget = openBudget(options, inFlightMax);
  return {
    origin,
    bearer: createBearer(token, options.userAgent ?? 'scim-bridge'),
    wordsIn: options.wordsIn,
    timeouts,
    responseBytesMax,
    attemptsMax,
    clock,
    random,
    hooks,
    budget,
    rateLimit: createRateLimit(budget, clock, hooks),
    gates: createGates(clock, hooks),
    ...openDispatcher(options, { origin, connectMs: timeouts.connectMs, connections: inFlightMax }),
  };
}

/** Opens the sender; a dispatcher of the caller stays open. */
function openDispatcher(
  { dispatcher, proxy }: TransportOptions,
  options: Omit<DispatcherOptions, 'proxy'>,
): Pick<CallDeps, 'dispatcher' | 'running' | 'disconnect' | 'elsewhere'> {
  const running = new Set<Promise<unknown>>();
  if (dispatcher !== undefined) {
    const disconnect = async () => undefined;
    return { dispatcher, running, disconnect, elsewhere: () => dispatcher };
  }
  const own = createDispatcher({ ...options, proxy });
  let open: ReturnType<typeof createDispatcher> | undefined;
  return {
    dispatcher: own,
    running,
    elsewhere() {
      open ??= createDispatcher({ ...options, proxy, origin: undefined });
      return open;
    },
    // Not closed: that would wait for connections that have no use any more.
    async disconnect() {
      await Promise.all(running);
      await Promise.all([own.destroy(), open?.destroy()]);
    },
  };
}

function openBudget(options: TransportOptions, inFlightMax: number) {
  const { requestsPerSecond, rateMarginMs = 50, queueMax = 10_000, clock, spentAt } = options;
  assertCount('queueMax', queueMax, 0);
  const marginMs = rateMarginMs;
  return createBudget({ requestsPerSecond, marginMs, spentAt, inFlightMax, queueMax, clock });
}

function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.password || url.search || url.hash) {
    throw new TypeError('the base URL must be http(s)://host[:port][/path] and nothing more');
  }
  return url;
}

/** Creates a bearer. @throws TypeError for a token that no header can carry */
function createBearer(first: string, userAgent: string): Bearer {
  const bearer = {
    token: first,
    headers: createHeaders(first, userAgent),
    renew(token: string) {
      bearer.headers = createHeaders(token, userAgent);
      bearer.token = token;
    },
  };
  return bearer;
}

/** Bearer credentials as in RFC 6750 §2.1, checked here so that no later error ever quotes them. */
function createHeaders(token: string, userAgent: string): string[] {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('the token must be visible ASCII characters without spaces');
  }
  return [
    ['authorization', `Bearer ${token}`],
    ['accept', 'application/json'],
    ['accept-encoding', acceptedEncodings],
    ['user-agent', userAgent],
  ].flat();
}
