import { unreadable } from '../upstream/errors.ts';
import type { Completeness, ListProgress } from '../upstream/list-progress.ts';
import type { PagedOperation } from '../upstream/operations/operation.ts';
import { isNamed, type Named } from '../upstream/operations/part.ts';
import { type Pages, paginate, pagingParameters } from '../upstream/paginate.ts';
import type { CallOptions, Transport } from '../upstream/transport.ts';
import { type CallSite, leadTo } from './answering.ts';
import type { CallOptions as ClientCallOptions } from './client-types.ts';

/** Options for reading a list. */
export interface PaginateOptions extends ClientCallOptions {
  /** Entries asked for per page; 100 by default, which is the most that the service gives of most lists. */
  readonly pageSize?: number | undefined;
}

/** The entries of a list, read page by page on demand. Each iteration begins anew. */
export interface Entries<Entry> extends AsyncIterable<Entry> {
  /** Complete when all entries were provably handed out; incomplete, with the reason, until then. */
  readonly result: Completeness;
}

/** A list, and the way to call for its pages. */
interface ListSource {
  readonly transport: Pick<Transport, 'call'>;
  readonly operation: PagedOperation;
  readonly args: unknown;
  readonly call: CallOptions;
  /** Place to which errors while reading lead. */
  readonly site: CallSite;
}

const PAGE_SIZE = 100;
const NOT_READ: Completeness = { complete: false, reason: 'not read to the end' };

/**
 * Reads a list to its proven end. It throws when a page fails, and when a page comes twice although the list is
 * longer: the entries behind it cannot be reached.
 * @throws TypeError for arguments that choose the page.
 */
export function readEntries(
  source: ListSource,
  { pageSize = PAGE_SIZE }: PaginateOptions,
): Entries<unknown> {
  const { id } = source.operation;
  const args = checkArgs(source);
  if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
    throw new TypeError(`${id}: pageSize must be a whole number above 0`);
  }
  let result: Completeness = NOT_READ;

  async function* readItems(): AsyncGenerator<unknown> {
    const pages = openPages(source, args, pageSize);
    for await (const { items } of pages) {
      for (const [index, item] of items.entries()) {
        if (index + 1 === items.length && pages.result.complete) result = pages.result;
        yield item;
      }
    }
    result = pages.result;
    if (result.reason !== 'a page came twice') return;
    if (!(await wasEverything(pages.progress, (half) => openPages(source, args, half)))) {
      throw unreadable(id, 'a page came twice; what follows it is out of reach');
    }
    result = { complete: true };
  }

  return {
    async *[Symbol.asyncIterator]() {
      result = NOT_READ;
      try {
        yield* readItems();
      } catch (error) {
        throw leadTo(source.site, error);
      }
    },
    get result() {
      return result;
    },
  };
}

function openPages(source: ListSource, args: Named, pageSize: number): Pages {
  const { transport, operation, call } = source;
  const query = { ...operation.pagesOnlyWith, ...(isNamed(args.query) ? args.query : {}) };
  return paginate(transport, operation, { ...args, query }, { ...call, pageSize });
}

/** A service that ignores the position may ignore the page size too: then its only page is everything. */
async function wasEverything(
  { position, total, firstPage, lastPage }: Readonly<ListProgress>,
  open: (pageSize: number) => Pages,
): Promise<boolean> {
  if (firstPage !== lastPage || position < 2 || position < (total ?? 0)) return false;
  const { progress, ...pages } = open(Math.floor(position / 2));
  for await (const _ of pages) return progress.limitIgnored && progress.firstPage === firstPage;
  return false;
}

function checkArgs({ operation: { id, paging }, args }: ListSource): Named {
  if (!isNamed(args)) throw new TypeError(`${id}: arguments must be an object`);
  const query = isNamed(args.query) ? args.query : {};
  const taken = pagingParameters[paging].find((name) => query[name] !== undefined);
  if (taken !== undefined) throw new TypeError(`${id}: query.${taken} is set page by page`);
  return args;
}
