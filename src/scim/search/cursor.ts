import { createHash } from 'node:crypto';
import { badRequest } from '../errors.ts';
import type { Hit } from './scan.ts';

/** Query that a cursor belongs to; with another query its place means nothing. */
type CursorQuery = Readonly<Record<string, unknown>> & { readonly endpoint: string };

/** Most characters of a cursor; ours are shorter. */
const CURSOR_LENGTH_MAX = 4_096;

/**
 * A place in a list as text, of characters that need no escaping in an address. It holds everything that the next
 * page needs, so it does not expire and any process on the store can follow it.
 * @see RFC 9865 §2
 */
export function toCursor({ seq, key }: Hit, query: CursorQuery): string {
  const parts = key === undefined ? [toMark(query), seq] : [toMark(query), seq, key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The place that a cursor points at; undefined for the empty one, which asks for the first page.
 * @throws ScimError 400 `invalidCursor`: not one of ours, or one of another query
 */
export function parseCursor(cursor: unknown, query: CursorQuery): Hit | undefined {
  if (cursor === '') return undefined;
  if (typeof cursor !== 'string' || cursor.length > CURSOR_LENGTH_MAX) throw invalidCursor();
  const parts = parseParts(cursor);
  const [mark, seq, key] = parts;
  const isPlace = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  if (!isPlace || parts.length > 3 || mark !== toMark(query)) throw invalidCursor();
  if (key === undefined || typeof key === 'string' || typeof key === 'number') return { seq, key };
  throw invalidCursor();
}

function parseParts(cursor: string): unknown[] {
  if (!/^[\w-]+$/.test(cursor)) throw invalidCursor();
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts)) return parts;
  } catch (error) {
    throw invalidCursor(error);
  }
  throw invalidCursor();
}

/** Mark of the list and its order. The size of a page is left out, so that it may change on the way. */
function toMark({ endpoint, filter, sortBy, sortOrder }: CursorQuery): string {
  const text = JSON.stringify([endpoint, filter ?? '', sortBy ?? '', sortOrder ?? '']);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function invalidCursor(cause?: unknown) {
  const detail =
    'The cursor is none that this list has given out: leave it empty for the first page, then send nextCursor with the same query.';
  return badRequest('invalidCursor', detail, cause);
}
