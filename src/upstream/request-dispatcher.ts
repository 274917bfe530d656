/**
 * What sends requests: undici's `Dispatcher`, as far as it is used. Spelled out, so that the types of the client need no
 * other package.
 */
export interface RequestDispatcher {
  request(options: DispatchedRequest): Promise<DispatchedAnswer>;
  on(event: 'connectionError', listener: ConnectionErrorListener): unknown;
  close(): Promise<void>;
}

/** A request as `Dispatcher.request` takes it. */
export interface DispatchedRequest {
  readonly origin?: unknown;
  readonly path: string;
  readonly method: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly headersTimeout?: number | null;
  readonly bodyTimeout?: number | null;
  readonly signal?: unknown;
}

/** An answer as `Dispatcher.request` gives it. */
export interface DispatchedAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: AsyncIterable<Uint8Array> & { text(): Promise<string> };
}

type ConnectionErrorListener = (origin: unknown, targets: unknown, error: Error) => void;
