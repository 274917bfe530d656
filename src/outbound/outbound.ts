import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import { createMatcher } from '../domain/name.ts';

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
  if (cause instanceof OutboundError) return cause.message;
  const { code } = Object(cause);
  // A timeout has a number, which tells nobody anything.
  const name = cause instanceof Error ? cause.name : 'unknown';
  return `no answer (${typeof code === 'string' ? code : name})`;
}

/** The first cause of an error. */
function findCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? findCause(error.cause) : error;
}

const PRIVATE_WORDS = 'the host has an address of a private network, which the settings refuse';

/**
 * Networks that are not the internet; of IPv6 all but 2000::/3, and there those that carry an IPv4 address or none.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry (read 2026-11-22)
 */
const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
];

/** Creates the guard that keeps requests away from private networks. */
export function createAddressGuard() {
  // Apart, because an IPv4 address is also checked in its form of IPv6.
  const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of PRIVATE) {
    const [network = '', bits] = range.split('/');
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    blocked[family].addSubnet(network, Number(bits), family);
  }
  const isPrivate = (address: string) => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return blocked[family].check(address, family);
  };

  /** Looks a name up; fails where any of its addresses is private. */
  const guarded: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      if (found.some(({ address }) => isPrivate(address)))
        return callback(new OutboundError(PRIVATE_WORDS), '');
      const [first] = found;
      if (options.all === true) return callback(null, found);
      return callback(null, first?.address ?? '', first?.family);
    });

  return {
    lookup: guarded,
    /** @throws OutboundError for an address that stands in place of a name, which nothing looks up */
    assertHost(hostname: string): void {
      const bare = hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(bare) !== 0 && isPrivate(bare)) throw new OutboundError(PRIVATE_WORDS);
    },
  };
}

/** Reads documents of other hosts. */
export type DocumentReader = ReturnType<typeof createDocumentReader>;

/** Longest time of one reading, in milliseconds. */
const READ_MS = 5_000;
/** Bytes of the largest document that is taken. */
const BYTES_MAX = 256 * 1_024;

/** Creates a reader that calls what the policy names, and nothing else. */
export function createDocumentReader(policy: OutboundPolicy) {
  const { isAllowed, send, close } = createOutbound(policy, READ_MS);

  async function readText(url: string): Promise<string> {
    const { statusCode, body } = await send(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    // Leaving the loop closes the connection.
    for await (const part of body) {
      bytes += part.length;
      if (statusCode !== 200) throw new OutboundError(`answered with ${statusCode}`);
      if (bytes > BYTES_MAX) throw new OutboundError(`more than ${BYTES_MAX} bytes`);
      parts.push(part);
    }
    if (statusCode !== 200) throw new OutboundError(`answered with ${statusCode}`);
    return Buffer.concat(parts).toString('utf8');
  }

  return {
    isAllowed,
    /** Reads JSON; no redirect is followed. @throws OutboundError */
    async read(url: string): Promise<unknown> {
      try {
        return JSON.parse(await readText(url));
      } catch (cause) {
        const words = cause instanceof SyntaxError ? 'no JSON' : toFailureWords(cause);
        throw new OutboundError(words, { cause });
      }
    },
    close,
  };
}
