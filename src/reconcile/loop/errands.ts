import { createNews, type Loop } from '../../domain/clock.ts';
import { newId, type ResourceKey } from '../../domain/values.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import { deleteWhere, findOne, insertAll, updateWhere } from '../../store/tables.ts';
import { createJob, isNotLeading, type JobDeps } from '../job.ts';
import type { LookResult } from '../repair/keeper.ts';
import type { BoundedWait } from '../waiters.ts';

/** Interval of looking for errands and answers whose ring was lost, in milliseconds. */
const LOOK_MS = 500;

/** Work that the leader does for every process. What is asked for, and the results, are JSON. */
export interface LeaderWork {
  readonly readPrivilege: (asked: { resource: ResourceKey; wait: BoundedWait }) => Promise<void>;
  readonly call: (asked: { operation: string; args: unknown }) => Promise<unknown>;
  readonly look: (asked: { key: ResourceKey }) => Promise<LookResult>;
}

/** How another process met the end of work: `failure` is the caller's to read. */
interface Answer<Result> {
  readonly result?: Result;
  readonly failure?: unknown;
}

/** Has the leader do work; undefined: nothing was heard of it in time, so it may have been done. @throws StoreError */
export async function askLeader<Name extends keyof LeaderWork>(
  { store, clock }: Pick<JobDeps, 'store' | 'clock'>,
  [name, asked]: readonly [Name, Parameters<LeaderWork[Name]>[0]],
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
): Promise<Answer<Awaited<ReturnType<LeaderWork[Name]>>> | undefined> {
  const id = newId();
  const until = clock.now() + waitMs;
  const errand = { id, task: JSON.stringify({ name, asked }), until: Math.round(until) };
  await store.write((tx) => insertAll(tx, 'errands', [errand]));
  const news = createNews(clock, signal);
  const unlisten = store.bell.listen('errand', news.tell);
  try {
    store.bell.ring('errand');
    while (clock.now() < until && signal?.aborted !== true) {
      const { answer } = (await findOne(store.read, 'errands', { id })) ?? {};
      if (answer) return parseStored<Answer<Awaited<ReturnType<LeaderWork[Name]>>>>(answer);
      await news.rest(Math.min(LOOK_MS, until - clock.now()));
    }
    return undefined;
  } finally {
    unlisten();
    // What is left is forgotten by the leader.
    await store.write((tx) => deleteWhere(tx, 'errands', { id })).catch(() => undefined);
  }
}

/** Creates what does the work that other processes ask for, under one lead. @param toFailure an error as JSON */
export function createErrandRunner(
  deps: JobDeps,
  epoch: number,
  work: LeaderWork,
  toFailure: (error: unknown) => unknown,
): Pick<Loop, 'start' | 'stop'> {
  const { store, clock, events } = deps;
  // A file has one process, which asks nobody.
  if (store.engine === 'sqlite') return { start() {}, stop: () => Promise.resolve() };

  async function carryOut(id: string, task: string): Promise<void> {
    const { name, asked } = parseStored<{ name: keyof LeaderWork; asked: never }>(task);
    const answer: Answer<unknown> = await work[name](asked).then(
      (result = null) => ({ result }),
      (error: unknown) => ({ failure: toFailure(error) }),
    );
    try {
      await store.write((tx) =>
        updateWhere(tx, 'errands', { id }, { answer: JSON.stringify(answer) }),
      );
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
