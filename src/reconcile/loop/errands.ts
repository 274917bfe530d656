import type { Clock } from '../../domain/clock.ts';
import { newId, type ResourceKey } from '../../domain/ids.ts';
import type { Loop } from '../../domain/loop.ts';
import { createNews } from '../../domain/loop.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import type { Store } from '../../store/store.ts';
import { deleteWhere, findOne, insertAll, updateWhere } from '../../store/tables.ts';
import { createJob, isNotLeading, type JobDeps } from '../job.ts';
import type { LookResult } from '../repair/keeper.ts';

/** Interval of looking for errands and answers whose ring was lost, in milliseconds. */
const LOOK_MS = 500;

/** A call that only the leader may make. */
export type Errand =
  | {
      readonly kind: 'read-privilege';
      readonly resource: ResourceKey;
      readonly class: 'remove' | 'change';
      readonly waitMs: number;
    }
  | { readonly kind: 'call'; readonly operation: string; readonly args: unknown }
  | { readonly kind: 'look'; readonly request: { readonly key: ResourceKey } };

interface ErrandResults {
  readonly 'read-privilege': null;
  readonly call: unknown;
  readonly look: LookResult;
}

/** Result of an errand: `failure` is the caller's to read. */
export type ErrandAnswer<Result = ErrandResults[Errand['kind']]> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: unknown };

/**
 * Has the leader make a call; undefined: nothing was heard of it in time, so it may have been made.
 * @throws StoreError
 */
export async function runErrand<Kind extends Errand['kind']>(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  errand: Extract<Errand, { kind: Kind }>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
): Promise<ErrandAnswer<ErrandResults[Kind]> | undefined> {
  const id = newId();
  const until = clock.now() + waitMs;
  const task = JSON.stringify(errand);
  const asked = { id, task, until: Math.round(until) };
  await store.write((tx) => insertAll(tx, 'errands', [asked]));
  const news = createNews(clock, signal);
  const unlisten = store.bell.listen('errand', news.tell);
  try {
    store.bell.ring('errand');
    while (clock.now() < until && signal?.aborted !== true) {
      const answered = await findOne(store.read, 'errands', { id });
      if (answered?.answer) return parseStored<ErrandAnswer<ErrandResults[Kind]>>(answered.answer);
      await news.rest(Math.min(LOOK_MS, until - clock.now()));
    }
    return undefined;
  } finally {
    unlisten();
    // What is left is forgotten by the leader.
    await store.write((tx) => deleteWhere(tx, 'errands', { id })).catch(() => undefined);
  }
}

/** Creates what makes the calls that other processes ask for, under one lead; `perform` never rejects. */
export function createErrandRunner(
  deps: JobDeps,
  epoch: number,
  perform: (errand: Errand) => Promise<ErrandAnswer>,
): Pick<Loop, 'start' | 'stop'> {
  const { store, clock, events } = deps;
  // A file has one process, which asks nobody.
  if (store.engine === 'sqlite') return { start() {}, stop: () => Promise.resolve() };

  async function carryOut(id: string, task: string): Promise<void> {
    const answer = JSON.stringify(await perform(parseStored<Errand>(task)));
    try {
      await store.write((tx) => updateWhere(tx, 'errands', { id }, { answer }));
      store.bell.ring('errand');
    } catch (error) {
      if (!isNotLeading(error)) events.failed({ type: 'errand', id, error });
    }
  }

  const job = { type: 'errand', id: 'take', restMs: LOOK_MS, topic: 'errand' } as const;
  return createJob(deps, job, async () => {
    // Each is begun once.
    const taken = await store.write((tx) => {
      const until = { '>': storeNow(tx, clock.now()) };
      return updateWhere(tx, 'errands', { epoch: null, resource_id: null, until }, { epoch });
    });
    for (const { id, task } of taken) void carryOut(id, task);
    return LOOK_MS;
  });
}
