import type { Clock, Loop } from '../../domain/clock.ts';
import { createLoop } from '../../domain/clock.ts';
import type { Refusal, ResourceKey } from '../../domain/values.ts';
import { newId } from '../../domain/values.ts';
import { GONE, listProgress } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { Db, Store } from '../../store/store.ts';
import { deleteWhere, insertAll, listWhere } from '../../store/tables.ts';
import type { Events } from '../../telemetry/events.ts';
import type { BoundedWait } from '../compare/look.ts';
import type { Lock, Queue, StoredWrite, Waiters, WriteResult } from '../waiters.ts';
import type { Convergence } from './convergence.ts';
import { WORTH_WAITING_MS } from './convergence.ts';

/** Interval of looking for the leader's work, where no ring tells, in milliseconds. */
const LOOK_MS = 250;

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

interface ReconcilerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
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
  const { store, clock, events, leader, waiters } = deps;
  function onFailure(error: unknown): void {
    // Each request is answered when its wait is over: the write is stored.
    if (!(error instanceof StoreError)) events.failed({ type: 'store', id: 'follow', error });
  }
  const listen = (tell: () => void) => store.bell.listen('recorded', tell);
  return createLoop({ clock, onFailure, restMs: LOOK_MS, listen }, async (_signal, hasNews) => {
    if (waiters.size === 0 || leader.find() !== undefined) return undefined;
    if (!hasNews) store.bell.ring('due');
    await tellProgress(deps);
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
