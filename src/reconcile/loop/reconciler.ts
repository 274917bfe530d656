import type { Loop } from '../../domain/clock.ts';
import { createNews } from '../../domain/clock.ts';
import type { Refusal, ResourceKey } from '../../domain/values.ts';
import { isJsonObject, newId, toResourceKey } from '../../domain/values.ts';
import { GONE, listProgress } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { listCalled } from '../../store/resources/find.ts';
import type { Db, Store } from '../../store/store.ts';
import { deleteWhere, findOne, insertAll, listWhere, updateWhere } from '../../store/tables.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { BoundedWait } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../differences.ts';
import type { JobDeps } from '../job.ts';
import { createJob, isNotLeading } from '../job.ts';
import type { LookResult } from '../repair/keeper.ts';
import type { Lock, Queue, StoredWrite, Waiters, WriteResult } from '../waiters.ts';
import type { Convergence } from './convergence.ts';
import { orUndefined, WORTH_WAITING_MS } from './convergence.ts';

/** Interval of looking for the leader's work, where no ring tells, in milliseconds. */
const FOLLOW_MS = 250;

/** Has stored writes brought to the service, by this process where it leads, else by the leader. */
export type Reconciler = ReturnType<typeof createReconciler>;

/** Ways to the leader. */
export interface LeaderAccess {
  /** Convergence, where this process leads. */
  readonly find: () => Convergence | undefined;
  /** The queue as the leader tells it; undefined: nobody leads now. */
  readonly findQueue: () => Queue | undefined;
  /** Has the leader read what makes a user or group privileged. @throws BridgeError `could-not-look` */
  readonly readPrivilege: (resource: ResourceKey, wait: BoundedWait) => Promise<void>;
}

interface ReconcilerDeps extends JobDeps {
  readonly leader: LeaderAccess;
  readonly waiters: Waiters;
}

/** The reconciler of one process. */
export function createReconciler(deps: ReconcilerDeps) {
  const { store, clock, leader, waiters } = deps;
  // Where one process has the store there is no leader to follow.
  const follower = store.engine === 'postgres' ? createFollower(deps) : undefined;

  function follow(write: StoredWrite): Promise<WriteResult> {
    store.bell.ring('due');
    return waiters.wait(write, leader.findQueue());
  }

  return {
    /** Notes in the transaction of a write that a request waits for it, where another process leads; names that wait. */
    async announce(tx: Db, write: Pick<StoredWrite, 'key' | 'version' | 'undo'>, waitMs: number) {
      if (store.engine === 'sqlite' || leader.find() !== undefined || waitMs <= 0) return undefined;
      const id = newId();
      const until = Math.round(clock.now() + waitMs);
      const { key, version, undo } = write;
      const wait = { id, task: JSON.stringify(undo), until, resource_id: key.id, version };
      await insertAll(tx, 'errands', [wait]);
      return id;
    },
    /** Takes the lock of a resource that was just written; undefined: its request does not run it. */
    lock: (key: ResourceKey): Lock | undefined => leader.find()?.lockForRequest(key),
    /** @throws StoreError while it cannot be known whether the write was taken back */
    async deliver(write: StoredWrite): Promise<WriteResult> {
      const result = await (leader.find()?.deliver(write) ?? follow(write));
      if (result.kind === 'unsure') throw result.error;
      return write.waitId === undefined ? result : endWaiting(store, write.waitId, result);
    },
    /** Reads the role of an account, or the admins of a group. @throws BridgeError `could-not-look`, also when it takes too long */
    readPrivilege: (resource: ResourceKey, wait: BoundedWait): Promise<void> =>
      leader.find()?.readPrivilege(resource, wait) ?? leader.readPrivilege(resource, wait),
    /** Resources that are converged in this process, and requests that wait. */
    activity: () => ({ running: leader.find()?.running ?? 0, waiting: waiters.size }),
    start: () => follower?.start(),
    stop: () => follower?.stop(),
  };
}

/** The leader may have refused the write meanwhile, unless it has arrived. Once the store is closed nobody could get an answer. @throws StoreError */
async function endWaiting(store: Store, id: string, result: WriteResult): Promise<WriteResult> {
  const end = store.write((tx) => deleteWhere(tx, 'errands', { id }));
  const [ended] = await end.catch((error: unknown) => {
    const isClosed = error instanceof StoreError && error.code === 'store-closed';
    if (isClosed || result.kind === 'applied') return [];
    throw error;
  });
  const answer = ended?.answer;
  return answer ? { kind: 'refused', problem: parseStored<Refusal>(answer) } : result;
}

/** Tells requests of this process what the leader has done for them, at its rings, and now and then. */
function createFollower(deps: ReconcilerDeps): Loop {
  const { store, leader, waiters } = deps;
  const job = { type: 'store', id: 'follow', restMs: FOLLOW_MS, topic: 'recorded' } as const;
  return createJob(deps, job, async (_signal, hasNews) => {
    if (waiters.size === 0 || leader.find() !== undefined) return undefined;
    if (!hasNews) store.bell.ring('due');
    // Otherwise each request is answered when its wait is over: the write is stored.
    await orUndefined(tellProgress(deps));
    return undefined;
  });
}

async function tellProgress({ store, clock, waiters }: ReconcilerDeps): Promise<void> {
  const writes = waiters.list();
  const keys = new Map(writes.map(({ key }) => [key.id, key]));
  // In this order: what was refused before the first query is known to the second.
  const found = await listProgress(store.read, [...keys.values()]);
  const id = writes.flatMap(({ waitId }) => waitId ?? []);
  for (const wait of await listWhere(store.read, 'errands', { id, answer: { '<>': null } })) {
    waiters.refuse(wait.id, parseStored<Refusal>(wait.answer ?? '{}'));
  }
  for (const { key, dueAt, ...progress } of found) {
    keys.delete(key.id);
    // Nobody will do anything about it soon.
    const isResting = dueAt === null || dueAt - clock.now() >= WORTH_WAITING_MS;
    waiters.answer(key, progress, isResting ? 'end' : 'wait');
  }
  for (const key of keys.values()) waiters.answer(key, GONE);
}

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
