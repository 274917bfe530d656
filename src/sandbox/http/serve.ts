import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallLog } from '../calls.ts';
import type { Fault, Faults } from '../faults.ts';
import { getRow, handlers, matchOperation } from '../operations.ts';
import { parseJson, Refusal } from '../refusal.ts';
import type { SandboxService } from '../service.ts';
import type { ErrorBody } from '../shape.ts';

/** An answer, ready to be sent. */
export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The company that a call is for. */
interface Callee {
  readonly service: SandboxService;
  readonly baseUrl: string;
}

/** A call as it came: the query without its question mark, and the caller's address, as the audit log shows it. */
type IncomingCall = Readonly<Record<'method' | 'path' | 'query' | 'text' | 'address', string>>;

/** Carries a call out. It never waits: a call is done completely or not at all. */
export function carryOut({ service, baseUrl }: Callee, call: IncomingCall): Wire {
  const { shape, state } = service;
  try {
    const match = matchOperation(call.method, call.path);
    if (match.operation === 'unknown') throw new Refusal(match.status, 'Not imitated');
    const { operation, params } = match;
    const body = handlers[operation]({
      params,
      shape,
      baseUrl,
      state,
      query: new URLSearchParams(call.query),
      body: parseJson(call.text),
      service: service.as(service.owner.id, call.address),
    });
    const row = getRow(operation);
    const isChange = row.method === 'PATCH' || row.method === 'DELETE';
    const status = operation === 'scim.addUser' ? 201 : isChange ? shape.changeStatus : 200;
    return toWire(status, complete(row, body));
  } catch (error) {
    return toErrorWire(error, call.path, shape.errorBody);
  }
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
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly token: string;
  /** Answers a request below `/_sandbox/`, outside the imitated service, as method and path. */
  control(request: string, body: unknown): unknown;
}

/** End of a call: an answer, or half of it; undefined: the connection is cut. */
type Ending = (Wire & { readonly isHalf?: boolean }) | undefined;

/** Answers requests with the imitated operations, the shape and the faults. */
export function createRequestListener(deps: ServeDeps) {
  const { service, faults, calls, token } = deps;

  async function readAuthorised(request: IncomingMessage): Promise<string> {
    const body = await readText(request);
    if (request.headers.authorization !== `Bearer ${token}`) throw invalidToken();
    return body;
  }

  async function serveControl(request: IncomingMessage, name: string): Promise<Wire> {
    try {
      const body = parseJson(await readAuthorised(request));
      return toWire(200, deps.control(name, body) ?? {});
    } catch (error) {
      return toErrorWire(error, '', 'message');
    }
  }

  async function serveCall(request: IncomingMessage, response: ServerResponse): Promise<Ending> {
    const rate = faults.countCall(service.inputs.nowMs());
    const { method = '', url = '/' } = request;
    const [path = '', ...query] = url.split('?');
    const { operation } = matchOperation(method, path);
    const end = calls.begin({ method, path: url, operation, at: service.inputs.nowMs() });
    const answer = async (): Promise<Ending> => {
      const text = await readAuthorised(request);
      // The token of a deactivated account is not valid, as in every service.
      if (!service.owner.active) throw invalidToken();
      if (!rate.isAllowed) throw new Refusal(429, 'rate limit exceeded');
      const address = request.socket.remoteAddress ?? '';
      const run = (body = text) =>
        carryOut(deps, { method, path, query: query.join('?'), text: body, address });
      const found = faults.take(operation, `${url} ${text}`);
      return applyFaults(found, { faults, response, path, run });
    };
    const ending = await answer().catch((error: unknown): Ending => {
      // Otherwise the caller hung up while it was sending.
      if (!(error instanceof Refusal)) return undefined;
      return toErrorWire(error, path, service.shape.errorBody);
    });
    const isLost = ending === undefined || ending.isHalf || response.destroyed;
    end(isLost ? 0 : ending.status);
    const date = new Date(service.inputs.nowMs()).toUTCString();
    return ending && { ...ending, headers: { date, ...rate.headers, ...ending.headers } };
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '' } = request;
    const ending = await (url.startsWith('/_sandbox/')
      ? serveControl(request, `${method} ${url}`)
      : serveCall(request, response));
    if (ending === undefined || response.destroyed) request.socket.resetAndDestroy();
    else send(response, ending);
  };
}

/** The call that the faults meet. */
interface FaultyCall {
  readonly faults: Faults;
  readonly response: ServerResponse;
  readonly path: string;
  /** Carries the call out, with this body instead of its own where one is given, and returns the answer. */
  run(body?: string): Wire;
}

/** Carries a call out, or not, with its faults. */
async function applyFaults(
  { delayMs, fault }: ReturnType<Faults['take']>,
  call: FaultyCall,
): Promise<Ending> {
  const { run } = call;
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  switch (fault?.kind) {
    case undefined:
      return run();
    case 'status': {
      if (fault.effect === 'done') run();
      const refusal = new Refusal(fault.status, 'the sandbox was told to fail');
      const wire = toErrorWire(refusal, call.path, fault.body ?? 'documented');
      return { ...wire, headers: { ...wire.headers, ...fault.headers } };
    }
    case 'hang':
      return hang(fault, call);
    case 'reset': {
      if (fault.at === 'before-effect') return undefined;
      const wire = run();
      return fault.at === 'mid-answer' ? { ...wire, isHalf: true } : undefined;
    }
    case 'html':
      run();
      return toHtmlWire(200);
    case 'altered':
      return run(JSON.stringify(fault.body));
    case 'truncated': {
      const wire = run();
      return { ...wire, text: wire.text.slice(0, wire.text.length / 2) };
    }
  }
}

async function hang(
  fault: Extract<Fault, { kind: 'hang' }>,
  { faults, response, run }: FaultyCall,
): Promise<Ending> {
  const early = fault.effect === 'done' ? run() : undefined;
  const released = faults.hang(fault);
  // A service that goes on with a call does so whatever becomes of the caller.
  if (fault.effect === 'late') await released;
  else if (!response.destroyed) await Promise.race([released, once(response, 'close')]);
  return response.destroyed && fault.effect !== 'late' ? undefined : (early ?? run());
}

const invalidToken = () => new Refusal(401, 'Invalid token');

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
function toErrorWire(error: unknown, path: string, form: ErrorBody): Wire {
  const { status, message } = error instanceof Refusal ? error : new Refusal(500, String(error));
  if (form === 'html') return toHtmlWire(status);
  // Documented: a 401 is a string; other errors are an object with a message; SCIM's 4xx have no body at all.
  if (form === 'documented' && status === 401) return toWire(status, message);
  const isShown =
    [402, 405].includes(status) || status >= 500 || (status === 400 && !path.startsWith('/scim/'));
  if (form === 'message' || (form === 'documented' && isShown)) return toWire(status, { message });
  return { status, headers: {}, text: '' };
}

/** Sends the answer, or half of the announced body, and then cuts the connection. */
function send(
  response: ServerResponse,
  { status, headers, text, isHalf = false }: NonNullable<Ending>,
): void {
  // One more, so that an empty body is cut too.
  const length = String(Buffer.byteLength(text) + (isHalf ? 1 : 0));
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': length });
  if (!isHalf) return void response.end(text);
  response.flushHeaders();
  response.write(text.slice(0, text.length / 2) || ' ', () => response.destroy());
}
