import type { ServerResponse } from 'node:http';
import type { Refusal } from '../refusal.ts';
import type { ErrorBody } from '../shape.ts';
import type { Answer } from './exchange.ts';

/** Interface of a call; the answers of the two look different. */
export type Face = 'scim' | 'rest';

/** An answer, ready to be sent. */
export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=utf-8';

/** A page as a proxy in front of the service would send it. */
export const htmlPage = '<html><body><h1>The service is busy</h1></body></html>';

/** A successful answer; 204 loses its body. */
export function toWire({ status, body }: Answer): Wire {
  if (status === 204 || body === undefined) return { status, headers: {}, text: '' };
  return { status, headers: { 'content-type': json }, text: JSON.stringify(body) };
}

/** An unsuccessful answer with a body of the form that the shape, or a fault, demands. */
export function toErrorWire(
  { status, message }: Pick<Refusal, 'status' | 'message'>,
  face: Face,
  form: ErrorBody,
): Wire {
  const error = (type: string, text: string): Wire => ({
    status,
    headers: { 'content-type': type },
    text,
  });
  switch (form) {
    case 'empty':
      return { status, headers: {}, text: '' };
    case 'message':
      return error(json, JSON.stringify({ message }));
    case 'html':
      return error(html, htmlPage);
    case 'documented':
      // A 401 is documented as a string; the other errors with a message as an object; SCIM's 4xx have no body at
      // all.
      if (status === 401) return error(json, JSON.stringify('Invalid token'));
      if (
        status === 402 ||
        status === 405 ||
        status >= 500 ||
        (status === 400 && face === 'rest')
      ) {
        return error(json, JSON.stringify({ message }));
      }
      return { status, headers: {}, text: '' };
  }
}

/** Sends the whole answer. */
export function send(response: ServerResponse, { status, headers, text }: Wire): void {
  if (status === 204) response.writeHead(status, headers).end();
  else {
    const length = String(Buffer.byteLength(text));
    response.writeHead(status, { ...headers, 'content-length': length }).end(text);
  }
}

/** Sends half of the announced body, then cuts the connection. */
export function sendHalf(response: ServerResponse, { status, headers, text }: Wire): void {
  const length = String(Buffer.byteLength(text) + 1); // One more, so that an empty body is cut too.
  response.writeHead(status, { ...headers, 'content-length': length });
  response.flushHeaders();
  response.write(text.slice(0, text.length / 2) || ' ', () => response.destroy());
}
