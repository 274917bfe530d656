import { Client, type Dispatcher } from 'undici';

/** One request of a scenario. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, with the query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

/** Gives the next request of a lane, or undefined when there is none left. A lane is one connection, counted from 0. */
export type RequestSource = (lane: number) => LoadRequest | undefined;

/** An answer that was not 2xx, or none at all. */
export interface Failure {
  readonly request: LoadRequest;
  /** Undefined: no answer came. */
  readonly status: number | undefined;
  /** The beginning of the body, or the message of the connection's error. */
  readonly text: string;
}

/** What a run recorded. */
export interface Load {
  /** One for each request, also the failed, in the order of the answers; milliseconds. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
  readonly failures: number;
  readonly firstFailure: Failure | undefined;
}

const failureTextMax = 500;

/** Keep-alive connections with one request at a time on each, as identity providers use them. */
export class LoadClient {
  readonly #connections: readonly Client[];
  readonly #sender: Sender;

  /** @param options `baseUrl`: the paths of requests are below it. */
  constructor(options: { baseUrl: string; token?: string; connections: number }) {
    const { origin } = new URL(options.baseUrl);
    this.#connections = Array.from({ length: options.connections }, () => new Client(origin));
    this.#sender = createSender(options);
  }

  /** Sends what the source gives, each lane its next request once the last is answered, until every lane has ended. */
  async run(source: RequestSource): Promise<Load> {
    const latenciesMs: number[] = [];
    let [failures, firstFailure]: [number, Failure | undefined] = [0, undefined];
    const startedAt = performance.now();
    const runLane = async (connection: Client, lane: number) => {
      for (let request = source(lane); request !== undefined; request = source(lane)) {
        const sentAt = performance.now();
        const failure = await this.#sender(connection, request);
        latenciesMs.push(performance.now() - sentAt);
        if (failure === undefined) continue;
        failures += 1;
        firstFailure ??= failure;
      }
    };
    await Promise.all(this.#connections.map(runLane));
    return { latenciesMs, elapsedMs: performance.now() - startedAt, failures, firstFailure };
  }

  close(): Promise<unknown> {
    return Promise.all(this.#connections.map((connection) => connection.close()));
  }
}

/** Sends one request and tells why it failed, or undefined. It never rejects. */
export type Sender = (
  connection: Pick<Dispatcher, 'dispatch'>,
  request: LoadRequest,
) => Promise<Failure | undefined>;

/**
 * `dispatch` rather than `request`: it makes no stream for each answer, so the client is seldom the slower side.
 * @param server `baseUrl`: the paths of requests are below it.
 */
function createSender({ baseUrl, token }: { baseUrl: string; token?: string }): Sender {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const headers = {
    'content-type': 'application/scim+json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return (connection, request) =>
    new Promise((resolve) => {
      const call = { ...request, path: basePath + request.path, headers };
      connection.dispatch(call, toHandler(request, resolve));
    });
}

function toHandler(
  request: LoadRequest,
  done: (failure: Failure | undefined) => void,
): Dispatcher.DispatchHandler {
  let status = 0;
  let text = '';
  return {
    // An older form of handler is assumed where this is missing.
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode) => {
      status = statusCode;
    },
    onResponseData: (_controller, chunk) => {
      if (isSuccess(status) || text.length >= failureTextMax) return;
      text += chunk.toString('utf8', 0, failureTextMax);
    },
    onResponseEnd: () => done(isSuccess(status) ? undefined : { request, status, text }),
    onResponseError: (_controller, error) =>
      done({ request, status: undefined, text: error.message }),
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
