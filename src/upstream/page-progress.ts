import { createHash } from 'node:crypto';

/** Position of a paged read: plain data, to be stored and continued from. */
export interface Cursor {
  /** Entries passed so far; the next page begins after them. */
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
}

/** Result of a read. An incomplete read proves nothing. */
export type Completeness =
  | { readonly complete: true; readonly reason?: never }
  | { readonly complete: false; readonly reason: IncompleteReason };

/** Reason why a read proves nothing. */
type IncompleteReason =
  | 'a page came twice'
  | 'fewer entries than the total'
  | 'the total shrank while reading'
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

/** Effect of a page: more may follow, it is the last one, or the read ends with this result without it. */
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
 * Advances a read by its next page, pure. An empty page or the total ends a list, or the service's word that nothing
 * follows; a page that is shorter than asked does not, because the service chooses its own page size. A repeated page
 * is not counted again.
 */
export function advance(cursor: Cursor, { items, total, next: after }: PageContent): Progress {
  const knownTotal = total ?? cursor.total;
  if (total !== undefined && cursor.total !== undefined && total < cursor.total) {
    return incomplete('the total shrank while reading');
  }
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
