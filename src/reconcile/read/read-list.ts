import type { Db } from '../../store/store.ts';
import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { PagedOperation } from '../../upstream/operations/operation.ts';
import { type Page, paginate } from '../../upstream/paginate.ts';
import { classify } from '../verdict.ts';
import type { StepProgress } from './progress.ts';
import { type FirstReadContext, READING, type StepResult } from './step.ts';

/** Times when a page was asked for and when it is stored (epoch milliseconds). */
export interface PageTimes {
  readonly sentAt: number;
  readonly now: number;
}

/** Effect of one page: its rows, and what it shows of the list. */
interface StoredPage {
  /** Parts stored first, each in a short transaction of its own; a repeated page stores them again. */
  readonly before?: readonly ((tx: Db) => Promise<void>)[];
  /** Rows stored with the checkpoint. */
  readonly rows: (tx: Db) => Promise<void>;
  readonly taught?: Partial<StepProgress>;
}

/** A list of the service. */
interface ListRead<O extends PagedOperation> {
  readonly operation: O;
  /** Documented ways to ask for it: a later one is tried when the ones before are not complete. */
  readonly variants: readonly [ArgsOf<O>, ...ArgsOf<O>[]];
  /** Number of entries that it must have, where another complete list tells it. */
  readonly knownTotal?: number | undefined;
  readonly storePage: (
    items: readonly unknown[],
    times: PageTimes,
  ) => StoredPage | Promise<StoredPage>;
}

/**
 * Reads a list to its proven end, each page stored with the checkpoint after it, so that a restart goes on
 * there and repeats at most one page.
 */
export async function readList<O extends PagedOperation>(
  context: FirstReadContext,
  list: ListRead<O>,
): Promise<StepResult> {
  for (;;) {
    const variant = context.current().variant ?? 0;
    const result = await tryVariant(context, list, variant);
    if (result.kind === 'done') return result;
    const next = variant + 1;
    const isLast = next >= list.variants.length;
    const { membersAfter = 0 } = context.current(); // Belongs to what follows the list.
    await context.save({ state: 'open', count: 0, variant: isLast ? 0 : next, membersAfter });
    if (isLast) return result;
  }
}

/** Tries one way; a service that does not take its parameters may take those of the next. */
async function tryVariant<O extends PagedOperation>(
  context: FirstReadContext,
  list: ListRead<O>,
  variant: number,
): Promise<StepResult> {
  try {
    return await readVariant(context, list, variant);
  } catch (error) {
    const { verdict, problem } = classify(error);
    if (verdict !== 'refused') throw error;
    return { kind: 'incomplete', reason: `${list.operation.id}: ${problem.words}` };
  }
}

async function readVariant<O extends PagedOperation>(
  { deps, signal, current, save }: FirstReadContext,
  { operation, variants, knownTotal, storePage }: ListRead<O>,
  variant: number,
): Promise<StepResult> {
  const { clock, policy, upstream } = deps;
  const args = variants[variant] ?? variants[0];
  const since = current().since ?? clock.now();
  const place = { pageSize: policy.pageSize, from: current().cursor, emptyFrom: knownTotal };
  const options = { ...READING, signal, ...place };
  const pages = paginate(upstream, operation, args, options);
  let sentAt = clock.now();
  for await (const page of pages) {
    const times = { sentAt, now: clock.now() };
    const { before = [], rows, taught } = await storePage(page.items, times);
    for (const part of before) await deps.store.write(part);
    await save({ ...toCheckpoint(current(), page), since, variant, ...taught }, rows);
    sentAt = clock.now();
  }
  const { result } = pages;
  // A service that ignores the offset sends the same page for ever; one page can still be everything.
  const { count = 0 } = pages.cursor;
  const isAll = result.reason === 'a page came twice' && count === knownTotal;
  if (result.complete || isAll) return { kind: 'done' };
  return { kind: 'incomplete', reason: `${operation.id}: ${result.reason}` };
}

function toCheckpoint(before: StepProgress, { items, total, cursor }: Page): StepProgress {
  const known = total === undefined ? {} : { total };
  return { ...before, state: 'open', count: before.count + items.length, cursor, ...known };
}
