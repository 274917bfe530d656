import type { DispatchController } from './request-dispatcher.ts';

/** Options of a content stream. */
export interface ContentStreamOptions {
  /** Pauses, resumes and ends the request. */
  readonly controller: DispatchController;
  /** Ends the stream when the caller gives up. */
  readonly signal: AbortSignal | undefined;
  /** The error that a reader gets for a failure on the way. */
  readonly toError: (cause: unknown) => Error;
}

/** Content of an answer that is handed on as it arrives, no faster than it is read. */
export class ContentStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #options: ContentStreamOptions;
  #sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOpen = true;
  #isPaused = false;

  constructor(options: ContentStreamOptions) {
    this.#options = options;
    this.stream = new ReadableStream<Uint8Array>({
      start: (sink) => {
        this.#sink = sink;
      },
      pull: () => this.#resume(),
      cancel: () => this.#giveUp(new Error('the content is not wanted any more')),
    });
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.#onAbort();
  }

  /** Hands on the next piece. */
  push(bytes: Uint8Array): void {
    // A request that goes on may hand on an empty piece first, which would be asked for again and again.
    if (!this.#isOpen || bytes.length === 0) return;
    this.#sink?.enqueue(bytes);
    if (this.#isPaused || (this.#sink?.desiredSize ?? 0) > 0) return;
    this.#isPaused = true;
    this.#options.controller.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.controller.resume();
  }

  /** Ends the content. */
  close(): void {
    if (this.#close()) this.#sink?.close();
  }

  /** Fails the reader. */
  fail(cause: unknown): void {
    if (this.#close()) this.#sink?.error(this.#options.toError(cause));
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#options.signal?.reason;
    this.fail(reason);
    this.#options.controller.abort(reason instanceof Error ? reason : new Error('given up'));
  };

  #giveUp(reason: Error): void {
    if (this.#close()) this.#options.controller.abort(reason);
  }

  /** True the first time. */
  #close(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    return wasOpen;
  }
}
