import { UpstreamError } from './errors.ts';
import { type Completeness, ListProgress, type PageContent } from './list-progress.ts';
import type { ArgsOf } from './operations/call-types.ts';
import type { Operation, PagedOperation } from './operations/operation.ts';
import { isNamed } from './operations/part.ts';
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
