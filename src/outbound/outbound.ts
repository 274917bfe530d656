import { Agent, type Dispatcher, request } from 'undici';
import { createMatcher } from '../domain/matcher.ts';
import { createAddressGuard, PrivateAddress } from './address-guard.ts';

/** Hosts that may be asked. */
export interface OutboundPolicy {
  /** Names, `*` stands for any text. */
  readonly hosts: readonly string[];
  /** `allow`: also those of a private network, and without TLS. */
  readonly privateAddresses: 'refuse' | 'allow';
}

/** A request to a host failed; the message has no part of its address or of its answer. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

const CONNECT_MS = 3_000;

/** Creates a sender that calls what the policy names, and nothing else. `timeMs` is the time of one request. */
export function createOutbound({ hosts, privateAddresses }: OutboundPolicy, timeMs: number) {
  const isNamed = createMatcher(hosts);
  const guard = privateAddresses === 'refuse' ? createAddressGuard() : undefined;
  const connect = { timeout: CONNECT_MS, ...(guard && { lookup: guard.lookup }) };
  const dispatcher = new Agent({ connect, headersTimeout: timeMs, bodyTimeout: timeMs });

  /** True when the policy lets this address be called. */
  function isAllowed(text: string): boolean {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '') return false;
    const isPlain = url.protocol === 'http:' && guard === undefined;
    return (url.protocol === 'https:' || isPlain) && isNamed([url.hostname]);
  }

  return {
    isAllowed,
    /** Sends a request; no redirect is followed. @throws OutboundError where it may not be sent; errors of undici */
    async send(
      url: string,
      options: Pick<Dispatcher.RequestOptions, 'method' | 'body'> & { headers: object },
    ): Promise<Dispatcher.ResponseData> {
      if (!isAllowed(url)) throw new OutboundError('the settings do not let this host be asked');
      guard?.assertHost(new URL(url).hostname);
      const headers = { 'user-agent': 'scim-bridge', ...options.headers };
      const signal = AbortSignal.timeout(timeMs);
      return request(url, { ...options, headers, dispatcher, signal });
    },
    close: () => dispatcher.destroy(),
  };
}

/** Says why a host gave no answer, without a part of its address: that of a channel is its password. */
export function toFailureWords(error: unknown): string {
  const cause = findCause(error);
  if (cause instanceof PrivateAddress) return cause.message;
  const { code } = Object(cause);
  // A timeout has a number, which tells nobody anything.
  const name = cause instanceof Error ? cause.name : 'unknown';
  return `no answer (${typeof code === 'string' ? code : name})`;
}

/** The first cause of an error. */
function findCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? findCause(error.cause) : error;
}
