import type { Clock } from '../../domain/clock.ts';
import { newId, type ResourceKey } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { toUndoText, type Undo } from '../../store/resources/undo.ts';
import type { Db, Store } from '../../store/store.ts';
import { endWait, insertWait } from '../../store/waits.ts';
import {
  type BoundedWait,
  isWorthWaiting,
  type Lock,
  type Queue,
  type Settling,
  type StoredWrite,
} from '../bounded-wait.ts';
import type { ReconcileEvents } from '../deps.ts';
import type { Settlement } from '../outcome.ts';
import { parseProblem } from '../recorded.ts';
import type { Waiters, WaitingRequest } from '../waiters.ts';
import type { Convergence } from './convergence.ts';
import { createFollower } from './follower.ts';

/** Time and interval of attempts to find out whether a write was refused elsewhere, in milliseconds. */
const FIND_OUT_MS = 3_000;
const TRY_EVERY_MS = 200;

/** A write while it is stored. */
interface AnnouncedWrite {
  readonly key: ResourceKey;
  readonly version: number;
  readonly undo: Undo;
  readonly waitMs: number;
}

/** Has stored writes brought to the service, by this process where it leads, else by the leader. */
export interface Reconciler {
  /** Notes in the transaction of a write that a request waits for it, where another process leads; names that wait. */
  announce(tx: Db, write: AnnouncedWrite): Promise<string | undefined>;
  /** Takes the lock of a resource that was just written; undefined: its request does not run it. */
  lock(key: ResourceKey, row: { readonly must_look: number }): Lock | undefined;
  /** Waits until a stored write is in the service. */
  settle(write: StoredWrite): Promise<Settlement>;
  /**
   * Reads what makes a user or group privileged, before it is taken over or loses something: the role of an account, the
   * admin list of a group.
   * @throws BridgeError `could-not-look`, also when it takes longer than the wait
   */
  readPrivilege(resource: ResourceKey, wait: BoundedWait): Promise<void>;
  /** Resources that are converged in this process, and requests that wait. */
  activity(): { readonly running: number; readonly waiting: number };
  /** Something became due without anybody waiting. */
  notify(): void;
  /** Lets the leader after this process refuse what requests of this process still wait for. */
  handOverWaits(tx: Db): Promise<void>;
  stop(): void;
}

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
  readonly events: Pick<ReconcileEvents, 'failed'>;
  readonly leader: LeaderAccess;
  /** Requests that wait in this process. */
  readonly waiters: Waiters;
}

/** The reconciler of one process. */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { store, clock, leader, waiters } = deps;
  const follower = createFollower({ ...deps, isLeading: () => leader.find() !== undefined });
  /** Names of waits that are in the store. */
  const stored = new Set<string>();

  async function waitForLeader({ write, id }: Settling): Promise<Settlement> {
    const { key, version, undo, waitMs } = write;
    follower.ask();
    const isWorth = isWorthWaiting(leader.findQueue(), write, waiters.size);
    const isWaited = isWorth && !follower.isSilent();
    const settled = isWaited ? waiters.wait(key, { version, undo, id }, waitMs) : NOT_WITHIN_WAIT;
    follower.follow();
    return settled;
  }

  return {
    async announce(tx, write) {
      const { waitMs } = write;
      if (store.engine === 'sqlite' || leader.find() !== undefined || waitMs <= 0) return undefined;
      const id = newId();
      await insertWait(tx, { id, ...toWait(write, clock.now() + waitMs) });
      return id;
    },
    lock: (key, row) => leader.find()?.lock(key, row),
    async settle(write) {
      const id = write.waitId ?? newId();
      if (write.waitId !== undefined) stored.add(id);
      const settling = { write, id };
      const settlement = await (leader.find()?.settle(settling) ?? waitForLeader(settling));
      return stored.delete(id) ? endWaiting(deps, id, settlement) : settlement;
    },
    readPrivilege: (resource, wait) =>
      leader.find()?.readPrivilege(resource, wait) ?? leader.readPrivilege(resource, wait),
    activity: () => ({
      running: leader.find()?.running.size ?? 0,
      waiting: waiters.size,
    }),
    notify() {
      const convergence = leader.find();
      if (convergence === undefined) store.bell.ring('due');
      else convergence.notify();
    },
    async handOverWaits(tx) {
      await storeWaits(tx, waiters.list(), stored);
      follower.follow();
    },
    stop: () => follower.stop(),
  };
}

/** Stores the waits that are not in the store yet. */
async function storeWaits(
  tx: Db,
  requests: readonly WaitingRequest[],
  stored: Set<string>,
): Promise<void> {
  for (const request of requests) {
    const { id, until } = request;
    if (id === undefined || stored.has(id)) continue;
    await insertWait(tx, { id, ...toWait(request, until) });
    stored.add(id);
  }
}

const NOT_WITHIN_WAIT: Settlement = {
  kind: 'not-yet',
  reason: 'nobody brings it to the service within the wait',
};

/**
 * Ends a wait in the store: the leader may have refused the write meanwhile, and only then nobody can any more. Once the
 * store is closed, nobody is left who could be told: every request is answered by then, or its caller hung up.
 * @throws StoreError when the store cannot be used
 */
async function endWaiting(
  { store, clock }: Pick<ReconcilerDeps, 'store' | 'clock'>,
  id: string,
  settlement: Settlement,
): Promise<Settlement> {
  const until = performance.now() + FIND_OUT_MS;
  // Kept from one attempt to the next: one whose commit nobody confirmed may have taken the wait away with its refusal.
  let refusal: string | undefined;
  for (;;) {
    try {
      await store.write(async (tx) => {
        const ended = await endWait(tx, id);
        if (ended !== undefined) refusal = ended.refusal ?? undefined;
      });
      if (refusal === undefined) return settlement;
      return { kind: 'refused', problem: parseProblem(refusal) };
    } catch (error) {
      if (!(error instanceof StoreError) || performance.now() > until) throw error;
      if (error.code === 'store-closed') return settlement;
      await clock.sleep(TRY_EVERY_MS);
    }
  }
}

function toWait(
  { key, version, undo }: Pick<AnnouncedWrite, 'key' | 'version' | 'undo'>,
  until: number,
) {
  const resource = { resource_type: key.type, resource_id: key.id };
  return { ...resource, version, undo: toUndoText(undo), until: Math.round(until) };
}
