import { UpstreamError, unreadable } from './errors.ts';
import { type Completeness, ListProgress, type PageContent } from './list-progress.ts';
import type { ArgsOf } from './operations/call-types.ts';
import type { Operation, PagedOperation, Paging } from './operations/operation.ts';
import { isNamed, type Named } from './operations/part.ts';
import { parseEntries, toInteger } from './shapes/reader.ts';
import { parseScimList } from './shapes/scim-list.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Query parameters that choose the page; they belong to the code that reads page by page. */
export const pagingParameters = {
  'start-index': ['startIndex', 'count'],
  offset: ['offset', 'limit'],
  'last-user-id': ['last_user_id', 'limit'],
  'start-position': ['start_position', 'offset', 'limit'],
} as const satisfies Readonly<Record<Paging, readonly string[]>>;

/** Options for reading a list. */
export interface PageOptions extends CallOptions {
  /** Entries asked for per page; the service may send fewer or more. */
  readonly pageSize: number;
  /** 100,000 by default. */
  readonly pagesMax?: number | undefined;
  /**
   * Entries after which a page without content is an empty one, because something else has shown that the list has no
   * more. Elsewhere it may be that the service could not look. Never by default.
   */
  readonly emptyFrom?: number | undefined;
}

/** One page. */
interface Page {
  /** Entries that no page before it had. */
  readonly items: readonly unknown[];
  readonly total: number | undefined;
}

/** The pages of a list, read one by one on demand. Iterate once. */
export interface Pages extends AsyncIterable<Page> {
  /** Complete when all entries were provably read; incomplete until the iteration has ended by itself. */
  readonly result: Completeness;
  /** Progress with the pages delivered so far. */
  readonly progress: Readonly<ListProgress>;
}

/**
 * Reads a list page by page to its proven end; the arguments are checked at the first page.
 * A failed page is thrown as UpstreamError.
 */
export function paginate<O extends PagedOperation>(
  transport: Pick<Transport, 'call'>,
  operation: O,
  args: ArgsOf<O>,
  { pageSize, pagesMax = 100_000, emptyFrom = Number.POSITIVE_INFINITY, ...call }: PageOptions,
): Pages {
  const progress = new ListProgress(pageSize);
  let result: Completeness = { complete: false, reason: 'not read to the end' };

  /** Fetches one page; a page that is too large is fetched in halves. */
  async function fetchPage(): Promise<PageContent> {
    for (;;) {
      try {
        const placed = withPlace(operation, args, progress);
        const body = await transport.call<Operation>(operation, placed, call);
        return parsePage(operation, progress.count >= emptyFrom ? (body ?? []) : body);
      } catch (error) {
        const tooLarge = error instanceof UpstreamError && error.code === 'response-too-large';
        if (!tooLarge || progress.pageSize <= 1) throw error;
        progress.pageSize = Math.floor(progress.pageSize / 2);
      }
    }
  }

  async function* readPages(): AsyncGenerator<Page> {
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const page = await fetchPage();
      const effect = progress.take(page);
      if (effect.kind === 'end') {
        result = effect.result;
        return;
      }
      if (effect.kind === 'back' || effect.items.length === 0) continue;
      if (effect.kind === 'last') result = { complete: true };
      yield { items: effect.items, total: page.total };
      if (effect.kind === 'last') return;
    }
    result = { complete: false, reason: 'too many pages' };
  }

  return {
    [Symbol.asyncIterator]: readPages,
    get result() {
      return result;
    },
    progress,
  };
}

function withPlace(operation: PagedOperation, args: unknown, progress: ListProgress): object {
  const given = isNamed(args) ? args : {};
  const query = isNamed(given.query) ? given.query : {};
  return { ...given, query: { ...query, ...toPlace(operation.paging, query, progress) } };
}

/** Start of the next page, in the form that the list takes. @param query the other parameters. */
function toPlace(paging: Paging, query: Named, progress: ListProgress): Named {
  const { offset: position, after, pageSize: limit } = progress;
  switch (paging) {
    case 'start-index':
      return { startIndex: position + 1, count: limit };
    case 'offset':
      return { offset: position, limit };
    case 'last-user-id':
      return after === undefined ? { limit } : { last_user_id: after, limit };
    case 'start-position':
      if (after !== undefined) return { start_position: after, limit };
      // Only version 2 has positions, and it begins without one.
      return query.version === 2 && position === 0 ? { limit } : { offset: position, limit };
  }
}

/** One page of an answer. @throws UpstreamError `unreadable` when it is none, or lacks the start of the next one. */
function parsePage({ id, paging }: PagedOperation, body: unknown): PageContent {
  if (paging === 'start-index') return parseScimList(body);
  if (paging === 'start-position' && isNamed(body)) return parsePositionedPage(id, body);
  const items = parseEntries(id, body);
  const page = { items, total: undefined };
  return paging === 'last-user-id' ? { ...page, next: findLastId(id, items) } : page;
}

function parsePositionedPage(id: string, { result, position = null }: Named): PageContent {
  if (!Array.isArray(result)) throw unreadable(id, 'is not a list, nor an object with one');
  const isPlace = position === null || typeof position === 'string' || typeof position === 'number';
  if (!isPlace) throw unreadable(id, 'position is not text');
  // In the type of the parameter.
  const next = position === null || position === '' ? null : String(position);
  return { items: result, total: undefined, next };
}

function findLastId(id: string, items: readonly unknown[]): number | undefined {
  if (items.length === 0) return undefined;
  const last = items.at(-1);
  const lastId = toInteger(isNamed(last) ? last.id : undefined);
  if (lastId === undefined) throw unreadable(id, 'the last entry has no id to go on from');
  return lastId;
}
