import { createHash } from 'node:crypto';

/** Entries that are remembered by their ids: so far a read can step back. */
const RECENT_MAX = 500;

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
  | 'not read to the end';

/** Content of one page. */
export interface PageContent {
  readonly items: readonly unknown[];
  readonly total: number | undefined;
  /** Start of the next page, for lists that go on from a place; null when the service says that there is none. */
  readonly next?: string | number | null | undefined;
}

/**
 * Effect of a page: more may follow, it is the last one, the read has to step back, or the read ends with this result
 * without it. `items`: the entries that are in no page before.
 */
type Effect =
  | { readonly kind: 'more' | 'last'; readonly items: readonly unknown[] }
  | { readonly kind: 'back' }
  | { readonly kind: 'end'; readonly result: Completeness };

/**
 * Progress of a paged read. An empty page or the total ends a list, or the service's word that nothing
 * follows; a page that is shorter than asked does not, because the service chooses its own page size. A repeated page
 * is not counted again.
 * A list that is read by number may change while it is read, with or without a total, and entries move to before the
 * page. So each page begins with an entry of the page before, and the read steps back where it does not. A list of few
 * entries moves by a whole page when one comes at its top: only the next page shows whether the service repeats itself.
 */
export class ListProgress {
  /** Entries asked for per page; halved when an answer was too large. */
  pageSize: number;
  /** Entries passed so far. */
  position = 0;
  /** Different entries so far. */
  count = 0;
  /** Start of the next page, for lists that go on from a place and not from a number. */
  after: string | number | undefined;
  /** The total that the service named last. */
  total: number | undefined;
  /** Identities of the first page and of the last one, to notice a repeated page. */
  firstPage: string | undefined;
  lastPage: string | undefined;
  /** The first page was longer than asked: the service ignores the limit. */
  limitIgnored = false;
  /** The ids of the last entries. */
  #recent: string[] = [];
  /** True when the total has changed: only a page with nothing new shows the end of such a list. */
  #isMoved = false;
  /** How many entries before `position` the next page begins: it has to begin with one that is known. */
  #overlap = 0;
  /** The same for this once, because the page before began with one that is not known. */
  #back: number | undefined;
  /** True when the last page was one that had come before, as entries that are new at the top may have moved it. */
  #isAgain = false;

  constructor(pageSize: number) {
    this.pageSize = pageSize;
  }

  /** How many entries are before the next page. */
  get offset(): number {
    return Math.max(0, this.position - (this.#back ?? this.#overlap));
  }

  /** Advances by the next page. */
  take(page: PageContent): Effect {
    const hasPlaces = page.next !== undefined || this.after !== undefined;
    return hasPlaces ? this.#goOn(page) : this.#takeByNumber(page);
  }

  /** A list that goes on from an entry leaves none out, however it has moved. */
  #goOn({ items, next }: PageContent): Effect {
    if (items.length === 0) return COMPLETE;
    if (this.#isRepeated(items)) return this.#endRepeated();
    this.#notePage(items);
    this.position += items.length;
    this.count += items.length;
    this.after = next ?? this.after;
    return { kind: next === null ? 'last' : 'more', items };
  }

  /** A page that begins with an entry that is known leaves none out, however the list has moved. */
  #takeByNumber({ items, total = this.total }: PageContent): Effect {
    const change = (total ?? 0) - (this.total ?? total ?? 0);
    this.total = total;
    this.#isMoved ||= change !== 0;
    const isAgain = this.#isRepeated(items);
    if (isAgain && (this.#isAgain || items.length >= this.pageSize)) return this.#endRepeated();
    const { offset } = this;
    const isCutShort = items.length === 0 && offset < (total ?? 0);
    if (isCutShort) return incomplete('fewer entries than the total');
    const known = new Set(this.#recent);
    const isEdgeProven = !this.#isAgain || items.length === 0;
    const isAtEdge = offset === 0 || (offset === this.position && isEdgeProven);
    if (!isAtEdge && !known.has(identifyItem(items[0]))) return this.#stepBack(Math.abs(change));
    this.#isAgain = isAgain;
    const fresh = items.filter((item) => !known.has(identifyItem(item)));
    return this.#pass(items, fresh, offset + items.length);
  }

  /**
   * Passes a page that joins the ones before. The total ends a list, or a page that shows nothing but its last entries again
   * although more were asked for. Where the total has changed, or fewer different entries came, one more page shows whether
   * this is its end.
   */
  #pass(items: readonly unknown[], fresh: readonly unknown[], position: number): Effect {
    const end = fresh.length === 0 ? this.#findEnd(items, position) : undefined;
    if (end) return { kind: 'end', result: end };
    if (fresh.length > 0) this.#notePage(items);
    this.position = position;
    this.count += fresh.length;
    this.#recent = [...this.#recent, ...fresh.map(identifyItem)].slice(-RECENT_MAX);
    // At least half of each page is new ground.
    const overlap = Math.max(1, this.#back ?? this.#overlap);
    this.#overlap = Math.min(overlap, Math.floor(items.length / 2));
    this.#back = undefined;
    const { total, count } = this;
    const isAll = total !== undefined && position >= total && count >= total;
    return { kind: isAll && !this.#isMoved ? 'last' : 'more', items: fresh };
  }

  /** Tells what a page with nothing new proves; undefined: the read goes on. */
  #findEnd({ length }: readonly unknown[], position: number): Completeness | undefined {
    const { total } = this;
    if (total !== undefined && position >= total) return { complete: true };
    const isNew = this.#back === undefined;
    if (isNew && length <= this.#overlap && length < this.pageSize) {
      if (total === undefined) return { complete: true };
      return { complete: false, reason: 'fewer entries than the total' };
    }
    // Nothing known was where an earlier page began, and now there is: one of them is wrong.
    if (isNew || position < this.position) return undefined;
    return { complete: false, reason: 'the list changed too much while reading' };
  }

  /** Keeps what a page that was read shows of the service. */
  #notePage(items: readonly unknown[]): void {
    this.lastPage = identifyPage(items);
    this.limitIgnored ||= this.firstPage === undefined && items.length > this.pageSize;
    this.firstPage ??= this.lastPage;
  }

  /** Steps back in the list, at most to the oldest entry that is remembered. */
  #stepBack(change: number): Effect {
    const known = this.#recent.length;
    const tried = this.#back ?? this.#overlap;
    if (tried >= known) return incomplete('the list changed too much while reading');
    this.#back = Math.min(Math.max(1, 2 * tried, 2 * change), known);
    return { kind: 'back' };
  }

  /** True for a page that came before, although its place is another one. */
  #isRepeated(items: readonly unknown[]): boolean {
    if (items.length === 0 || this.#back !== undefined) return false;
    const page = identifyPage(items);
    return page === this.firstPage || page === this.lastPage;
  }

  /** A service that ignores the offset repeats page 1; when it ignores the limit too, that page was everything. */
  #endRepeated(): Effect {
    const isOnlyPage = this.firstPage === this.lastPage;
    const wasEverything = this.limitIgnored && isOnlyPage && this.position >= (this.total ?? 0);
    return wasEverything ? COMPLETE : incomplete('a page came twice');
  }
}

const COMPLETE: Effect = { kind: 'end', result: { complete: true } };

function incomplete(reason: IncompleteReason): Effect {
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
