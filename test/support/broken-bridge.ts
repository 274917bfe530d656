import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { TestBridge } from './bridge.ts';
import { listenLocally } from './listen.ts';

/** A request as it goes through. */
export interface Asked {
  readonly method: string;
  /** Address below the SCIM base URL, with its query; decoded. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

/** An answer as it goes through; the body is the JSON of it. */
interface Replied {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
}

/**
 * A place where a bridge is broken: answers in the place of it, or changes what it answers. `pass` asks it, at another address
 * where one is made of that which was asked; undefined cuts the connection.
 */
export type Break = (
  asked: Asked,
  pass: (toAddress?: (address: string) => string, text?: string) => Promise<Replied>,
) => Promise<Replied | undefined>;

/** Has some requests refused with a status, without having asked the bridge. */
export function refuse(status: number, isMeant: (asked: Asked) => boolean): Break {
  return async (asked, pass) => (isMeant(asked) ? { status, headers: {}, body: {} } : pass());
}

/** Stands before a bridge and breaks it; gives the SCIM base URL of the broken one. */
export async function breakBridge(
  bridge: Pick<TestBridge, 'baseUrl'>,
  breakIt: Break,
): Promise<{ baseUrl: string; stop: () => Promise<void> }> {
  const server = createServer(async (req, res) => {
    const sent = await text(req);
    const [address = '', base] = [req.url, new URL(bridge.baseUrl).pathname];
    const asked = {
      method: req.method ?? 'GET',
      path: decodeURIComponent(address.replace(base, '')),
      authorization: req.headers.authorization,
      text: sent,
    };
    const replied = await breakIt(asked, (toAddress = (same) => same, text = sent) =>
      passOn(bridge, { req, path: toAddress(address), sent: text }),
    );
    if (replied === undefined) {
      req.socket.destroy();
      return;
    }
    const { status, headers, body } = replied;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) res.setHeader(name, value);
    }
    res.writeHead(status).end(Object.keys(body).length === 0 ? undefined : JSON.stringify(body));
  });
  const port = await listenLocally(server);
  return {
    baseUrl: `http://127.0.0.1:${port}${new URL(bridge.baseUrl).pathname}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const SHOWN = ['content-type', 'location', 'etag'] as const;

async function passOn(
  { baseUrl }: Pick<TestBridge, 'baseUrl'>,
  {
    req,
    path,
    sent,
  }: { readonly req: IncomingMessage; readonly path: string; readonly sent: string },
): Promise<Replied> {
  const names = ['authorization', 'content-type', 'if-match'] as const;
  const headers = Object.fromEntries(
    names.flatMap((name) => (req.headers[name] === undefined ? [] : [[name, req.headers[name]]])),
  );
  const {
    statusCode,
    headers: got,
    body,
  } = await request(new URL(path, baseUrl), {
    method: req.method ?? 'GET',
    headers,
    body: sent === '' ? null : sent,
  });
  const shown = SHOWN.map((name) => [name, got[name]?.toString()]);
  return {
    status: statusCode,
    headers: Object.fromEntries(shown),
    body: parseObject(await body.text()),
  };
}

function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {}; // A form, or nothing.
  }
}
