import { text } from 'node:stream/consumers';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { TestBridge } from './bridge.ts';
import { type LocalServer, passOn, serve } from './local-server.ts';

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
): Promise<Pick<LocalServer, 'stop'> & { readonly baseUrl: string }> {
  const { url, stop } = await serve(async (req, res) => {
    const sent = await text(req);
    const [address = '', base] = [req.url, new URL(bridge.baseUrl).pathname];
    const asked = {
      method: req.method ?? 'GET',
      path: decodeURIComponent(address.replace(base, '')),
      authorization: req.headers.authorization,
      text: sent,
    };
    const replied = await breakIt(asked, (toAddress = (same) => same, text = sent) =>
      askBridge(new URL(toAddress(address), bridge.baseUrl), req, text),
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
  return { baseUrl: `${url}${new URL(bridge.baseUrl).pathname}`, stop };
}

const SHOWN = ['content-type', 'location', 'etag'] as const;

async function askBridge(
  address: URL,
  req: Parameters<typeof passOn>[0],
  sent: string,
): Promise<Replied> {
  const { status, headers, text: body } = await passOn(req, address, sent);
  const shown = SHOWN.map((name) => [name, headers[name]?.toString()]);
  return { status, headers: Object.fromEntries(shown), body: parseObject(body) };
}

function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {}; // A form, or nothing.
  }
}
