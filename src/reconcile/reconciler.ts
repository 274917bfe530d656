import type { GroupId, ResourceKey, UserId } from '../domain/ids.ts';
import { findGroupRow } from '../store/groups.ts';
import { type LaneClaim, type Lease, recoverLanes } from '../store/lanes.ts';
import { readWaiting } from '../store/link-work.ts';
import { findUserRow } from '../store/users.ts';
import { LEASE_MS } from './converge.ts';
import type { ReconcileDeps } from './deps.ts';
import { readAdmins } from './group/read-admins.ts';
import type { GroupUndo } from './group/undo.ts';
import { createLaneRunner } from './lane-runner.ts';
import type { Settlement } from './outcome.ts';
import { GONE, type Progress, toProgress } from './recorded.ts';
import type { UserUndo } from './user/undo.ts';
import { createWaiters } from './waiters.ts';
import { createWorkers } from './workers.ts';

/** Lanes that requests may run themselves at the same time; beyond that the workers do it. */
const INLINE_MAX = 256;
/** Requests that may wait at the same time; beyond that a write is answered once it is stored. */
const WAITING_MAX = 2_000;
/** Users and groups of which this process remembers that it just accepted them. */
const FRESH_MAX = 100_000;

/** A provider's write that was stored. */
export interface StoredWrite {
  readonly version: number;
  /** The lane, when the transaction that stored the write could take it. */
  readonly lease: Lease | undefined;
  /** True when this write is the first to ask for the account or group, so nobody can have sent the create. */
  readonly creates: boolean;
  /** How long the request may still wait, in milliseconds. */
  readonly waitMs: number;
}

/** Keeps a bridge from changing the service before it knows that it may. */
export interface Hold {
  /** Resolves when it may. */
  readonly over: Promise<void>;
  /** True when nobody should wait for it, because the service does not answer. */
  isLong(): boolean;
}

/** Brings stored desired state to the service; the only way there. */
export interface Reconciler {
  /** How a transaction that stores a write takes the lane at the same time; undefined: leave it to the workers. */
  claim(): LaneClaim | undefined;
  /** Converges a stored write of a person and waits for it. */
  settleUser(id: UserId, write: StoredWrite, undo: UserUndo): Promise<Settlement>;
  /** Converges a stored write of a group and waits for it. */
  settleGroup(id: GroupId, write: StoredWrite, undo: GroupUndo): Promise<Settlement>;
  /**
   * Reads the admin list of a group before it is taken over.
   * @throws BridgeError `could-not-look`
   */
  readAdmins(id: GroupId): Promise<void>;
  /** Something became due without anybody waiting. */
  wake(): void;
  /** Takes back what an earlier process left; lanes run once the hold is over. */
  start(hold: Hold): Promise<void>;
  /** Takes nothing new and waits for what runs, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Nobody may take a lane before those of an earlier process were taken back. */
const NEVER_STARTED: Hold = { over: new Promise(() => undefined), isLong: () => false };

/** The reconciler of one process. */
export function createReconciler(deps: ReconcileDeps): Reconciler {
  const users = { waiters: createWaiters<UserUndo>(deps.clock), fresh: new Set<UserId>() };
  const groups = { waiters: createWaiters<GroupUndo>(deps.clock), fresh: new Set<GroupId>() };
  const runner = createLaneRunner(deps, { users, groups }, () => workers.wake());
  const workers = createWorkers(deps, runner);
  let holding: Hold | undefined = NEVER_STARTED;

  /** Runs the lane that the write took, or has somebody take it. */
  function carryOn(key: ResourceKey, { lease }: StoredWrite): void {
    if (lease) void runner.run(key, lease).then(() => workers.wake());
    else workers.wake();
  }

  /** False when too many wait already or the queue ahead is longer than the wait, so that nobody waits in vain. */
  function isWorthWaiting({ waitMs }: StoredWrite): boolean {
    if (holding?.isLong()) return false;
    const waiting = users.waiters.size + groups.waiters.size;
    return waitMs > 0 && waiting < WAITING_MAX && deps.upstream.queueAheadMs('change') < waitMs;
  }

  return {
    claim() {
      if (holding !== undefined || runner.active >= INLINE_MAX) return undefined;
      return { owner: deps.owner, now: deps.clock.now(), leaseMs: LEASE_MS };
    },
    async settleUser(id, write, undo) {
      const key = { type: 'user', id } as const;
      if (write.creates && users.fresh.size < FRESH_MAX) users.fresh.add(id);
      if (!isWorthWaiting(write)) return passOn(key, write, carryOn);
      const settled = users.waiters.wait(key, { version: write.version, undo }, write.waitMs);
      carryOn(key, write);
      if (write.lease === undefined) users.waiters.settle(key, await readUserProgress(deps, id));
      return settled;
    },
    async settleGroup(id, write, undo) {
      const key = { type: 'group', id } as const;
      if (write.creates && groups.fresh.size < FRESH_MAX) groups.fresh.add(id);
      if (!isWorthWaiting(write)) return passOn(key, write, carryOn);
      const settled = groups.waiters.wait(key, { version: write.version, undo }, write.waitMs);
      carryOn(key, write);
      if (write.lease === undefined) groups.waiters.settle(key, await readGroupProgress(deps, id));
      return settled;
    },
    readAdmins: (id) => readAdmins(deps, id),
    wake: () => workers.wake(),
    async start(hold) {
      if (deps.store.engine === 'sqlite') {
        // One process has the file, so every lane in it was left by one that is gone.
        await deps.store.write((tx) => recoverLanes(tx, deps.clock.now()));
      }
      holding = hold;
      void hold.over.then(() => {
        holding = undefined;
        workers.start();
      });
    },
    async stop(graceMs) {
      await workers.stop();
      const grace = new AbortController();
      const timeUp = deps.clock.sleep(graceMs, grace.signal).catch(() => undefined);
      await Promise.race([runner.idle(), timeUp]);
      grace.abort();
    },
  };
}

function passOn(
  key: ResourceKey,
  write: StoredWrite,
  carryOn: (key: ResourceKey, write: StoredWrite) => void,
): Settlement {
  carryOn(key, write);
  return { kind: 'not-yet', reason: 'the queue ahead is longer than the wait' };
}

/** Another run may have finished this write before anybody waited for it. */
async function readUserProgress({ store }: ReconcileDeps, id: UserId): Promise<Progress> {
  const row = await findUserRow(store.read, id);
  return row === undefined ? GONE : toProgress(row);
}

async function readGroupProgress({ store }: ReconcileDeps, id: GroupId): Promise<Progress> {
  const row = await findGroupRow(store.read, id);
  if (row === undefined) return GONE;
  const { oldest } = await readWaiting(store.read, id);
  return toProgress(row, oldest);
}
