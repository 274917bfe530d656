import { createHash } from 'node:crypto';

/** How far a paged read has come: plain data, to be stored and continued from. */
export interface Cursor {
  /** Entries passed so far; the next page begins after them. */
  readonly position: number;
  /** Where the next page begins, for lists that go on from a place and not by number. */
  readonly after?: string | number | undefined;
  /** Entries asked for per page; halved when an answer was too large. */
  readonly pageSize: number;
  /** What the service last said the total is. */
  readonly total: number | undefined;
  /** Identity of the first page and of the last one, to notice a page that comes again. */
  readonly firstPage: string | undefined;
  readonly lastPage: string | undefined;
  /** The first page was longer than asked: the service ignores the limit. */
  readonly limitIgnored: boolean;
}

/** Whether a read was provably complete. An incomplete one proves nothing. */
export type Completeness =
  | { readonly complete: true; readonly reason?: never }
  | { readonly complete: false; readonly reason: IncompleteReason };

/** Why a read proves nothing. */
type IncompleteReason =
  | 'a page came twice'
  | 'fewer entries than the total'
  | 'the total shrank while reading'
  | 'too many pages'
  | 'as many as asked for'
  | 'not read to the end';

/** One page as it was read. */
export interface PageContent {
  readonly items: readonly unknown[];
  readonly total: number | undefined;
  /** Where the next page begins, for such lists; null when the service says that none follows. */
  readonly next?: string | number | null | undefined;
}

/** What a page means: more may follow, it is the last one, or it is none and the read ends with this result. */
export type Progress =
  | { readonly kind: 'more'; readonly cursor: Cursor }
  | { readonly kind: 'last'; readonly cursor: Cursor }
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

/**
 * What the next page means for the read, pure. A list ends by an empty page or by its total, never by a page shorter than
 * asked: the service chooses its own page size; or because the service says that nothing follows. A page seen before is not counted again.
 */
export function advance(cursor: Cursor, { items, total, next: after }: PageContent): Progress {
  const knownTotal = total ?? cursor.total;
  if (total !== undefined && cursor.total !== undefined && total < cursor.total) {
    return incomplete('the total shrank while reading');
  }
  if (items.length === 0) return endAtEmptyPage(cursor.position, knownTotal);
  const page = identifyPage(items);
  if (page === cursor.firstPage || page === cursor.lastPage)
    return judgeRepeated(cursor, { page, knownTotal });
  const isFirst = cursor.firstPage === undefined;
  const next: Cursor = {
    position: cursor.position + items.length,
    ...(after === undefined || after === null ? {} : { after }),
    pageSize: cursor.pageSize,
    total: knownTotal,
    firstPage: cursor.firstPage ?? page,
    lastPage: page,
    limitIgnored: cursor.limitIgnored || (isFirst && items.length > cursor.pageSize),
  };
  const reachesTotal = knownTotal !== undefined && next.position >= knownTotal;
  const isLast = reachesTotal || after === null;
  return { kind: isLast ? 'last' : 'more', cursor: next };
}

function endAtEmptyPage(position: number, total: number | undefined): Progress {
  if (total !== undefined && position < total) return incomplete('fewer entries than the total');
  return { kind: 'end', result: { complete: true } };
}

/** A service that ignores the offset repeats page 1; when it ignores the limit too, that page was everything. */
function judgeRepeated(
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

/** The same entries give the same text; only ids count, because other fields change between two reads. */
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
