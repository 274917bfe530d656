import { promisify } from 'node:util';
import { type BrotliOptions, brotliDecompress, gunzip, type ZlibOptions } from 'node:zlib';
import type { AnswerHeaders } from './answer-head.ts';

/** Encodings that are asked for, as `Accept-Encoding` has them. */
export const acceptedEncodings = 'gzip, br';

/** The content of an answer is not encoded as its headers say. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
  readonly status: number;
  constructor(status: number, encoding: string, cause?: unknown) {
    super(`the content could not be decoded (${encoding})`, { cause });
    this.status = status;
  }
}

/** The content is larger than the limit, as it came or after decompression. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly status: number;
  constructor(status: number, bytesMax: number) {
    super(`the response is larger than ${bytesMax} bytes`);
    this.status = status;
  }
}

/** Name of the encoding of a content, undefined when it is plain. */
export function findEncoding(headers: AnswerHeaders): string | undefined {
  const encoding = [headers['content-encoding'] ?? ''].flat().join(', ').trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/**
 * Decompresses a content. Never more than `bytesMax` bytes are made, however much it claims to hold.
 * @throws ResponseTooLarge, UndecodableBody
 */
export async function decodeBody(
  bytes: Uint8Array,
  { status, encoding, bytesMax }: { status: number; encoding: string; bytesMax: number },
): Promise<Uint8Array> {
  const decode = decoders[encoding];
  if (decode === undefined) throw new UndecodableBody(status, 'unknown encoding');
  try {
    return await decode(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    const isTooLarge =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new ResponseTooLarge(status, bytesMax);
    throw new UndecodableBody(status, encoding, cause);
  }
}

type Decode = (bytes: Uint8Array, options: ZlibOptions & BrotliOptions) => Promise<Uint8Array>;

const decodeGzip: Decode = promisify(gunzip);
const decodeBrotli: Decode = promisify(brotliDecompress);
const decoders: Readonly<Record<string, Decode>> = {
  gzip: decodeGzip,
  'x-gzip': decodeGzip,
  br: decodeBrotli,
};
