import type { Completeness } from '../upstream/page-progress.ts';
import type { ClientCallOptions } from './client-types.ts';
import type { PageCursor } from './page-cursor.ts';

/** How a list is read, and each of its pages called for. */
export interface PaginateOptions extends ClientCallOptions {
  /** Entries asked for per page; 100 by default, which is the most that the service gives of most lists. */
  readonly pageSize?: number | undefined;
  /** Entries handed out at most. */
  readonly maxItems?: number | undefined;
  /** Where an earlier read of the same list stopped: its `cursor`, also after it was stored as JSON. */
  readonly from?: PageCursor | undefined;
}

/** The entries of a list, read page by page as they are asked for. Iterating again goes on from `cursor`. */
export interface Entries<Entry> extends AsyncIterable<Entry> {
  /** Whether what was handed out is provably everything; incomplete, with the reason, until then. */
  readonly result: Completeness;
  /** Behind the last entry that was handed out. Plain JSON. */
  readonly cursor: PageCursor;
}
