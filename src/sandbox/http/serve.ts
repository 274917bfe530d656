import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallLog } from '../calls.ts';
import type { Directory } from '../directory.ts';
import type { CallFaults, Fault, Faults } from '../faults.ts';
import {
  findSection,
  getRow,
  handlers,
  matchOperation,
  type OperationName,
} from '../operations.ts';
import { parseJson, Refusal } from '../refusal.ts';
import { type Face, SandboxService } from '../service.ts';
import type { ErrorBody, SandboxShape } from '../shape.ts';

/** An answer, ready to be sent. */
export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The company that a call is for. */
interface Callee {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly baseUrl: string;
}

/** A call as it came: the query without its question mark, and the caller's address, as the audit log shows it. */
type IncomingCall = Readonly<Record<'method' | 'path' | 'query' | 'text' | 'address', string>>;

/** Carries a call out. It never waits: a call is done completely or not at all. */
export function carryOut({ directory, faults, baseUrl }: Callee, call: IncomingCall): Wire {
  const shape = directory.shape();
  try {
    const match = matchOperation(call.method, call.path);
    if (match.kind === 'wrong-method') throw new Refusal(405, 'Method Not Allowed');
    if (match.kind !== 'operation') throw new Refusal(404, 'Not Found');
    const { operation, params } = match;
    faults.assertAllowed(findSection(operation));
    const author = { userId: directory.ownerId, address: call.address };
    const body = handlers[operation]({
      params,
      shape,
      baseUrl,
      state: directory.state,
      query: new URLSearchParams(call.query),
      body: parseJson(call.text),
      service: new SandboxService(directory, author),
    });
    return toWire(toStatus(operation, shape), complete(getRow(operation), body));
  } catch (error) {
    return toErrorWire(error, toFace(call.path), shape.errorBody);
  }
}

function toStatus(operation: OperationName, { updateStatus, deleteStatus }: SandboxShape): number {
  if (operation === 'scim.addUser') return 201;
  const { method } = getRow(operation);
  return method === 'PATCH' ? updateStatus : method === 'DELETE' ? deleteStatus : 200;
}

/** What REST answers has all documented fields: null where the sandbox knows nothing. */
function complete({ api, response }: Operation, body: unknown): unknown {
  if (api === 'scim') return body;
  const unknown = Object.fromEntries(response.fields.map((name) => [name, null]));
  const completeOne = (entry: unknown) => Object.assign({ ...unknown }, entry);
  return Array.isArray(body) ? body.map(completeOne) : completeOne(body);
}

/** Dependencies of `createRequestListener`. */
interface ServeDeps extends Callee {
  readonly calls: CallLog;
  readonly token: string;
  /** Answers a request below `/_sandbox/`, outside the imitated service, as method and path. */
  control(request: string, body: unknown): unknown;
}

/** End of a call: an answer, or half of it; without one the connection is cut. */
interface Ending {
  readonly wire?: Wire;
  readonly isHalf?: boolean;
}

/** Answers requests with the imitated operations, the shape and the faults. */
export function createRequestListener(deps: ServeDeps) {
  const { directory, faults, calls, token } = deps;
  const countCall = createRateWindow(deps);

  async function serveControl(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let wire: Wire;
    try {
      assertToken(request);
      const body = parseJson(await readBody(request));
      const { method, path } = toTarget(request);
      wire = toWire(200, deps.control(`${method} ${path}`, body) ?? {});
    } catch (error) {
      wire = toErrorWire(error, 'rest', 'message');
    }
    if (!response.destroyed) send(response, { wire });
  }

  async function serveCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rate = countCall();
    const { target, ...call } = toTarget(request);
    const { method, path } = call;
    const match = matchOperation(method, path);
    const operation = match.kind === 'operation' ? match.operation : 'unknown';
    const end = calls.begin({ method, path: target, operation, at: directory.nowMs() });
    const face = toFace(path);
    const answer = async (): Promise<Ending> => {
      const text = await readBody(request);
      assertToken(request);
      // The token of a deactivated account is not valid, as in every service.
      if (!directory.state.users.find(directory.ownerId)?.active) throw invalidToken();
      if (!rate.isAllowed) throw new Refusal(429, 'rate limit exceeded');
      const address = request.socket.remoteAddress ?? '';
      const run = (body = text) => carryOut(deps, { ...call, text: body, address });
      const found = faults.take(operation, `${target} ${text}`);
      return applyFaults(found, { faults, response, face, run });
    };
    const { wire, isHalf = false } = await answer().catch((error: unknown): Ending => {
      // Otherwise the caller hung up while it was sending.
      if (!(error instanceof Refusal)) return {};
      return { wire: toErrorWire(error, face, directory.shape().errorBody) };
    });
    const isCut = wire === undefined || response.destroyed;
    end(isCut || isHalf ? 0 : wire.status);
    if (isCut) request.socket.resetAndDestroy();
    else
      send(response, { wire: { ...wire, headers: { ...rate.headers, ...wire.headers } }, isHalf });
  }

  function assertToken({ headers }: IncomingMessage): void {
    if (headers.authorization !== `Bearer ${token}`) throw invalidToken();
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const isControl = request.url?.startsWith('/_sandbox/');
    void (isControl ? serveControl : serveCall)(request, response);
  };
}

function toTarget({ method = '', url: target = '/' }: IncomingMessage) {
  const [path = '', ...rest] = target.split('?');
  return { method, target, path, query: rest.join('?') };
}

/** The call that the faults meet. */
interface FaultyCall {
  readonly faults: Faults;
  readonly response: ServerResponse;
  readonly face: Face;
  /** Carries the call out, with this body instead of its own where one is given, and returns the answer. */
  run(text?: string): Wire;
}

/** Carries a call out, or not, with its faults. */
async function applyFaults({ delayMs, fault }: CallFaults, call: FaultyCall): Promise<Ending> {
  const { run } = call;
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  switch (fault?.kind) {
    case undefined:
      return { wire: run() };
    case 'status': {
      if (fault.effect === 'done') run();
      const refusal = new Refusal(fault.status, 'the sandbox was told to fail');
      const wire = toErrorWire(refusal, call.face, fault.body ?? 'documented');
      return { wire: { ...wire, headers: { ...wire.headers, ...fault.headers } } };
    }
    case 'hang':
      return hang(fault, call);
    case 'reset': {
      if (fault.at === 'before-effect') return {};
      const wire = run();
      return fault.at === 'mid-answer' ? { wire, isHalf: true } : {};
    }
    case 'html':
      run();
      return { wire: toHtmlWire(200) };
    case 'altered':
      return { wire: run(JSON.stringify(fault.body)) };
    case 'truncated': {
      const wire = run();
      return { wire: { ...wire, text: wire.text.slice(0, wire.text.length / 2) } };
    }
  }
}

async function hang(
  fault: Extract<Fault, { kind: 'hang' }>,
  { faults, response, run }: FaultyCall,
): Promise<Ending> {
  const closed = new AbortController();
  // A service that goes on with a call does so whatever becomes of the caller.
  if (fault.effect !== 'late') {
    response.once('close', () => closed.abort());
    if (response.destroyed) closed.abort();
  }
  const early = fault.effect === 'done' ? run() : undefined;
  const outcome = await faults.hang(fault, closed.signal);
  return outcome === 'closed' ? {} : { wire: early ?? run() };
}

/**
 * Counts calls in whole seconds of the clock, as a service with `X-RateLimit-Reset` in epoch seconds seems to: whether one is
 * within the limit of this second, and the rate headers of its answer.
 */
function createRateWindow({ faults, directory }: Callee) {
  let [current, used] = [0, 0];
  return () => {
    const { requestsPerSecond } = faults;
    if (requestsPerSecond === undefined) return { isAllowed: true, headers: {} };
    const seconds = directory.nowMs() / 1_000;
    const second = Math.floor(seconds);
    used = second === current ? used + 1 : 1;
    current = second;
    const isAllowed = used <= requestsPerSecond;
    const wait = { 'retry-after': String(Math.ceil(second + 1 - seconds)) };
    const reset = {
      'x-ratelimit-remaining': String(Math.max(0, requestsPerSecond - used)),
      'x-ratelimit-reset': String(second + 1),
    };
    const headers = { none: {}, 'retry-after': isAllowed ? {} : wait, reset };
    return { isAllowed, headers: headers[directory.shape().rateLimitHeaders] };
  };
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

function invalidToken(): Refusal {
  return new Refusal(401, 'Invalid token');
}

/** The interface that a path belongs to. */
function toFace(path: string): Face {
  return path.startsWith('/scim/') ? 'scim' : 'rest';
}

/** An answer with JSON; 204 loses its body. */
function toWire(status: number, body: unknown): Wire {
  if (status === 204) return { status, headers: {}, text: '' };
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, text: JSON.stringify(body) };
}

/** A page of HTML, as a proxy in front of the service would send it. */
function toHtmlWire(status: number): Wire {
  const text = '<html><body><h1>The service is busy</h1></body></html>';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text };
}

/** An unsuccessful answer with a body of the form that the shape, or a fault, demands. */
function toErrorWire(error: unknown, face: Face, form: ErrorBody): Wire {
  const known = error instanceof Refusal ? error : new Refusal(500, String(error));
  const { status, message } = known;
  if (form === 'message') return toWire(status, { message });
  if (form === 'html') return toHtmlWire(status);
  if (form === 'documented') {
    // A 401 is documented as a string; the other errors with a message as an object; SCIM's 4xx have no body at all.
    if (status === 401) return toWire(status, 'Invalid token');
    const hasMessage =
      [402, 405].includes(status) || status >= 500 || (status === 400 && face === 'rest');
    if (hasMessage) return toWire(status, { message });
  }
  return { status, headers: {}, text: '' };
}

/** Sends the answer, or half of the announced body, and then cuts the connection. */
function send(response: ServerResponse, { wire, isHalf = false }: Ending & { wire: Wire }): void {
  const { status, headers, text } = wire;
  // One more, so that an empty body is cut too.
  const length = String(Buffer.byteLength(text) + (isHalf ? 1 : 0));
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': length });
  if (!isHalf) return void response.end(text);
  response.flushHeaders();
  response.write(text.slice(0, text.length / 2) || ' ', () => response.destroy());
}
