/**
 * The part of undici's `Dispatcher` that is used. Spelled out, so that the types of the client need no other package.
 */
export interface RequestDispatcher {
  dispatch(options: DispatchedRequest, handler: AnswerHandler): boolean;
}

/** A request in the form of `Dispatcher.dispatch`. */
export interface DispatchedRequest {
  readonly origin?: unknown;
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly headersTimeout?: number | null;
  readonly bodyTimeout?: number | null;
}

/** Receives the parts of an answer. */
export interface AnswerHandler {
  onRequestStart(controller: DispatchController, context: unknown): void;
  onBodySent(chunk: Uint8Array): void;
  onRequestSent(): void;
  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void;
  onResponseData(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd(controller: DispatchController, trailers: object): void;
  onResponseError(controller: DispatchController, error: Error): void;
}

/** Ends a request before its answer is complete, or holds its content back. */
export interface DispatchController {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}
