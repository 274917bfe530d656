import { pipeline } from 'node:stream/promises';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { JsonObject } from '../../domain/values.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { Events } from '../../telemetry/events.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { conflict, invalidSyntax, ScimError, toScimErrorBody, unavailable } from '../errors.ts';
import { getNotes, note } from './notes.ts';

const SCIM_TYPE = 'application/scim+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Plain JSON for a client that accepts nothing else. @see RFC 7644 §3.8 */
function toContentType({ headers: { accept } }: Pick<Request, 'headers'>): string {
  const types = accept?.split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase()) ?? [];
  const takesScim = ['application/scim+json', 'application/*', '*/*'];
  if (takesScim.some((type) => types.includes(type))) return SCIM_TYPE;
  return types.includes('application/json') ? JSON_TYPE : SCIM_TYPE;
}

/** Characters from which on an answer is sent as bytes: while it waits for its reader, Node would keep a text in three times the memory. */
const WAITING_LENGTH = 65_536;
/** Characters from which on an answer is sent in pieces while it is made. */
const PIECES_LENGTH = 1_000_000;
/** Longest wait for the reader of an answer to take the next piece, in milliseconds. */
const READER_MS = 60_000;

/** Errors of a stream that nobody reads any more. */
const LEFT: ReadonlySet<string> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** Sends text that is already JSON. Written directly: express would hash every answer for an ETag of its own. */
export function sendText(res: Response, status: number, text: string): void {
  const { trace } = getNotes(res);
  if (trace) trace.answer = text;
  const body = text.length > WAITING_LENGTH ? Buffer.from(text) : text;
  res.statusCode = status;
  res.setHeader('Content-Type', toContentType(res.req));
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

/** Sends text in pieces: at once where it is short, else as fast as it is read, so that any length takes the same memory. */
export async function sendPieces(res: Response, status: number, pieces: AsyncIterable<string>) {
  const rest = pieces[Symbol.asyncIterator]();
  let text = '';
  while (text.length <= PIECES_LENGTH) {
    const next = await rest.next();
    if (next.done) return sendText(res, status, text);
    text += next.value;
    getNotes(res).hold?.(text.length);
  }
  res.statusCode = status;
  res.setHeader('Content-Type', toContentType(res.req));
  if (res.req.method === 'HEAD') {
    await rest.return?.();
    res.end();
    return;
  }
  res.setTimeout(READER_MS, () => res.destroy());
  try {
    await pipeline(toBytes(text, { [Symbol.asyncIterator]: () => rest }), res);
  } catch (error) {
    const isLeft = error instanceof Error && 'code' in error && LEFT.has(String(error.code));
    if (!isLeft) throw error;
  }
}

async function* toBytes(first: string, rest: AsyncIterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  for await (const piece of rest) yield Buffer.from(piece);
}

/** Sends a JSON document. */
export function sendJson(res: Response, status: number, body: JsonObject): void {
  sendText(res, status, JSON.stringify(body));
}

/** Last handler: an unknown address is 404, in the form of the protocol. */
export const answerUnknown: RequestHandler = (_req, res) => {
  sendError(res, new ScimError(404, 'Nothing is served at this address.'));
};

/** Turns the error of a handler into a SCIM error answer, once; our own faults are logged. */
export function answerErrors(events: Pick<Events, 'requestFailed'>): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    const scimError = reportFault(events, getRequestId(res), error);
    if (res.headersSent) return next(error);
    sendError(res, scimError);
  };
}

function sendError(res: Response, error: ScimError): void {
  note(res, { refusal: error });
  if (error.retryAfterSeconds !== undefined) {
    res.setHeader('Retry-After', String(error.retryAfterSeconds));
  }
  sendText(res, error.status, JSON.stringify(toScimErrorBody(error)));
}

/** Time that a provider is asked to wait when the store cannot be used, in seconds. */
const STORE_RETRY_SECONDS = 5;
/** Failures of the store that no waiting ends. */
const LASTING = new Set<string>(['store-failed', 'store-reference', 'store-url', 'store-newer']);

/** Turns any error of a request into a SCIM error, and logs its cause where the fault is ours. */
export function reportFault(
  events: Pick<Events, 'requestFailed'>,
  requestId: string,
  fault: unknown,
): ScimError {
  const error = toScimError(fault);
  if (error.status >= 500 && error.cause !== undefined) {
    events.requestFailed({ requestId, error: error.cause });
  }
  return error;
}

function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error;
  if (error instanceof URIError) {
    return invalidSyntax('The address is not encoded correctly.', error);
  }
  if (error instanceof StoreError && !LASTING.has(error.code)) {
    // A conflict at a unique index, after the checks, was a race with another request.
    return error.code === 'store-conflict'
      ? conflict('Another request took this name first.', error)
      : unavailable('The store of the bridge cannot be used now.', STORE_RETRY_SECONDS, error);
  }
  return fromBodyParser(error) ?? new ScimError(500, 'The bridge failed.', { cause: error });
}

/** express marks errors of a body by `status` and mostly a `type`; a failed decompression has no `type`. */
function fromBodyParser(cause: unknown): ScimError | undefined {
  if (!(cause instanceof Error) || !('status' in cause)) return undefined;
  switch ('type' in cause ? cause.type : undefined) {
    case 'entity.too.large':
      return new ScimError(413, 'The body is larger than the server takes.', { cause });
    case 'entity.verify.failed':
      return invalidSyntax('The body is not UTF-8.', cause);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ScimError(415, 'The body has an encoding that is not supported.', { cause });
    default: {
      const isTheirs = typeof cause.status === 'number' && cause.status < 500;
      return isTheirs ? invalidSyntax('The body could not be read.', cause) : undefined;
    }
  }
}
