import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallLog } from '../calls.ts';
import type { Directory } from '../directory.ts';
import type { Faults } from '../faults.ts';
import type { OperationName } from '../operations.ts';
import { countCall, type RateVerdict, RateWindow } from '../rate-limit.ts';
import { Refusal } from '../refusal.ts';
import { applyFaults, type Ending } from './apply-faults.ts';
import { carryOut, type IncomingCall, toFace } from './carry-out.ts';
import { type Match, matchOperation } from './match.ts';
import { parseJson, readBody } from './read-body.ts';
import { send, sendHalf, toErrorWire, toWire, type Wire } from './wire.ts';

/** Dependencies of `createRequestListener`. */
export interface ServeDeps {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly token: string;
  readonly baseUrl: string;
  /** Answers requests outside the imitated service: paths under `/_sandbox/`. */
  control(method: string, path: string, body: unknown): { status: number; body: unknown };
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly match: Match;
}

/** Answers requests with the documented operations, the shape and the faults. */
export function createRequestListener(deps: ServeDeps) {
  const rate = new RateWindow();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const method = request.method ?? '';
    const target = request.url ?? '/';
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    if (path.startsWith('/_sandbox/')) {
      void serveControl(deps, request, response);
      return;
    }
    const match = matchOperation(method, path);
    const query = mark < 0 ? '' : target.slice(mark + 1);
    void serveCall(deps, rate, { request, response, path, query, match });
  };
}

async function serveCall(deps: ServeDeps, rate: RateWindow, arrival: Arrival): Promise<void> {
  const { request, response } = arrival;
  const end = deps.calls.begin({
    method: request.method ?? '',
    path: request.url ?? '/',
    operation: toOperation(arrival),
    at: deps.directory.nowMs(),
  });
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
  const limit = countCall(rate, faults.requestsPerSecond, {
    nowMs: directory.nowMs(),
    headers: directory.shape().rateLimitHeaders,
  });
  try {
    const text = await readBody(arrival.request);
    assertToken(deps, arrival.request);
    assertOwnerActive(deps);
    if (!limit.allowed) throw new Refusal('too-many', 'rate limit exceeded');
    const call = toIncomingCall(arrival, text);
    const found = faults.take(toOperation(arrival), `${arrival.request.url ?? ''} ${text}`);
    const ending = await applyFaults(found, {
      faults,
      response: arrival.response,
      face: toFace(arrival.path),
      run: (body = text) => carryOut(deps, { ...call, text: body }),
    });
    return ending.kind === 'cut' ? ending : { ...ending, wire: withHeaders(ending.wire, limit) };
  } catch (error) {
    if (!(error instanceof Refusal)) return { kind: 'cut' }; // The caller hung up while it was sending.
    const wire = toErrorWire(error, toFace(arrival.path), directory.shape().errorBody);
    return { kind: 'whole', wire: withHeaders(wire, limit) };
  }
}

async function serveControl(
  deps: ServeDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?');
  try {
    assertToken(deps, request);
    const body = parseJson(await readBody(request));
    send(response, toWire(deps.control(request.method ?? '', path, body)));
  } catch (error) {
    const known = error instanceof Refusal ? error : { status: 500, message: String(error) };
    if (!response.destroyed) send(response, toErrorWire(known, 'rest', 'message'));
  }
}

function assertToken({ token }: ServeDeps, request: IncomingMessage): void {
  if (request.headers.authorization !== `Bearer ${token}`) {
    throw new Refusal('unauthorized', 'Invalid token');
  }
}

/** The token of a deactivated account is not valid, as in every service. */
function assertOwnerActive({ directory: { state, ownerId } }: ServeDeps): void {
  if (!state.users.find(ownerId)?.active) throw new Refusal('unauthorized', 'Invalid token');
}

function withHeaders(wire: Wire, { headers }: RateVerdict): Wire {
  return { ...wire, headers: { ...headers, ...wire.headers } };
}

function toOperation({ match }: Arrival): OperationName | 'unknown' {
  return match.kind === 'operation' ? match.operation : 'unknown';
}

function toIncomingCall({ request, path, query }: Arrival, text: string): IncomingCall {
  const address = request.socket.remoteAddress ?? '';
  return { method: request.method ?? '', path, query, text, address };
}
