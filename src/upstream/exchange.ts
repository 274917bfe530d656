import type { Readable } from 'node:stream';
import { type AnswerHeaders, decodeBody, findEncoding, ResponseTooLarge } from './answer-body.ts';
import { ContentStream } from './content-stream.ts';
import type { Operation } from './operations/operation.ts';
import type { AnswerHandler, DispatchController, RequestDispatcher } from './request-dispatcher.ts';

/** One request in its form on the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Operation['method'];
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Readable | undefined;
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

/** Limits of a content that is handed on as it arrives. */
export interface StreamLimits {
  readonly signal: AbortSignal | undefined;
  readonly toError: (cause: unknown) => Error;
}

/** A completely read answer, or one with an empty text when it was skipped. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Content that is still arriving, where that was asked for. */
  readonly content?: ContentStream;
}

/**
 * Sends one request and reads its answer. Once the signal aborts it ends, whether it waits for a connection, a proxy
 * or an answer.
 * @throws ResponseTooLarge, UndecodableBody, the signal's reason, the error of `refuse`, or an error of undici.
 */
export function exchange(
  dispatcher: RequestDispatcher,
  { origin, path, method, headers, body }: WireRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = {
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
  };
  const isStream = typeof body === 'object';
  // Not `request`: that makes a stream of each answer, which costs as much as all the rest.
  dispatcher.dispatch(options, new AnswerReader(limits, { resolve, reject, isStream }));
  return promise;
}

interface Settlement {
  /** True when the body is a stream: nothing is written before its first piece. */
  readonly isStream: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects an answer piece by piece. */
class AnswerReader implements AnswerHandler {
  readonly #limits: ExchangeLimits;
  readonly #settlement: Settlement;
  #controller: DispatchController | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #content: ContentStream | undefined;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #keptMax = 0;
  #isStarted = false;
  #isSent = false;

  constructor(limits: ExchangeLimits, settlement: Settlement) {
    this.#limits = limits;
    this.#settlement = settlement;
    if (limits.signal.aborted) this.#onAbort();
    else limits.signal.addEventListener('abort', this.#onAbort);
  }

  /** There is a connection, and the request is about to be written. */
  onRequestStart(controller: DispatchController): void {
    this.#controller = controller;
    const { signal, refuse } = this.#limits;
    const obstacle = signal.aborted ? signal.reason : refuse();
    if (obstacle !== undefined) {
      controller.abort(obstacle);
      return;
    }
    this.#isStarted = true;
    if (!this.#settlement.isStream) this.#noteSent();
  }

  onBodySent(): void {
    this.#noteSent();
  }

  onRequestSent(): void {
    this.#noteSent();
  }

  /** Called for interim answers (1xx) too: the last one counts. */
  onResponseStart(controller: DispatchController, status: number, headers: AnswerHeaders): void {
    this.#noteSent();
    const { responseBytesMax, skipAnswerAboveBytes, stream } = this.#limits;
    const isSuccess = status >= 200 && status < 300;
    this.#status = status;
    this.#headers = headers;
    this.#keptMax = isSuccess ? (skipAnswerAboveBytes ?? responseBytesMax) : responseBytesMax;
    if (isSuccess && stream !== undefined) this.#openStream(controller, stream);
  }

  /** From here on the stream's own reader decides how long it takes. */
  #openStream(controller: DispatchController, { signal, toError }: StreamLimits): void {
    this.#end();
    this.#content = new ContentStream({ controller, signal, toError });
    const answer = { status: this.#status, headers: this.#headers, text: '' };
    this.#settlement.resolve({ ...answer, content: this.#content });
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.#content) {
      this.#content.push(chunk);
      return;
    }
    const { responseBytesMax } = this.#limits;
    this.#bytes += chunk.length;
    if (this.#bytes > responseBytesMax) {
      controller.abort(new ResponseTooLarge(this.#status, responseBytesMax));
      return;
    }
    if (this.#bytes > this.#keptMax) this.#chunks = [];
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end();
    if (this.#content) this.#content.close();
    else this.#readText().then(this.#settlement.resolve, this.#settlement.reject);
  }

  async #readText(): Promise<Answer> {
    const status = this.#status;
    const answer = { status, headers: this.#headers };
    const [first] = this.#chunks;
    const isWhole = first !== undefined && this.#chunks.length === 1;
    const bytes = isWhole ? first : Buffer.concat(this.#chunks);
    const encoding = findEncoding(this.#headers);
    if (encoding === undefined || bytes.length === 0)
      return { ...answer, text: decoder.decode(bytes) };
    try {
      const bytesMax = this.#limits.responseBytesMax;
      const decoded = await decodeBody(bytes, { status, encoding, bytesMax });
      return { ...answer, text: decoded.length > this.#keptMax ? '' : decoder.decode(decoded) };
    } catch (error) {
      // A failure is a failure, also when its words cannot be read.
      if (status < 300 || error instanceof ResponseTooLarge) throw error;
      return { ...answer, text: '' };
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#end();
    this.#content?.fail(error);
    // Not every dispatcher reports that it has written: a request that may have been sent counts as sent.
    if (this.#isStarted) this.#noteSent();
    this.#settlement.reject(error);
  }

  readonly #onAbort = (): void => {
    const { reason } = this.#limits.signal;
    this.#controller?.abort(reason);
    this.#fail(reason);
  };

  #noteSent(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    this.#limits.onSent();
  }

  #end(): void {
    this.#limits.signal.removeEventListener('abort', this.#onAbort);
  }
}

const decoder = new TextDecoder();
