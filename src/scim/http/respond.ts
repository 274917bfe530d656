import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { JsonObject } from '../../domain/json.ts';
import type { Turns } from '../../domain/turns.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from './etag.ts';
import { note } from './notes.ts';
import { toScimError } from './to-scim-error.ts';

const CONTENT_TYPE = 'application/scim+json; charset=utf-8';

/** Characters from which on an answer is sent as bytes: while it waits for its reader, Node would keep a text in three times the memory. */
const WAITING_LENGTH = 65_536;
/** Characters from which on a list is turned into bytes piece by piece. */
const PIECES_LENGTH = 1_000_000;

/** Sends text that is already JSON. Written directly: express would hash every answer for an ETag of its own. */
function sendText(res: Response, status: number, text: string): void {
  const body = text.length > WAITING_LENGTH ? Buffer.from(text) : text;
  res.statusCode = status;
  res.setHeader('Content-Type', CONTENT_TYPE);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

/** A list as text. */
interface ListText {
  /** Up to the bracket before the first resource. */
  readonly opening: string;
  readonly resources: readonly string[];
  readonly turns: Turns;
}

/** Sends a list, a long one in pieces: a page of large resources is hundreds of megabytes. */
export async function sendListText(
  res: Response,
  { opening, resources, turns }: ListText,
): Promise<void> {
  const length = resources.reduce((sum, text) => sum + text.length, 0);
  if (length <= PIECES_LENGTH) return sendText(res, 200, `${opening}${resources.join(',')}]}`);
  const pieces = [Buffer.from(opening)];
  for (const [index, text] of resources.entries()) {
    pieces.push(Buffer.from(index === 0 ? text : `,${text}`));
    const pause = turns();
    if (pause) await pause;
  }
  pieces.push(Buffer.from(']}'));
  res.statusCode = 200;
  res.setHeader('Content-Type', CONTENT_TYPE);
  res.setHeader(
    'Content-Length',
    pieces.reduce((sum, { length: bytes }) => sum + bytes, 0),
  );
  for (const piece of res.req.method === 'HEAD' ? [] : pieces) {
    res.write(piece);
    const pause = turns();
    if (pause) await pause;
  }
  res.end();
}

/** Sends a JSON document. */
export function sendJson(res: Response, status: number, body: JsonObject): void {
  sendText(res, status, JSON.stringify(body));
}

/** Sends a resource with its ETag. */
export function sendResource(
  res: Response,
  { status, version, text }: { status: number; version: number; text: string },
): void {
  res.setHeader('ETag', toETag(version));
  sendText(res, status, text);
}

/** 304 with the ETag that a reader needs to go on asking. @see RFC 9110 §15.4.5 */
export function sendNotModified(res: Response, version: number): void {
  res.setHeader('ETag', toETag(version));
  res.status(304).end();
}

/** Last handler: an unknown address is 404, in the form of the protocol. */
export const answerUnknown: RequestHandler = (_req, res) => {
  sendError(res, new ScimError(404, 'Nothing is served at this address.'));
};

/** Turns the error of a handler into a SCIM error answer, once; our own faults are logged. */
export function answerErrors(telemetry: {
  failed(fields: { requestId: string; error: unknown }): void;
}): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    const scimError = toScimError(error);
    if (scimError.status >= 500 && scimError.cause !== undefined) {
      telemetry.failed({ requestId: getRequestId(res), error: scimError.cause });
    }
    // Refused while its body still came: the parser of the body says so once more.
    if (res.writableEnded) return;
    if (res.headersSent) return next(error);
    note(res, { scimType: scimError.scimType });
    sendError(res, scimError);
  };
}

/** Sends a SCIM error. */
export function sendError(res: Response, error: ScimError): void {
  if (error.retryAfterSeconds !== undefined) {
    res.setHeader('Retry-After', String(error.retryAfterSeconds));
  }
  sendText(res, error.status, JSON.stringify(toScimErrorBody(error)));
}
