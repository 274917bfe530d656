import type { Clock } from '../../domain/clock.ts';
import { type GroupId, newId, type ResourceKey, type UserId } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { findGroupRow } from '../../store/groups/groups.ts';
import { readWaiting } from '../../store/links/waiting.ts';
import { type GroupUndo, toUndoText, type UserUndo } from '../../store/resources/undo.ts';
import type { Db, Store } from '../../store/store.ts';
import { findUserRow } from '../../store/users/users.ts';
import { endWait, insertWait } from '../../store/waits.ts';
import type { BoundedWait, Settling } from '../bounded-wait.ts';
import type { ReconcileEvents } from '../deps.ts';
import { readAdmins } from '../group/read-admins.ts';
import type { Settlement } from '../outcome.ts';
import { GONE, type Progress, parseProblem, toProgress } from '../recorded.ts';
import { createWaiters } from '../waiters.ts';
import type { Convergence, Queue } from './convergence.ts';
import { createFollower } from './follower.ts';
import type { Lock, Waiting } from './runner.ts';

/** How long and how often it is tried to find out whether a write was refused elsewhere, in milliseconds. */
const FIND_OUT_MS = 3_000;
const TRY_EVERY_MS = 200;
/** Requests that may wait for the leader at the same time. */
const WAITING_MAX = 2_000;

/** A provider's write that was stored. */
export interface StoredWrite {
  readonly version: number;
  /** The lock of the resource, where the request got it. */
  readonly lock: Lock | undefined;
  /** Names the wait that was stored with the write. */
  readonly waitId: string | undefined;
  /** How long the request may still wait, in milliseconds. */
  readonly waitMs: number;
  /** Whether it takes access away, which goes before changes. */
  readonly class: 'remove' | 'change';
}

/** A write while it is stored. */
export interface AnnouncedWrite {
  readonly key: ResourceKey;
  readonly version: number;
  readonly undo: UserUndo | GroupUndo;
  readonly waitMs: number;
}

/** Has stored writes brought to the service, by this process where it leads, else by the leader. */
export interface Reconciler {
  /** Notes in the transaction of a write that a request waits for it, where another process leads; names that wait. */
  announce(tx: Db, write: AnnouncedWrite): Promise<string | undefined>;
  /** Takes the lock of a resource that was just written; undefined: its request does not run it. */
  lock(key: ResourceKey, row: { readonly must_look: number }): Lock | undefined;
  /** Waits until a stored write of a user is in the service. */
  settleUser(id: UserId, write: StoredWrite, undo: UserUndo): Promise<Settlement>;
  /** Waits until a stored write of a group is in the service. */
  settleGroup(id: GroupId, write: StoredWrite, undo: GroupUndo): Promise<Settlement>;
  /**
   * Reads the admin list of a group before it is taken over.
   * @throws BridgeError `could-not-look`, also when it takes longer than the wait
   */
  readAdmins(id: GroupId, wait: BoundedWait): Promise<void>;
  /** Resources that are converged in this process, and requests that wait. */
  activity(): { readonly lanes: number; readonly waiting: number };
  /** Something became due without anybody waiting. */
  wake(): void;
  /** Lets the leader after this process refuse what requests of this process still wait for. */
  handOverWaits(tx: Db): Promise<void>;
  stop(): void;
}

/** What is known of the leader. */
export interface LeaderAccess {
  /** Convergence, where this process leads. */
  readonly find: () => Convergence | undefined;
  /** What the leader says of its queue; undefined: nobody leads now. */
  readonly findQueue: () => Queue | undefined;
  /** Has the leader read the admin list of a group. @throws BridgeError `could-not-look` */
  readonly readAdmins: (id: GroupId, wait: BoundedWait) => Promise<void>;
}

/** What a reconciler is given. */
export interface ReconcilerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Pick<ReconcileEvents, 'failed'>;
  readonly leader: LeaderAccess;
  readonly waiting: Waiting;
}

/** Requests that wait in this process; none yet. */
export function createWaiting(clock: Clock): Waiting {
  return {
    users: { waiters: createWaiters<UserUndo>(clock) },
    groups: { waiters: createWaiters<GroupUndo>(clock) },
  };
}

/** The reconciler of one process. */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { store, clock, leader, waiting } = deps;
  const users = waiting.users.waiters;
  const groups = waiting.groups.waiters;
  const follower = createFollower({ ...deps, isLeading: () => leader.find() !== undefined }, [
    users,
    groups,
  ]);
  /** Names of waits that are in the store. */
  const stored = new Set<string>();

  function isWorthWaiting({ waitMs, class: callClass }: BoundedWait): boolean {
    const queue = leader.findQueue();
    if (queue === undefined || queue.isHeld || waitMs <= 0) return false;
    return users.size + groups.size < WAITING_MAX && queue.aheadMs[callClass] < waitMs;
  }

  /** The leader may have refused it meanwhile: only a wait that has ended can be answered as accepted. */
  async function end(id: string, settlement: Settlement): Promise<Settlement> {
    if (!stored.delete(id)) return settlement;
    const until = performance.now() + FIND_OUT_MS;
    for (;;) {
      try {
        const refusal = await store.write((tx) => endWait(tx, id));
        return refusal === undefined
          ? settlement
          : { kind: 'refused', problem: parseProblem(refusal) };
      } catch (error) {
        if (!(error instanceof StoreError) || performance.now() > until) throw error;
        await clock.sleep(TRY_EVERY_MS);
      }
    }
  }

  async function waitForLeader<Undo>(
    key: ResourceKey,
    { waiters, write, undo, id }: Settling<Undo> & { readonly id: string },
  ): Promise<Settlement> {
    const reason = 'nobody brings it to the service within the wait';
    if (!isWorthWaiting(write)) return { kind: 'not-yet', reason };
    const settled = waiters.wait(key, { version: write.version, undo, id }, write.waitMs);
    follower.poke();
    return settled;
  }

  async function settle<Undo>(key: ResourceKey, settling: Settling<Undo>): Promise<Settlement> {
    const convergence = leader.find();
    const { waitId } = settling.write;
    const id = waitId ?? newId();
    if (waitId !== undefined) stored.add(waitId);
    if (convergence === undefined) store.bell.ring('due');
    const settled =
      convergence === undefined
        ? waitForLeader(key, { ...settling, id })
        : convergence.settle(key, { ...settling, id });
    // This process may have stopped leading meanwhile.
    follower.poke();
    return end(id, await settled);
  }

  return {
    async announce(tx, { key, version, undo, waitMs }) {
      if (store.engine === 'sqlite' || leader.find() !== undefined || waitMs <= 0) return undefined;
      const id = newId();
      const until = Math.round(clock.now() + waitMs);
      await insertWait(tx, {
        ...{ id, version, until, undo: toUndoText(undo) },
        ...{ resource_type: key.type, resource_id: key.id },
      });
      return id;
    },
    lock: (key, row) => leader.find()?.lock(key, row),
    settleUser: (id, write, undo) =>
      settle(
        { type: 'user', id },
        { waiters: users, write, undo, readProgress: () => readUserProgress(store, id) },
      ),
    settleGroup: (id, write, undo) =>
      settle(
        { type: 'group', id },
        { waiters: groups, write, undo, readProgress: () => readGroupProgress(store, id) },
      ),
    readAdmins: (id, wait) => leader.find()?.readAdmins(id, wait) ?? leader.readAdmins(id, wait),
    activity: () => ({
      lanes: leader.find()?.active ?? 0,
      waiting: users.size + groups.size,
    }),
    wake() {
      const convergence = leader.find();
      if (convergence === undefined) store.bell.ring('due');
      else convergence.wake();
    },
    async handOverWaits(tx) {
      for (const { id, key, version, undo, until } of [...users.list(), ...groups.list()]) {
        if (id === undefined || stored.has(id)) continue;
        await insertWait(tx, {
          ...{ id, version, until: Math.round(until), undo: toUndoText(undo) },
          ...{ resource_type: key.type, resource_id: key.id },
        });
        stored.add(id);
      }
      follower.poke();
    },
    stop: () => follower.stop(),
  };
}

async function readUserProgress({ read }: Store, id: UserId): Promise<Progress> {
  const row = await findUserRow(read, id);
  return row === undefined ? GONE : toProgress(row);
}

async function readGroupProgress({ read }: Store, id: GroupId): Promise<Progress> {
  const row = await findGroupRow(read, id);
  if (row === undefined) return GONE;
  const { oldest } = await readWaiting(read, id);
  return toProgress(row, oldest);
}
