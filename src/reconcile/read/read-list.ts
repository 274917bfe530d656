import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { PagedOperation } from '../../upstream/operations/operation.ts';
import { paginate } from '../../upstream/paginate.ts';
import { classify } from '../verdict.ts';
import { type ListName, type ListState, READING, type ReadRun, UNREAD } from './reading.ts';

/** Times when a page was asked for and when it is stored (epoch milliseconds). */
export interface PageTimes {
  readonly sentAt: number;
  readonly now: number;
}

/**
 * Result of reading a list. A failed call is thrown, and the next attempt goes on from the last page.
 * - `done`: the list was provably complete
 * - `incomplete`: it was not, so nothing is concluded and the list is read again from its beginning
 */
export type ListResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'incomplete'; readonly reason: string };

/** A list of the service. */
interface PagedList<O extends PagedOperation> {
  readonly operation: O;
  /** Documented ways to ask for it: a later one is tried when the ones before are not complete. */
  readonly variants: readonly [ArgsOf<O>, ...ArgsOf<O>[]];
  /** Number of entries that it must have, where another complete list tells it. */
  readonly knownTotal?: number | undefined;
  /** Called before the first page. */
  begin?(): void;
  storePage(items: readonly unknown[], times: PageTimes): Promise<void>;
}

/** Reads a list to its proven end, and stores it page by page. @throws what a call of it throws */
export async function readList<O extends PagedOperation>(
  run: ReadRun,
  name: ListName,
  list: PagedList<O>,
): Promise<ListResult> {
  const { lists } = run.reading;
  for (;;) {
    const state = lists[name];
    const result = await tryVariant(run, state, list);
    if (result.kind === 'done') return result;
    const variant = state.variant + 1;
    const isLast = variant >= list.variants.length;
    lists[name] = { ...UNREAD, variant: isLast ? 0 : variant };
    if (isLast) return result;
  }
}

/** Tries one way; a service that does not take its parameters may take those of the next. */
async function tryVariant<O extends PagedOperation>(
  run: ReadRun,
  state: ListState,
  list: PagedList<O>,
): Promise<ListResult> {
  try {
    return await readPages(run, state, list);
  } catch (error) {
    const { verdict, problem } = classify(error);
    if (verdict !== 'refused') throw error;
    return { kind: 'incomplete', reason: `${list.operation.id}: ${problem.words}` };
  }
}

async function readPages<O extends PagedOperation>(
  { deps, signal }: ReadRun,
  state: ListState,
  { operation, variants, knownTotal, begin, storePage }: PagedList<O>,
): Promise<ListResult> {
  const { clock, policy, upstream } = deps;
  const args = variants[state.variant] ?? variants[0];
  const place = { pageSize: policy.pageSize, from: state.cursor, emptyFrom: knownTotal };
  const pages = paginate(upstream, operation, args, { ...READING, signal, ...place });
  if (state.cursor === undefined) begin?.();
  state.since ??= clock.now();
  let sentAt = clock.now();
  for await (const { items, total, cursor } of pages) {
    await storePage(items, { sentAt, now: clock.now() });
    state.count += items.length;
    state.cursor = cursor;
    if (total !== undefined) state.total = total;
    sentAt = clock.now();
  }
  const { result } = pages;
  // A service that ignores the offset sends the same page for ever; one page can still be everything.
  const { count = 0 } = pages.cursor;
  const isAll = result.reason === 'a page came twice' && count === knownTotal;
  if (result.complete || isAll) return { kind: 'done' };
  return { kind: 'incomplete', reason: `${operation.id}: ${result.reason}` };
}
