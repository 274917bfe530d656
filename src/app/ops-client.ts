import { request } from 'undici';
import { BridgeError, findJson, isJsonObject } from '../domain/values.ts';
import type { Settings } from '../settings/schema.ts';

/** Long enough for an answer from a large store. */
const TIMEOUT_MS = 60_000;

/** Time in which a bridge on this machine must answer that it is there, in milliseconds. */
const ANSWER_MS = 5_000;

/** The running bridge did not do what a command asked for. Code `ops-failed`. */
class OpsError extends BridgeError {
  override readonly name = 'OpsError';
  /** Status of its answer; undefined: none came. */
  readonly status: number | undefined;
  constructor(message: string, options: { status?: number | undefined; cause?: unknown } = {}) {
    super('ops-failed', message, { cause: options.cause });
    this.status = options.status;
  }
}

/** True when the bridge answered with this status. */
export function isAnswered(error: unknown, status: number): boolean {
  return error instanceof OpsError && error.status === status;
}

/** True when the bridge is there and has not answered in time. */
function isLate(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError';
}

/** Talks to the running bridge as an operator. */
export type OpsClient = ReturnType<typeof createOpsClient>;

type Method = 'GET' | 'POST';

/** Creates a client of the bridge that `ops.url` names, or of the one on this machine. @throws BridgeError `ops-failed` */
export function createOpsClient({ host, port, ops }: Settings, timeoutMs = TIMEOUT_MS) {
  const token = ops.commandToken ?? ops.token;
  if (token === undefined) {
    throw new OpsError(
      'this command asks a running bridge as an operator: set OPS_TOKEN to its ops.token, or OPS_COMMAND_TOKEN to a named token for operator',
      { status: 401 },
    );
  }
  const base = (ops.url ?? toLocalAddress(host, ops.port ?? port)).replace(/\/+$/, '');

  function toSent(body: object | undefined) {
    const isFile = body instanceof Uint8Array;
    const type = isFile ? 'text/csv' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    return { headers, body: isFile ? body : body ? JSON.stringify(body) : null };
  }

  /** Sends a request, and returns the JSON of any answer, of a refusal too. @throws BridgeError `ops-failed` without one */
  async function ask(method: Method, path: `/${string}`, body?: object) {
    const url = `${base}/ops${path}`;
    try {
      const { statusCode: status, body: answered } = await request(url, {
        ...toSent(body),
        method,
        signal: AbortSignal.timeout(timeoutMs),
        // The signal is the only limit: undici's own limits are shorter than a call may wait for its turn.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const answer = findJson(await answered.text());
      if (answer === undefined) throw toFailure({ url, status, answer });
      return { url, status, answer };
    } catch (cause) {
      if (cause instanceof OpsError) throw cause;
      const words = isLate(cause)
        ? `did not answer within ${timeoutMs / 1_000} s: the bridge took the request, which may still wait in its queue (upstream.waiting of /ops/status)`
        : 'does not answer: is the bridge running? OPS_URL says where it is';
      throw new OpsError(`${url} ${words}`, { cause });
    }
  }

  return {
    /** Address of the bridge. */
    url: base,
    ask,
    /** Sends a request below `/ops`, and returns the JSON of a 2xx answer. @throws BridgeError `ops-failed` for any other */
    async send(method: Method, path: `/${string}`, body?: object): Promise<unknown> {
      const answered = await ask(method, path, body);
      if (answered.status >= 200 && answered.status < 300) return answered.answer;
      throw toFailure(answered);
    },
    /** True when a server answers at the address. */
    async isAnswering(): Promise<boolean> {
      try {
        const signal = AbortSignal.timeout(ANSWER_MS);
        await (await request(`${base}/healthz`, { signal })).body.dump();
        return true;
      } catch (error) {
        // A slow bridge is a running one.
        return isLate(error);
      }
    },
  };
}

/** Address for a process on the same machine: "every interface" is no address to connect to. */
export function toLocalAddress(host: string, port: number): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function toFailure({ url, status, answer }: { url: string; status: number; answer: unknown }) {
  const isOurs = isJsonObject(answer) && 'message' in answer;
  const said = `${url} answered ${status}`;
  return new OpsError(isOurs ? `${String(answer.message)} (${said})` : said, { status });
}
