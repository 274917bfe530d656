import { UpstreamError } from './errors.ts';
import type { ArgsOf } from './operations/call-types.ts';
import type { Operation, PagedOperation } from './operations/operation.ts';
import { isNamed } from './operations/part.ts';
import {
  advance,
  type Completeness,
  type Cursor,
  createCursor,
  type PageContent,
  toOffset,
} from './page-progress.ts';
import { parsePage, toPlace } from './paging-styles.ts';
import type { CallOptions, Transport } from './transport.ts';

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

/** One page, and the position after it. */
export interface Page {
  /** Entries that no page before it had. */
  readonly items: readonly unknown[];
  readonly total: number | undefined;
  readonly cursor: Cursor;
}

/** The pages of a list, read one by one on demand. Iterate once. */
export interface Pages extends AsyncIterable<Page> {
  /** Complete when all entries were provably read; incomplete until the iteration has ended by itself. */
  readonly result: Completeness;
  /** Position after the pages delivered so far. */
  readonly cursor: Cursor;
}

/**
 * Reads a list page by page to its proven end; the arguments are checked at the first page.
 * A failed page is thrown as UpstreamError.
 */
export function paginate<O extends PagedOperation>(
  transport: Pick<Transport, 'call'>,
  operation: O,
  args: ArgsOf<O>,
  options: PageOptions,
): Pages {
  const { pageSize, pagesMax = 100_000, emptyFrom, ...call } = options;
  let cursor = createCursor(pageSize);
  let result: Completeness = { complete: false, reason: 'not read to the end' };

  async function* readPages(): AsyncGenerator<Page> {
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const page = await fetchPage(transport, operation, { args, call, cursor, emptyFrom });
      const progress = advance(page.cursor, page);
      if (progress.kind === 'end') {
        result = progress.result;
        return;
      }
      cursor = progress.cursor;
      if (progress.kind === 'back' || progress.items.length === 0) continue;
      if (progress.kind === 'last') result = { complete: true };
      yield { items: progress.items, total: page.total, cursor };
      if (progress.kind === 'last') return;
    }
    result = { complete: false, reason: 'too many pages' };
  }

  return {
    [Symbol.asyncIterator]: readPages,
    get result() {
      return result;
    },
    get cursor() {
      return cursor;
    },
  };
}

interface FetchedPage extends PageContent {
  /** Cursor of the request; its page size may be smaller than before. */
  readonly cursor: Cursor;
}

interface PageRequest extends Pick<PageOptions, 'emptyFrom'> {
  readonly args: unknown;
  readonly call: CallOptions;
  readonly cursor: Cursor;
}

/** Fetches one page; a page that is too large is fetched in halves. */
async function fetchPage(
  transport: Pick<Transport, 'call'>,
  operation: PagedOperation,
  { args, call, cursor, emptyFrom = Number.POSITIVE_INFINITY }: PageRequest,
): Promise<FetchedPage> {
  for (let pageSize = cursor.pageSize; ; pageSize = Math.floor(pageSize / 2)) {
    const asked = { ...cursor, pageSize };
    try {
      const body = await transport.call<Operation>(
        operation,
        withPosition(operation, args, asked),
        call,
      );
      const shown = (cursor.count ?? cursor.position) >= emptyFrom ? (body ?? []) : body;
      return { ...parsePage(operation, shown), cursor: asked };
    } catch (error) {
      const tooLarge = error instanceof UpstreamError && error.code === 'response-too-large';
      if (!tooLarge || pageSize <= 1) throw error;
    }
  }
}

function withPosition(operation: PagedOperation, args: unknown, cursor: Cursor): object {
  const given = isNamed(args) ? args : {};
  const query = isNamed(given.query) ? given.query : {};
  const place = toPlace(operation.paging, query, { ...cursor, position: toOffset(cursor) });
  return { ...given, query: { ...query, ...place } };
}
