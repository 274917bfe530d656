import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliDecompress, gunzip, type ZlibOptions } from 'node:zlib';
import { Dispatcher, type FormData } from 'undici';
import type { AnswerHeaders } from './answer-body.ts';
import { UpstreamError, unreadable } from './errors.ts';
import type { Operation } from './operations/operation.ts';

/** What is used of undici's `Dispatcher`, of any version from 7 on: the types of the client need no other package. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Answers calls without a network. */
export interface Answerer {
  answer(request: WireRequest, call: RequestContext): Promise<Answer>;
}

/** One request in its form on the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Operation['method'];
  /** Those of a form are added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

/** Call that a request is made for. */
export interface RequestContext {
  readonly operation: Operation;
  readonly args: unknown;
}

/** Limits of one exchange. Network timeouts run in real time, whatever clock the rest follows. */
export interface ExchangeLimits {
  readonly context: RequestContext;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** Bytes of the content at most, as it comes and decompressed. */
  readonly responseBytesMax: number;
  /** A longer successful answer is skipped. */
  readonly skipAnswerAboveBytes: number | undefined;
  readonly signal: AbortSignal;
  /** Called once there is a connection: the reason why the request may not leave any more, undefined when it may. */
  readonly refuse: () => Error | undefined;
  /** Called once, when the request goes onto the wire. Without the call the service has not seen it. */
  readonly onSent: () => void;
}

/** A completely read answer, or one with an empty text when it was skipped. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Content that is still arriving, where the operation asks for that. */
  readonly content?: ReadableStream;
}

/** Encodings that are asked for, as `Accept-Encoding` has them. */
export const acceptedEncodings = 'gzip, br';

/**
 * Sends one request and reads its answer. Once the signal aborts it ends, whether it waits for a connection, a proxy
 * or an answer.
 * @throws UpstreamError for an answer that is too large or cannot be decoded, the signal's reason, the error of
 * `refuse`, or an error of undici
 */
export async function exchange(
  dispatcher: RequestDispatcher | Answerer,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { signal, context, onSent } = limits;
  // Undici waits for a connection before it gives up.
  const givenUp = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => givenUp.reject(signal.reason));
  if ('dispatch' in dispatcher) {
    return await Promise.race([sendBy(dispatcher, request, limits), givenUp.promise]);
  }
  onSent();
  return await Promise.race([dispatcher.answer(request, context), givenUp.promise]);
}

async function sendBy(
  dispatcher: RequestDispatcher,
  { body, ...request }: WireRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { signal, headersMs: headersTimeout, bodyMs: bodyTimeout } = limits;
  const sending = { ...request, headersTimeout, bodyTimeout, signal, body: body ?? null };
  const sender = new WatchedDispatcher(dispatcher, limits);
  const { statusCode: status, headers, body: content } = await sender.request(sending);
  if (limits.context.operation.response.kind === 'stream' && isSuccess(status)) {
    // From here on its reader decides how long it takes. The adapter of Node throws at an abort where nobody catches it.
    return { status, headers, text: '', content: ReadableStream.from(content) };
  }
  return { status, headers, text: await readText(status, headers, content, limits) };
}

/** Sends by another dispatcher, and notes when the request leaves. */
class WatchedDispatcher extends Dispatcher {
  readonly #dispatcher: RequestDispatcher;
  readonly #limits: ExchangeLimits;

  constructor(dispatcher: RequestDispatcher, limits: ExchangeLimits) {
    super();
    this.#dispatcher = dispatcher;
    this.#limits = limits;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { signal, refuse, onSent } = this.#limits;
    return this.#dispatcher.dispatch(options, {
      // There is a connection, and the request is about to be written: from here on it may have been.
      onRequestStart: (controller, context) => {
        const obstacle = signal.aborted ? undefined : refuse();
        if (obstacle) return controller.abort(obstacle);
        if (!signal.aborted) onSent();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    } satisfies Dispatcher.DispatchHandler);
  }
}

async function readText(
  status: number,
  headers: AnswerHeaders,
  body: Readable,
  limits: ExchangeLimits,
): Promise<string> {
  const { context, responseBytesMax: bytesMax, skipAnswerAboveBytes } = limits;
  const { id } = context.operation;
  const keptMax = isSuccess(status) ? (skipAnswerAboveBytes ?? bytesMax) : bytesMax;
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(id, status, bytesMax);
    if (length > keptMax) chunks = [];
    else chunks.push(chunk);
  }
  const text = await decode(Buffer.concat(chunks), headers, bytesMax).catch((cause: unknown) => {
    if (Object(cause).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(id, status, bytesMax);
    // A failure is a failure, also when its words cannot be read.
    if (!isSuccess(status)) return Buffer.alloc(0);
    throw unreadable(id, 'the content could not be decoded', { status, cause });
  });
  return text.length > keptMax ? '' : decoder.decode(text);
}

/** Decompresses a content. Never more than `bytesMax` bytes are made, however much it claims to hold. */
async function decode(bytes: Uint8Array, headers: AnswerHeaders, bytesMax: number) {
  const encoding = [headers['content-encoding'] ?? ''].flat().join(', ').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes;
  const decoding = decoders[encoding];
  if (decoding === undefined) throw new TypeError('this encoding was not asked for');
  return await decoding(bytes, { maxOutputLength: bytesMax });
}

function tooLarge(operation: string, status: number, bytesMax: number): UpstreamError {
  const detail = `the response is larger than ${bytesMax} bytes`;
  const fate = { retry: 'later', outcome: 'unknown' } as const;
  return new UpstreamError('response-too-large', { operation, detail, status, ...fate });
}

type Decode = (bytes: Uint8Array, options: ZlibOptions & BrotliOptions) => Promise<Uint8Array>;

const gunzipAll: Decode = promisify(gunzip);
const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzipAll,
  'x-gzip': gunzipAll,
  br: promisify(brotliDecompress),
};
const decoder = new TextDecoder();

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
