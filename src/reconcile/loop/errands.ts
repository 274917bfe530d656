import type { Loop } from '../../domain/clock.ts';
import { createNews } from '../../domain/clock.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { isJsonObject, newId, toResourceKey } from '../../domain/values.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import { listCalled } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import { deleteWhere, findOne, insertAll, updateWhere } from '../../store/tables.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { BoundedWait } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../differences.ts';
import type { JobDeps } from '../job.ts';
import { createJob, isNotLeading } from '../job.ts';
import type { LookResult } from '../repair/keeper.ts';

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
  toFailure: (error: unknown) => unknown,
  work: LeaderWork,
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

/** Creates the calls of operators. Whom one names is looked at afterwards, so that the next write meets what is there. */
export function createOperatorCalls(
  deps: JobDeps & Pick<ReconcileDeps, 'upstream'>,
): (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown> {
  const { store, upstream, clock, events } = deps;
  return async (operation, args, options) => {
    let isSent = operation.method !== 'GET';
    try {
      return await upstream.call(operation, args, { ...options, class: 'pass' });
    } catch (error) {
      // A refused call may have done a part, and a lost one everything.
      isSent &&= error instanceof UpstreamError && error.outcome !== 'not-sent';
      throw error;
    } finally {
      const look = (tx: Db) =>
        findNamed(tx, operation.id, args).then((keys) => markToLook(tx, keys, clock.now()));
      // The call itself is done, and must not look as if it had failed.
      const onFailure = (error: unknown) =>
        events.failed({ type: 'operator', id: operation.id, error });
      if (isSent) await store.write(look).then(() => store.bell.ring('due'), onFailure);
    }
  };
}

/** Operations about users and groups, which their paths name by ids of the service. */
const OF_RESOURCES = /^(scim|users|companyUsers|group\w*)\./;

/** Finds the managed users and groups that the path of a call names. */
async function findNamed(db: Db, operation: string, args: unknown): Promise<ResourceKey[]> {
  const path = isJsonObject(args) && OF_RESOURCES.test(operation) ? args.path : undefined;
  const texts = new Set(Object.values(isJsonObject(path) ? path : {}).map(String));
  const called = await listCalled(db, texts);
  return called.filter(({ origin }) => origin !== null).map(toResourceKey);
}

/** Finds the one managed user or group that a call names, by its SCIM id; undefined: none, or several. */
export async function findSubject(db: Db, operation: string, args: unknown) {
  const [first, ...others] = await findNamed(db, operation, args);
  return others.length === 0 ? first?.id : undefined;
}
