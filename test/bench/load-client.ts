import type { Dispatcher } from 'undici';
import { Client } from 'undici';

/** One request of a scenario. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string;
}

/** Gives the next request of a lane, or undefined when there is none left. A lane is one connection, counted from 0. */
export type RequestSource = (lane: number) => LoadRequest | undefined;

/** What a run recorded. */
export interface Load {
  /** One for each request, also the failed, in the order of the answers; milliseconds. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
  /** What was answered in the place of 2xx: the request, the status, and the beginning of the body or of the error. */
  readonly failures: readonly object[];
}

const failureTextMax = 500;

/** Keep-alive connections with one request at a time on each, as identity providers use them. */
export class LoadClient {
  readonly #connections: readonly Client[];
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param options `baseUrl`: the paths of requests are below it. */
  constructor({ baseUrl, token, connections }: LoadOptions) {
    const { origin, pathname } = new URL(baseUrl);
    this.#connections = Array.from({ length: connections }, () => new Client(origin));
    this.#basePath = pathname.replace(/\/$/, '');
    this.#headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` };
  }

  async run(source: RequestSource): Promise<Load> {
    const latenciesMs: number[] = [];
    const failures: object[] = [];
    const startedAt = performance.now();
    const runLane = async (connection: Client, lane: number) => {
      for (let request = source(lane); request !== undefined; request = source(lane)) {
        const sentAt = performance.now();
        const failure = await this.#send(connection, request);
        latenciesMs.push(performance.now() - sentAt);
        if (failure !== undefined) failures.push(failure);
      }
    };
    await Promise.all(this.#connections.map(runLane));
    return { latenciesMs, elapsedMs: performance.now() - startedAt, failures };
  }

  close(): Promise<unknown> {
    return Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Tells why it failed, and never rejects. `dispatch` makes no stream for each answer, so the client is seldom slower. */
  #send(connection: Pick<Dispatcher, 'dispatch'>, request: LoadRequest) {
    return new Promise<object | undefined>((done) => {
      let status = 0;
      let text = '';
      const isSuccess = () => status >= 200 && status < 300;
      const call = { ...request, path: this.#basePath + request.path, headers: this.#headers };
      connection.dispatch(call, {
        // An older form of handler is assumed where this is missing.
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          if (!isSuccess() && text.length < failureTextMax)
            text += chunk.toString('utf8', 0, failureTextMax);
        },
        onResponseEnd: () => done(isSuccess() ? undefined : { request, status, text }),
        onResponseError: (_controller, { message }) => done({ request, text: message }),
      });
    });
  }
}

interface LoadOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly connections: number;
}
