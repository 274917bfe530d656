import type { PagedOperation } from '../upstream/operations/operation.ts';
import { isNamed, type Named } from '../upstream/operations/part.ts';
import type { Completeness, Cursor } from '../upstream/page-progress.ts';
import { type Page, type Pages, paginate } from '../upstream/paginate.ts';
import { pagingParameters } from '../upstream/paging-styles.ts';
import { unreadable } from '../upstream/shapes/reader.ts';
import type { CallOptions, Transport } from '../upstream/transport.ts';
import { type CallSite, leadTo } from './answering.ts';
import type { CallOptions as ClientCallOptions } from './client-types.ts';
import { type PageCursor, parseCursor, startCursor } from './page-cursor.ts';

/** Options for reading a list. */
export interface PaginateOptions extends ClientCallOptions {
  /** Entries asked for per page; 100 by default, which is the most that the service gives of most lists. */
  readonly pageSize?: number | undefined;
  /** Entries handed out at most. */
  readonly maxItems?: number | undefined;
  /** The `cursor` of an earlier read of the same list, also after it was stored as JSON. */
  readonly from?: PageCursor | undefined;
}

/** The entries of a list, read page by page on demand. A new iteration goes on from `cursor`. */
export interface Entries<Entry> extends AsyncIterable<Entry> {
  /** Complete when all entries were provably handed out; incomplete, with the reason, until then. */
  readonly result: Completeness;
  /** Position behind the last entry that was handed out. Plain JSON. */
  readonly cursor: PageCursor;
}

/** A list, and the way to call for its pages. */
export interface ListSource {
  readonly transport: Pick<Transport, 'call'>;
  readonly operation: PagedOperation;
  readonly args: unknown;
  readonly call: CallOptions;
  /** Place to which errors while reading lead. */
  readonly site: CallSite;
}

const PAGE_SIZE = 100;
const COMPLETE: Completeness = { complete: true };
const UNREAD: Completeness = { complete: false, reason: 'not read to the end' };
const ENOUGH: Completeness = { complete: false, reason: 'as many as asked for' };

/**
 * Reads a list to its proven end. It throws when a page fails, and when a page comes twice although the list is
 * longer: the entries behind it cannot be reached.
 * @throws TypeError for arguments that choose the page, and for a cursor of another list.
 */
export function readEntries(source: ListSource, options: PaginateOptions): Entries<unknown> {
  return new ListReader(source, options);
}

/** A page, and the cursor that leads to it. */
interface ReadPage {
  readonly page: Page;
  readonly start: PageCursor;
  readonly isLast: boolean;
}

class ListReader implements Entries<unknown> {
  readonly #source: ListSource;
  readonly #args: Named;
  readonly #maxItems: number;
  #cursor: PageCursor;
  #result: Completeness = UNREAD;

  constructor(source: ListSource, { pageSize = PAGE_SIZE, maxItems, from }: PaginateOptions) {
    const { id } = source.operation;
    this.#source = source;
    this.#args = checkArgs(source);
    this.#maxItems = maxItems === undefined ? Infinity : checkCount(`${id}: maxItems`, maxItems);
    this.#cursor =
      from === undefined
        ? startCursor(id, checkCount(`${id}: pageSize`, pageSize))
        : parseCursor(id, from);
    if (this.#cursor.ended) this.#result = COMPLETE;
  }

  get result(): Completeness {
    return this.#result;
  }

  get cursor(): PageCursor {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    try {
      yield* this.#readEntries();
    } catch (error) {
      throw leadTo(this.#source.site, error);
    }
  }

  async *#readEntries(): AsyncGenerator<unknown> {
    let left = this.#maxItems;
    for await (const read of this.#readPages()) {
      for (const item of this.#handOut(read)) {
        yield item;
        left -= 1;
        if (left > 0) continue;
        if (!this.#result.complete) this.#result = ENOUGH;
        return;
      }
    }
  }

  /** Hands out the entries of a page one by one; the cursor moves behind each. */
  *#handOut({ page, start, isLast }: ReadPage): Generator<unknown> {
    const { items, cursor } = page;
    for (let n = start.passed; n < items.length; n += 1) {
      const isPassed = n + 1 === items.length;
      if (isPassed) this.#cursor = { ...start, ...cursor, passed: 0 };
      else this.#cursor = { ...start, pageSize: cursor.pageSize, passed: n + 1 };
      if (isPassed && isLast) this.#end(COMPLETE);
      yield items[n];
    }
  }

  async *#readPages(): AsyncGenerator<ReadPage> {
    if (this.#cursor.ended) return;
    let start = this.#cursor;
    const pages = this.#openPages(start.pageSize, start);
    for await (const page of pages) {
      yield { page, start, isLast: pages.result.complete };
      start = { ...start, ...page.cursor, passed: 0 };
    }
    this.#end(await this.#classifyEnd(pages));
  }

  #end(result: Completeness): void {
    this.#result = result;
    this.#cursor = { ...this.#cursor, ended: result.complete };
  }

  async #classifyEnd({ result, cursor }: Pages): Promise<Completeness> {
    if (result.reason !== 'a page came twice') return result;
    if (await this.#wasEverything(cursor)) return COMPLETE;
    this.#result = result;
    throw unreadable(
      this.#source.operation.id,
      'a page came twice; what follows it is out of reach',
    );
  }

  /** A service that ignores the position may ignore the page size too: then its only page is everything. */
  async #wasEverything({ position, total, firstPage, lastPage }: Cursor): Promise<boolean> {
    if (firstPage !== lastPage || position < 2 || position < (total ?? 0)) return false;
    for await (const { cursor } of this.#openPages(Math.floor(position / 2))) {
      return cursor.limitIgnored && cursor.firstPage === firstPage;
    }
    return false;
  }

  #openPages(pageSize: number, from?: PageCursor): Pages {
    const { transport, operation, call } = this.#source;
    const { query } = this.#args;
    const asked = { ...operation.pagesOnlyWith, ...(isNamed(query) ? query : {}) };
    const args = { ...this.#args, query: asked };
    return paginate(transport, operation, args, { ...call, pageSize, from });
  }
}

function checkArgs({ operation: { id, paging }, args }: ListSource): Named {
  if (!isNamed(args)) throw new TypeError(`${id}: arguments must be an object`);
  const query = isNamed(args.query) ? args.query : {};
  const taken = pagingParameters[paging].find((name) => query[name] !== undefined);
  if (taken !== undefined) throw new TypeError(`${id}: query.${taken} is set page by page`);
  return args;
}

function checkCount(label: string, count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new TypeError(`${label} must be a whole number above 0`);
}
