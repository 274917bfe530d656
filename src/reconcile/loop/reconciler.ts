import { type Clock, createLoop, type Loop } from '../../domain/clock.ts';
import { newId, type Refusal, type ResourceKey } from '../../domain/values.ts';
import { listProgress } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { askUntilAnswered, type Db, type Store } from '../../store/store.ts';
import { deleteWhere, insertAll, listWhere } from '../../store/tables.ts';
import type { Events } from '../../telemetry/events.ts';
import type { WriteResult } from '../outcome.ts';
import {
  type BoundedWait,
  GONE,
  isWorthWaiting,
  type Lock,
  type Queue,
  type StoredWrite,
  toProgress,
  type Waiters,
  type WaitingRequest,
} from '../waiters.ts';
import { type Convergence, PUT_OFF, WORTH_WAITING_MS } from './convergence.ts';

/** Interval of looking for the leader's work, where no ring tells, in milliseconds. */
const LOOK_MS = 250;

const TOO_LATE = 'nobody brings it to the service within the wait';

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

  async function follow(write: BoundedWait, request: WaitingRequest): Promise<WriteResult> {
    store.bell.ring('due');
    const isWorth = isWorthWaiting(leader.findQueue(), write, waiters.size);
    return isWorth ? waiters.wait(request) : { kind: 'not-yet', reason: TOO_LATE };
  }

  return {
    /** Notes in the transaction of a write that a request waits for it, where another process leads; names that wait. */
    async announce(tx: Db, write: Pick<StoredWrite, 'key' | 'version' | 'undo' | 'waitMs'>) {
      const { waitMs, key, version, undo } = write;
      if (store.engine === 'sqlite' || leader.find() !== undefined || waitMs <= 0) return undefined;
      const id = newId();
      const until = Math.round(clock.now() + waitMs);
      const wait = { id, task: JSON.stringify(undo), until, resource_id: key.id, version };
      await insertAll(tx, 'errands', [wait]);
      return id;
    },
    /** Takes the lock of a resource that was just written; undefined: its request does not run it. */
    lock: (key: ResourceKey): Lock | undefined => leader.find()?.lockForRequest(key),
    /** @throws StoreError while it cannot be known whether the write was taken back */
    async deliver(write: StoredWrite): Promise<WriteResult> {
      const { waitId, key, version, undo } = write;
      const until = clock.now() + write.waitMs;
      const request = { id: waitId ?? newId(), key, version, undo, until };
      const result = await (leader.find()?.deliver(write, request) ?? follow(write, request));
      if (result.kind === 'unsure') throw result.error;
      return waitId === undefined ? result : endWaiting(store, waitId, result);
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
  const answers: string[] = [];
  const end = async (tx: Db) => {
    const [ended] = await deleteWhere(tx, 'errands', { id });
    // The commit of an attempt before may have been kept.
    if (ended?.answer) answers.push(ended.answer);
  };
  try {
    await askUntilAnswered(() => store.write(end));
  } catch (error) {
    const isClosed = error instanceof StoreError && error.code === 'store-closed';
    if (!isClosed && result.kind !== 'applied') throw error;
  }
  const [answer] = answers;
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
  const requests = waiters.list();
  const keys = new Map(requests.map(({ key }) => [key.id, key]));
  // In this order: what was refused before the first query is known to the second.
  const rows = await listProgress(store.read, [...keys.values()]);
  const ids = requests.map(({ id }) => id);
  const refused = await listWhere(store.read, 'errands', { id: ids, answer: { '<>': null } });
  for (const { id, answer } of refused) {
    waiters.refuse(id, parseStored<Refusal>(answer ?? '{}'));
  }
  for (const { key, ...row } of rows) {
    keys.delete(key.id);
    // Nobody will do anything about it soon.
    const isResting = row.due_at === null || row.due_at - clock.now() >= WORTH_WAITING_MS;
    waiters.answer(key, toProgress(row, row.oldestLink), isResting ? PUT_OFF : undefined);
  }
  for (const key of keys.values()) waiters.answer(key, GONE);
}
