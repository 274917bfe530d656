import { createHash } from 'node:crypto';

/** Entries that are remembered by their ids, of lists that say a total: so far a read can step back. */
const RECENT_MAX = 500;

/** Position of a paged read: plain data, to be stored and continued from. */
export interface Cursor {
  /** Entries passed so far; the next page begins after them, or `overlap` before. */
  readonly position: number;
  /** Start of the next page, for lists that continue from a place and not from a number. */
  readonly after?: string | number | undefined;
  /** Entries asked for per page; halved when an answer was too large. */
  readonly pageSize: number;
  /** The total that the service named last. */
  readonly total: number | undefined;
  /** Identities of the first page and of the last one, to notice a repeated page. */
  readonly firstPage: string | undefined;
  readonly lastPage: string | undefined;
  /** The first page was longer than asked: the service ignores the limit. */
  readonly limitIgnored: boolean;
  /** The ids of the last entries, where the list says a total. */
  readonly recent?: readonly string[] | undefined;
  /** How the read of a list goes on whose total has changed; absent: it has not. */
  readonly moved?: Moved | undefined;
}

/** A list that changed while it was read: entries may have moved to where the read had been. */
export interface Moved {
  /** How many entries before `position` the next page begins: it has to begin with one that is known. */
  readonly overlap: number;
  /** Different entries passed so far. */
  readonly count: number;
  /** By how much the total has grown in all: newcomers may stand where the read had been. */
  readonly grown: number;
}

/** Result of a read. An incomplete read proves nothing. */
export type Completeness =
  | { readonly complete: true; readonly reason?: never }
  | { readonly complete: false; readonly reason: IncompleteReason };

/** Reason why a read proves nothing. */
type IncompleteReason =
  | 'a page came twice'
  | 'fewer entries than the total'
  | 'the list changed too much while reading'
  | 'too many pages'
  | 'as many as asked for'
  | 'not read to the end';

/** Content of one page. */
export interface PageContent {
  readonly items: readonly unknown[];
  readonly total: number | undefined;
  /** Start of the next page, for such lists; null when the service says that there is none. */
  readonly next?: string | number | null | undefined;
}

/**
 * Effect of a page: more may follow, it is the last one, the read has to step back, or the read ends with this result
 * without it. `items`: the entries that are in no page before.
 */
export type Progress =
  | { readonly kind: 'more'; readonly cursor: Cursor; readonly items: readonly unknown[] }
  | { readonly kind: 'last'; readonly cursor: Cursor; readonly items: readonly unknown[] }
  | { readonly kind: 'back'; readonly cursor: Cursor }
  | { readonly kind: 'end'; readonly result: Completeness };

/** The start of a read. */
export function createCursor(pageSize: number): Cursor {
  return {
    position: 0,
    pageSize,
    total: undefined,
    firstPage: undefined,
    lastPage: undefined,
    limitIgnored: false,
  };
}

/** How many entries are before the next page. */
export function toOffset({ position, moved }: Cursor): number {
  return Math.max(0, position - (moved?.overlap ?? 0));
}

/**
 * Advances a read by its next page, pure. An empty page or the total ends a list, or the service's word that nothing
 * follows; a page that is shorter than asked does not, because the service chooses its own page size. A repeated page
 * is not counted again.
 * Where the total changes, entries may have moved to before the page: the read steps back to one that is known, and goes on
 * with pages that overlap; such a list ends by a page that shows its end and nothing new.
 */
export function advance(cursor: Cursor, page: PageContent): Progress {
  const { position: count, total: before, moved } = cursor;
  const { total = before } = page;
  if (total === undefined || before === undefined) return advanceSimply(cursor, page);
  if (moved === undefined && total === before) return advanceSimply(cursor, page);
  const change = total - before;
  const grown = (moved?.grown ?? 0) + Math.max(0, change);
  const next = { ...cursor, total };
  return moved
    ? advanceOverlapping(next, { ...moved, grown }, page)
    : stepBack(next, { overlap: 2 * Math.abs(change), count, grown });
}

function advanceSimply(cursor: Cursor, { items, total, next: after }: PageContent): Progress {
  const knownTotal = total ?? cursor.total;
  if (items.length === 0) return endAtEmptyPage(cursor.position, knownTotal);
  const page = identifyPage(items);
  if (page === cursor.firstPage || page === cursor.lastPage)
    return classifyRepeated(cursor, { page, knownTotal });
  const isFirst = cursor.firstPage === undefined;
  const next: Cursor = {
    position: cursor.position + items.length,
    ...(after === undefined || after === null ? {} : { after }),
    pageSize: cursor.pageSize,
    total: knownTotal,
    firstPage: cursor.firstPage ?? page,
    lastPage: page,
    limitIgnored: cursor.limitIgnored || (isFirst && items.length > cursor.pageSize),
    ...(knownTotal === undefined ? {} : { recent: toRecent(cursor, items) }),
  };
  const reachesTotal = knownTotal !== undefined && next.position >= knownTotal;
  const isLast = reachesTotal || after === null;
  return { kind: isLast ? 'last' : 'more', cursor: next, items };
}

/** A page that begins with an entry that is known leaves none out, however the list has moved. */
function advanceOverlapping(cursor: Cursor, moved: Moved, { items }: PageContent): Progress {
  const { total = 0 } = cursor;
  const offset = toOffset(cursor);
  const known = new Set(cursor.recent);
  // The offset is ignored.
  const isFirstAgain = offset >= items.length && identifyPage(items) === cursor.firstPage;
  if (isFirstAgain) return incomplete('a page came twice');
  const isJoined = offset === 0 || known.has(identifyItem(items[0]));
  if (!isJoined) return stepBack(cursor, { ...moved, overlap: 2 * moved.overlap });
  const fresh = items.filter((item) => !known.has(identifyItem(item)));
  const count = moved.count + fresh.length;
  const position = offset + items.length;
  if (fresh.length === 0 && position >= total) {
    const isEverything = count + moved.grown >= total;
    return isEverything
      ? { kind: 'end', result: { complete: true } }
      : incomplete('fewer entries than the total');
  }
  if (items.length === 0) return incomplete('fewer entries than the total');
  // At least half of each page is new ground.
  const overlap = Math.min(moved.overlap, Math.floor(items.length / 2));
  const recent = toRecent(cursor, fresh);
  const next = { ...cursor, position, recent, moved: { ...moved, overlap, count } };
  return { kind: 'more', cursor: next, items: fresh };
}

/** Further back than anything that is known there is nothing to go on from. */
function stepBack(cursor: Cursor, moved: Moved): Progress {
  const known = cursor.recent?.length ?? 0;
  const tried = cursor.moved?.overlap ?? 0;
  if (tried >= known) return incomplete('the list changed too much while reading');
  const overlap = Math.min(Math.max(1, moved.overlap), known);
  return { kind: 'back', cursor: { ...cursor, moved: { ...moved, overlap } } };
}

function toRecent({ recent = [] }: Cursor, items: readonly unknown[]): string[] {
  return [...recent, ...items.map(identifyItem)].slice(-RECENT_MAX);
}

function endAtEmptyPage(position: number, total: number | undefined): Progress {
  if (total !== undefined && position < total) return incomplete('fewer entries than the total');
  return { kind: 'end', result: { complete: true } };
}

/** A service that ignores the offset repeats page 1; when it ignores the limit too, that page was everything. */
function classifyRepeated(
  cursor: Cursor,
  { page, knownTotal }: { page: string; knownTotal: number | undefined },
): Progress {
  const isOnlyPage = page === cursor.firstPage && page === cursor.lastPage;
  const wasEverything = cursor.limitIgnored && isOnlyPage && cursor.position >= (knownTotal ?? 0);
  return wasEverything
    ? { kind: 'end', result: { complete: true } }
    : incomplete('a page came twice');
}

function incomplete(reason: IncompleteReason): Progress {
  return { kind: 'end', result: { complete: false, reason } };
}

/** Text that is equal for equal entries; only ids count, because other fields change between two reads. */
function identifyPage(items: readonly unknown[]): string {
  const hash = createHash('sha1');
  for (const item of items) hash.update(`${identifyItem(item)}\n`);
  return `${items.length}:${hash.digest('base64')}`;
}

function identifyItem(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item);
  const id = ('id' in item && item.id) || ('uid' in item && item.uid);
  return id ? String(id) : JSON.stringify(item);
}
