import { addAbortSignal, type Readable } from 'node:stream';
import { Dispatcher, type FormData } from 'undici';
import { type AnswerHeaders, decodeBody, findEncoding, ResponseTooLarge } from './answer-body.ts';
import type { Operation } from './operations/operation.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';

/** One request in its form on the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Operation['method'];
  /** Those of a form are added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

/** Limits of one exchange. Network timeouts run in real time, whatever clock the rest follows. */
export interface ExchangeLimits {
  readonly headersMs: number;
  readonly bodyMs: number;
  /** Bytes of the content at most, as it comes and decompressed; the content of a stream has no limit. */
  readonly responseBytesMax: number;
  /** A longer successful answer is skipped. */
  readonly skipAnswerAboveBytes: number | undefined;
  readonly signal: AbortSignal;
  /** Called once there is a connection: the reason why the request may not leave any more, undefined when it may. */
  readonly refuse: () => Error | undefined;
  /** Called once, when the request goes onto the wire. Without the call the service has not seen it. */
  readonly onSent: () => void;
  /** Hands on the content of a successful answer as it arrives, until the caller's own signal aborts. */
  readonly stream?: StreamLimits | undefined;
}

interface StreamLimits {
  readonly signal: AbortSignal | undefined;
  /** The error that a reader gets for a failure on the way. */
  readonly toError: (cause: unknown) => Error;
}

/** A completely read answer, or one with an empty text when it was skipped. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Content that is still arriving, where that was asked for. */
  readonly content?: ReadableStream<Uint8Array>;
}

/**
 * Sends one request and reads its answer. Once the signal aborts it ends, whether it waits for a connection, a proxy
 * or an answer.
 * @throws ResponseTooLarge, UndecodableBody, the signal's reason, the error of `refuse`, or an error of undici.
 */
export async function exchange(
  dispatcher: RequestDispatcher,
  { body, ...request }: WireRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { signal, headersMs, bodyMs, stream } = limits;
  const sender = new WatchedDispatcher(dispatcher, limits);
  const timeouts = { headersTimeout: headersMs, bodyTimeout: bodyMs };
  const asked: Promise<Dispatcher.ResponseData> = sender.request({
    ...request,
    ...timeouts,
    signal,
    body: body ?? null,
  });
  // Undici waits for a connection before it gives up.
  const givenUp = Promise.withResolvers<never>();
  const giveUp = () => givenUp.reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    const answer = await Promise.race([asked, givenUp.promise]);
    const { statusCode: status, headers } = answer;
    if (!stream || !isSuccess(status))
      return await readAnswer(status, headers, answer.body, limits);
    return { status, headers, text: '', content: toContent(answer.body, stream) };
  } catch (error) {
    sender.noteEnd();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Sends by another dispatcher, and notes when the request leaves. */
class WatchedDispatcher extends Dispatcher {
  readonly #dispatcher: RequestDispatcher;
  readonly #limits: ExchangeLimits;
  #isStarted = false;
  #isSent = false;

  constructor(dispatcher: RequestDispatcher, limits: ExchangeLimits) {
    super();
    this.#dispatcher = dispatcher;
    this.#limits = limits;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const noteSent = () => this.#noteSent();
    const watched: WatchedHandler = {
      // There is a connection, and the request is about to be written.
      onRequestStart: (controller, context) => {
        const obstacle = this.#limits.signal.aborted ? undefined : this.#limits.refuse();
        if (obstacle) {
          controller.abort(obstacle);
          return;
        }
        this.#isStarted = !this.#limits.signal.aborted;
        handler.onRequestStart?.(controller, context);
      },
      onBodySent: noteSent,
      onRequestSent: noteSent,
      onResponseStart: (...given) => {
        noteSent();
        handler.onResponseStart?.(...given);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    };
    return this.#dispatcher.dispatch(options, watched);
  }

  /** Not every dispatcher reports that it has written: a request that may have been sent counts as sent. */
  noteEnd(): void {
    if (this.#isStarted) this.#noteSent();
  }

  #noteSent(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    this.#limits.onSent();
  }
}

type WatchedHandler = Required<
  Omit<Dispatcher.DispatchHandler, 'onRequestUpgrade' | 'onResponseStarted'>
>;

async function readAnswer(
  status: number,
  headers: AnswerHeaders,
  body: Readable,
  { responseBytesMax: bytesMax, skipAnswerAboveBytes }: ExchangeLimits,
): Promise<Answer> {
  const keptMax = isSuccess(status) ? (skipAnswerAboveBytes ?? bytesMax) : bytesMax;
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw new ResponseTooLarge(status, bytesMax);
    if (length > keptMax) chunks = [];
    else chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const encoding = findEncoding(headers);
  if (encoding === undefined || bytes.length === 0) {
    return { status, headers, text: decoder.decode(bytes) };
  }
  try {
    const decoded = await decodeBody(bytes, { status, encoding, bytesMax });
    return { status, headers, text: decoded.length > keptMax ? '' : decoder.decode(decoded) };
  } catch (error) {
    // A failure is a failure, also when its words cannot be read.
    if (isSuccess(status) || error instanceof ResponseTooLarge) throw error;
    return { status, headers, text: '' };
  }
}

/** From here on the stream's own reader decides how long it takes. */
function toContent(body: Readable, { signal, toError }: StreamLimits): ReadableStream<Uint8Array> {
  // A reader meets the error at its next piece; who reads no more does not meet it at all.
  body.on('error', () => undefined);
  if (signal) addAbortSignal(signal, body);
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(sink) {
        try {
          const { done, value } = await pieces.next();
          if (done) sink.close();
          else sink.enqueue(value);
        } catch (cause) {
          sink.error(toError(cause));
        }
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  );
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const decoder = new TextDecoder();
