import { createOutbound, OutboundError, type OutboundPolicy, toFailureWords } from './outbound.ts';

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
