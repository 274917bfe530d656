import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallLog } from '../calls.ts';
import type { Directory } from '../directory.ts';
import type { Faults } from '../faults.ts';
import { matchOperation, type OperationName } from '../operations.ts';
import { type RateVerdict, RateWindow } from '../rate-limit.ts';
import { parseJson, Refusal } from '../refusal.ts';
import { applyFaults, type Ending } from './apply-faults.ts';
import { carryOut } from './carry-out.ts';
import { send, sendHalf, toErrorWire, toFace, toWire, type Wire } from './wire.ts';

/** Dependencies of `createRequestListener`. */
export interface ServeDeps {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly token: string;
  readonly baseUrl: string;
  /** Answers requests outside the imitated service: paths under `/_sandbox/`. */
  control(method: string, path: string, body: unknown): unknown;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Path with the query, as it was sent. */
  readonly target: string;
  readonly path: string;
  readonly query: string;
  readonly operation: OperationName | 'unknown';
}

/** Answers requests with the imitated operations, the shape and the faults. */
export function createRequestListener(deps: ServeDeps) {
  const rate = new RateWindow();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url: target = '/' } = request;
    const [path = '', ...rest] = target.split('?');
    if (path.startsWith('/_sandbox/')) {
      void serveControl(deps, { request, response, method, path });
      return;
    }
    const match = matchOperation(method, path);
    const operation = match.kind === 'operation' ? match.operation : 'unknown';
    const query = rest.join('?');
    void serveCall(deps, rate, { request, response, method, target, path, query, operation });
  };
}

async function serveCall(deps: ServeDeps, rate: RateWindow, arrival: Arrival): Promise<void> {
  const { request, response, method, target, operation } = arrival;
  const end = deps.calls.begin({ method, path: target, operation, at: deps.directory.nowMs() });
  const ending = await toEnding(deps, rate, arrival);
  if (ending.kind === 'cut' || response.destroyed) {
    end(0);
    request.socket.resetAndDestroy();
  } else if (ending.kind === 'half') {
    end(0);
    sendHalf(response, ending.wire);
  } else {
    end(ending.wire.status);
    send(response, ending.wire);
  }
}

async function toEnding(deps: ServeDeps, rate: RateWindow, arrival: Arrival): Promise<Ending> {
  const { directory, faults } = deps;
  const { request, response, method, target, path, query, operation } = arrival;
  const face = toFace(path);
  const limit = rate.count(faults.requestsPerSecond, {
    nowMs: directory.nowMs(),
    headers: directory.shape().rateLimitHeaders,
  });
  try {
    const text = await readBody(request);
    assertToken(deps, request);
    assertOwnerActive(deps);
    if (!limit.allowed) throw new Refusal(429, 'rate limit exceeded');
    const address = request.socket.remoteAddress ?? '';
    const found = faults.take(operation, `${target} ${text}`);
    const ending = await applyFaults(found, {
      ...{ faults, response, face },
      run: (body = text) => carryOut(deps, { method, path, query, text: body, address }),
    });
    return ending.kind === 'cut' ? ending : { ...ending, wire: withHeaders(ending.wire, limit) };
  } catch (error) {
    if (!(error instanceof Refusal)) return { kind: 'cut' }; // The caller hung up while it was sending.
    const wire = toErrorWire(error, face, directory.shape().errorBody);
    return { kind: 'whole', wire: withHeaders(wire, limit) };
  }
}

async function serveControl(
  deps: ServeDeps,
  { request, response, method, path }: Pick<Arrival, 'request' | 'response' | 'method' | 'path'>,
): Promise<void> {
  try {
    assertToken(deps, request);
    const body = parseJson(await readBody(request));
    send(response, toWire(200, deps.control(method, path, body) ?? {}));
  } catch (error) {
    const known = error instanceof Refusal ? error : { status: 500, message: String(error) };
    if (!response.destroyed) send(response, toErrorWire(known, 'rest', 'message'));
  }
}

const BODY_BYTES_MAX = 10_000_000;

/** The body as text. @throws Refusal 413 above ten megabytes. @throws Error when the caller hangs up. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Refusal(413, 'body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function assertToken({ token }: ServeDeps, request: IncomingMessage): void {
  if (request.headers.authorization !== `Bearer ${token}`) throw new Refusal(401, 'Invalid token');
}

/** The token of a deactivated account is not valid, as in every service. */
function assertOwnerActive({ directory: { state, ownerId } }: ServeDeps): void {
  if (!state.users.find(ownerId)?.active) throw new Refusal(401, 'Invalid token');
}

function withHeaders(wire: Wire, { headers }: RateVerdict): Wire {
  return { ...wire, headers: { ...headers, ...wire.headers } };
}
