import type { ServerResponse } from 'node:http';
import type { Refusal } from '../refusal.ts';
import type { Face } from '../service.ts';
import type { ErrorBody } from '../shape.ts';

/** An answer, ready to be sent. */
export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A page as a proxy in front of the service would send it. */
const PAGE = '<html><body><h1>The service is busy</h1></body></html>';

/** The interface that a path belongs to. */
export function toFace(path: string): Face {
  return path.startsWith('/scim/') ? 'scim' : 'rest';
}

/** An answer with JSON; 204 loses its body. */
export function toWire(status: number, body: unknown): Wire {
  if (status === 204) return { status, headers: {}, text: '' };
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, text: JSON.stringify(body) };
}

/** An answer with a page of HTML. */
export function toHtmlWire(status: number): Wire {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text: PAGE };
}

/** An unsuccessful answer with a body of the form that the shape, or a fault, demands. */
export function toErrorWire(
  { status, message }: Pick<Refusal, 'status' | 'message'>,
  face: Face,
  form: ErrorBody,
): Wire {
  const empty: Wire = { status, headers: {}, text: '' };
  switch (form) {
    case 'empty':
      return empty;
    case 'message':
      return toWire(status, { message });
    case 'html':
      return toHtmlWire(status);
    case 'documented': {
      // A 401 is documented as a string; the other errors with a message as an object; SCIM's 4xx have no body at all.
      if (status === 401) return toWire(status, 'Invalid token');
      const hasMessage =
        [402, 405].includes(status) || status >= 500 || (status === 400 && face === 'rest');
      return hasMessage ? toWire(status, { message }) : empty;
    }
  }
}

/** Sends the whole answer. */
export function send(response: ServerResponse, { status, headers, text }: Wire): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...headers, ...length }).end(text);
}

/** Sends half of the announced body, then cuts the connection. */
export function sendHalf(response: ServerResponse, { status, headers, text }: Wire): void {
  const length = String(Buffer.byteLength(text) + 1); // One more, so that an empty body is cut too.
  response.writeHead(status, { ...headers, 'content-length': length });
  response.flushHeaders();
  response.write(text.slice(0, text.length / 2) || ' ', () => response.destroy());
}
