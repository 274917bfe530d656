import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { passOn, serve } from './local-server.ts';

/** Changes what the service answers, or holds it back: given the address and the parsed JSON. Undefined is answered with 404. */
export type Tamper = (url: URL, body: unknown) => unknown;

/** A service whose answers a test can change on their way. */
export type TamperedService = Awaited<ReturnType<typeof tamperWith>>;

/** Puts itself between the bridge and a sandbox; answers to `method` can be changed. */
export async function tamperWith(sandbox: Sandbox, method: 'GET' | 'PATCH' | 'any' = 'GET') {
  let tamper: Tamper | undefined;
  const seen: IncomingHttpHeaders[] = [];
  const server = await serve(async (req, res) => {
    seen.push(req.headers);
    const answer = await passOn(req, `${sandbox.url}${req.url}`, await buffer(req)).catch(
      () => undefined,
    );
    if (answer === undefined) {
      req.socket.destroy();
      return;
    }
    const { status, text, headers } = answer;
    const isMeant = (method === 'any' || req.method === method) && status < 300;
    const url = new URL(req.url ?? '/', sandbox.url);
    const changed = isMeant && tamper ? await change(text, (body) => tamper?.(url, body)) : text;
    if (headers.date !== undefined) res.setHeader('date', headers.date);
    res.writeHead(changed === undefined ? 404 : status, { 'content-type': 'application/json' });
    res.end(changed);
  });
  const service: Sandbox = Object.create(sandbox, { url: { value: server.url } });
  return {
    service,
    seen,
    setTamper(next: Tamper | undefined) {
      tamper = next;
    },
    stop: server.stop,
  };
}

/** What is no JSON stays what it is, and a text is sent as it is. */
async function change(
  text: string,
  tamper: (body: unknown) => unknown,
): Promise<string | undefined> {
  try {
    const changed = await tamper(JSON.parse(text));
    return typeof changed === 'string' ? changed : JSON.stringify(changed);
  } catch {
    return text;
  }
}

/** A page of a list: where the list is, entries a page, and its place from 0 on. */
export interface PlacedPage {
  readonly path: string;
  readonly size: number;
  readonly place: number;
}

/** Changes one page of a list. */
export function changePage(page: PlacedPage, change: (body: unknown) => unknown): Tamper {
  return (url, body) => (isPage(url, page) ? change(body) : body);
}

/** One page of a list says what the page before it said. */
export function repeatPage({ path, size, place }: PlacedPage): Tamper {
  const bodies = new Map<number, unknown>();
  return (url, body) => {
    if (!url.pathname.endsWith(path)) return body;
    const asked = toPlace(url, size);
    bodies.set(asked, body);
    return asked === place ? (bodies.get(asked - 1) ?? body) : body;
  };
}

/** The entry at this place of the whole list is in no page. */
export function leaveOut(path: string, place: number): Tamper {
  return (url, body) => {
    if (!url.pathname.endsWith(path)) return body;
    const start = toStart(url);
    return withEntries((entries) => entries.filter((_, index) => start + index !== place))(body);
  };
}

/** Changes the entries of a list, of SCIM or of REST. */
export function withEntries(change: (entries: unknown[]) => unknown[]) {
  return (body: unknown): unknown => {
    if (Array.isArray(body)) return change(body);
    const { Resources, ...rest } = Object(body);
    return { ...rest, Resources: change(Resources) };
  };
}

function isPage(url: URL, { path, size, place }: PlacedPage): boolean {
  return url.pathname.endsWith(path) && toPlace(url, size) === place;
}

/** A page begins with the last entry of the page before. */
function toPlace(url: URL, size: number): number {
  return Math.ceil(toStart(url) / (size - 1));
}

function toStart({ searchParams }: URL): number {
  const start = Number(searchParams.get('startIndex') ?? 1) - 1;
  return Number(searchParams.get('offset') ?? start);
}
