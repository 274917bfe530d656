import type { Attempt } from './attempts.ts';
import type { Reply } from './connection.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** A frame of a stack, a file of ours or of a package, a statement. */
const INSIDES =
  /\bat [\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+|SQLITE_|\bselect [\w, ]+ from /;
/** What Node answers by itself to what it cannot read, without a body. */
const UNREADABLE: ReadonlySet<number> = new Set([400, 408, 413, 414, 417, 431]);

/** What is wrong with an answer, or undefined. */
export function findFault({ path, cutAfter }: Attempt, reply: Reply): string | undefined {
  if (reply.kind === 'silent') return 'no answer, and the connection stays open';
  if (reply.kind === 'closed')
    return cutAfter === undefined ? 'the connection ended without an answer' : undefined;
  const { status, head, body } = reply;
  if (status >= 500 && !isDocumented(path, status)) return `${status}: ${body.slice(0, 200)}`;
  if (INSIDES.test(body)) return `the answer shows its insides: ${body.slice(0, 200)}`;
  if (/<html/i.test(body)) return `an answer of the framework: ${body.slice(0, 200)}`;
  const isOfScim = path.startsWith('/scim/v2/') && status >= 400;
  if (!isOfScim || (body === '' && (UNREADABLE.has(status) || reply.head === ''))) return undefined;
  if (/\r\ncontent-length: 0/i.test(head) || body === '') return undefined;
  return findScimFault(status, head, body);
}

function isDocumented(path: string, status: number): boolean {
  if (status === 501 || status === 503) return true;
  return path.startsWith('/ops/api/') && (status === 502 || status === 504);
}

function findScimFault(status: number, head: string, body: string): string | undefined {
  if (!/\r\ncontent-type: application\/scim\+json/i.test(head))
    return `not of the type of SCIM: ${body.slice(0, 200)}`;
  const error: unknown = JSON.parse(body);
  const isError =
    typeof error === 'object' &&
    error !== null &&
    'schemas' in error &&
    Array.isArray(error.schemas) &&
    error.schemas.includes(ERROR) &&
    'status' in error &&
    error.status === String(status) &&
    'detail' in error &&
    error.detail !== '';
  if (!isError) return `no SCIM error with its status: ${body.slice(0, 200)}`;
  if (status === 429 || status === 503) {
    return /\r\nretry-after: [1-9]\d*\r?\n?/i.test(`${head}\r\n`)
      ? undefined
      : `${status} without Retry-After`;
  }
  return undefined;
}
