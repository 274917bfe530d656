import type { Completeness } from '../upstream/page-progress.ts';
import type { ClientCallOptions } from './client-types.ts';
import type { PageCursor } from './page-cursor.ts';

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
