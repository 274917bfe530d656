import { Agent, request } from 'undici';
import { createMatcher } from '../domain/matcher.ts';
import { createAddressGuard } from './address-guard.ts';
import { toFailureWords } from './failure-words.ts';

/** Hosts that may be asked. */
export interface DocumentPolicy {
  /** Names, `*` stands for any text. */
  readonly hosts: readonly string[];
  /** `allow`: also those of a private network, and without TLS. */
  readonly privateAddresses: 'refuse' | 'allow';
}

/** A document could not be read; the message has no part of its address or of its text. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Reads documents of other hosts. */
export type DocumentReader = ReturnType<typeof createDocumentReader>;

/** Longest time of one reading, and of its connection, in milliseconds. */
const READ_MS = 5_000;
const CONNECT_MS = 3_000;
/** Bytes of the largest document that is taken. */
const BYTES_MAX = 256 * 1_024;

/** Creates a reader that calls what the policy names, and nothing else. */
export function createDocumentReader({ hosts, privateAddresses }: DocumentPolicy) {
  const isNamed = createMatcher(hosts);
  const guard = privateAddresses === 'refuse' ? createAddressGuard() : undefined;
  const connect = { timeout: CONNECT_MS, ...(guard === undefined ? {} : { lookup: guard.lookup }) };
  const dispatcher = new Agent({ connect, headersTimeout: READ_MS, bodyTimeout: READ_MS });

  /** True when the policy lets this address be read. */
  function isAllowed(text: string): boolean {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '') return false;
    const isPlain = url.protocol === 'http:' && guard === undefined;
    return (url.protocol === 'https:' || isPlain) && isNamed([url.hostname]);
  }

  async function readText(url: string): Promise<string> {
    if (!isAllowed(url)) throw new Unreadable('the settings do not let this host be asked');
    guard?.assertHost(new URL(url).hostname);
    const signal = AbortSignal.timeout(READ_MS);
    const headers = { accept: 'application/json', 'user-agent': 'scim-bridge' };
    const { statusCode, body } = await request(url, { headers, dispatcher, signal });
    const parts: Buffer[] = [];
    let bytes = 0;
    // Leaving the loop closes the connection.
    for await (const part of body) {
      bytes += part.length;
      if (statusCode !== 200) throw new Unreadable(`answered with ${statusCode}`);
      if (bytes > BYTES_MAX) throw new Unreadable(`more than ${BYTES_MAX} bytes`);
      parts.push(part);
    }
    if (statusCode !== 200) throw new Unreadable(`answered with ${statusCode}`);
    return Buffer.concat(parts).toString('utf8');
  }

  return {
    isAllowed,
    /** Reads JSON; no redirect is followed. @throws Unreadable */
    async read(url: string): Promise<unknown> {
      try {
        return JSON.parse(await readText(url));
      } catch (cause) {
        if (cause instanceof Unreadable) throw cause;
        const words = cause instanceof SyntaxError ? 'no JSON' : toFailureWords(cause);
        throw new Unreadable(words, { cause });
      }
    },
    close: () => dispatcher.destroy(),
  };
}
