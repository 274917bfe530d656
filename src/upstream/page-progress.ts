import { createHash } from 'node:crypto';

/** Entries that are remembered by their ids: so far a read can step back. */
const RECENT_MAX = 500;

/** Position of a paged read. */
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
  /** The ids of the last entries, of lists that are read by number. */
  readonly recent?: readonly string[] | undefined;
  /** True when the total has changed: only a page with nothing new shows the end of such a list. */
  readonly moved?: boolean | undefined;
  /** Different entries so far, of lists that are read by number. */
  readonly count?: number | undefined;
  /** How many entries before `position` the next page begins: it has to begin with one that is known. Absent: none. */
  readonly overlap?: number | undefined;
  /** The same for this once, because the page before began with one that is not known. */
  readonly back?: number | undefined;
  /** True when the last page was one that had come before, as entries that are new at the top may have moved it. */
  readonly again?: boolean | undefined;
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
export function toOffset({ position, overlap = 0, back = overlap }: Cursor): number {
  return Math.max(0, position - back);
}

/**
 * Advances a read by its next page, pure. An empty page or the total ends a list, or the service's word that nothing
 * follows; a page that is shorter than asked does not, because the service chooses its own page size. A repeated page
 * is not counted again.
 * A list that is read by number may change while it is read, with or without a total, and entries move to before the
 * page. So each page begins with an entry of the page before, and the read steps back where it does not. A list of few
 * entries moves by a whole page when one comes at its top: only the next page shows whether the service repeats itself.
 */
export function advance(cursor: Cursor, page: PageContent): Progress {
  const hasPlaces = page.next !== undefined || cursor.after !== undefined;
  return hasPlaces ? advanceToPlace(cursor, page) : advanceByNumber(cursor, page);
}

/** A list that continues from an entry leaves none out, however it has moved. */
function advanceToPlace(cursor: Cursor, { items, next: after }: PageContent): Progress {
  if (items.length === 0) return COMPLETE;
  if (isRepeated(cursor, items)) return classifyRepeated(cursor);
  const next: Cursor = {
    ...withPage(cursor, items),
    position: cursor.position + items.length,
    ...(after === undefined || after === null ? {} : { after }),
  };
  return { kind: after === null ? 'last' : 'more', cursor: next, items };
}

/** A page that begins with an entry that is known leaves none out, however the list has moved. */
function advanceByNumber(before: Cursor, { items, total = before.total }: PageContent): Progress {
  const change = (total ?? 0) - (before.total ?? total ?? 0);
  const cursor = { ...before, total, moved: before.moved || change !== 0 };
  const again = isRepeated(cursor, items);
  if (again && (cursor.again || items.length >= cursor.pageSize)) return classifyRepeated(cursor);
  const offset = toOffset(cursor);
  const isCutShort = items.length === 0 && offset < (total ?? 0);
  if (isCutShort) return incomplete('fewer entries than the total');
  const known = new Set(cursor.recent);
  const isEdgeProven = !cursor.again || items.length === 0;
  const isAtEdge = offset === 0 || (offset === cursor.position && isEdgeProven);
  const isJoined = isAtEdge || known.has(identifyItem(items[0]));
  if (!isJoined) return stepBack(cursor, Math.abs(change));
  const fresh = items.filter((item) => !known.has(identifyItem(item)));
  return pass({ ...cursor, again }, { items, fresh, position: offset + items.length });
}

/** A page that joins the ones before, and what of it is in none of them. */
interface JoinedPage {
  readonly items: readonly unknown[];
  readonly fresh: readonly unknown[];
  /** Entries passed with it. */
  readonly position: number;
}

/**
 * The total ends a list, or a page that shows nothing but its last entries again although more were asked for. Where the
 * total has changed, or fewer different entries came, one more page shows whether this is its end.
 */
function pass(cursor: Cursor, page: JoinedPage): Progress {
  const { total, overlap = 0, back, recent = [], moved } = cursor;
  const { items, fresh, position } = page;
  const end = fresh.length === 0 ? findEnd(cursor, page) : undefined;
  if (end) return { kind: 'end', result: end };
  const count = (cursor.count ?? 0) + fresh.length;
  const next: Cursor = {
    ...(fresh.length === 0 ? cursor : withPage(cursor, items)),
    position,
    count,
    recent: [...recent, ...fresh.map(identifyItem)].slice(-RECENT_MAX),
    // At least half of each page is new ground.
    overlap: Math.min(Math.max(1, back ?? overlap), Math.floor(items.length / 2)),
    back: undefined,
  };
  const isLast = total !== undefined && position >= total && count >= total && !moved;
  return { kind: isLast ? 'last' : 'more', cursor: next, items: fresh };
}

/** Tells what a page with nothing new proves; undefined: the read goes on. */
function findEnd(
  { total, overlap = 0, back, pageSize, position: before }: Cursor,
  { items, position }: JoinedPage,
): Completeness | undefined {
  if (total !== undefined && position >= total) return { complete: true };
  const isShort = back === undefined && items.length <= overlap && items.length < pageSize;
  if (isShort && total === undefined) return { complete: true };
  if (isShort) return { complete: false, reason: 'fewer entries than the total' };
  // Nothing known was where an earlier page began, and now there is: one of them is wrong.
  const isContradicted = back !== undefined && position >= before;
  if (!isContradicted) return undefined;
  return { complete: false, reason: 'the list changed too much while reading' };
}

/** The cursor with what a page that was read shows of the service. */
function withPage(cursor: Cursor, items: readonly unknown[]): Cursor {
  const page = identifyPage(items);
  const isFirst = cursor.firstPage === undefined;
  return {
    ...cursor,
    firstPage: cursor.firstPage ?? page,
    lastPage: page,
    limitIgnored: cursor.limitIgnored || (isFirst && items.length > cursor.pageSize),
  };
}

/** Further back than anything that is known there is nothing to go on from. */
function stepBack(cursor: Cursor, change: number): Progress {
  const known = cursor.recent?.length ?? 0;
  const tried = cursor.back ?? cursor.overlap ?? 0;
  if (tried >= known) return incomplete('the list changed too much while reading');
  const back = Math.min(Math.max(1, 2 * tried, 2 * change), known);
  return { kind: 'back', cursor: { ...cursor, back } };
}

/** True for a page that came before, although its place is another one. */
function isRepeated({ firstPage, lastPage, back }: Cursor, items: readonly unknown[]): boolean {
  if (items.length === 0 || back !== undefined) return false;
  const page = identifyPage(items);
  return page === firstPage || page === lastPage;
}

/** A service that ignores the offset repeats page 1; when it ignores the limit too, that page was everything. */
function classifyRepeated({
  firstPage,
  lastPage,
  limitIgnored,
  position,
  total,
}: Cursor): Progress {
  const isOnlyPage = firstPage === lastPage;
  const wasEverything = limitIgnored && isOnlyPage && position >= (total ?? 0);
  return wasEverything ? COMPLETE : incomplete('a page came twice');
}

const COMPLETE: Progress = { kind: 'end', result: { complete: true } };

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
