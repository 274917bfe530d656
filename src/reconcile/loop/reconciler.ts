import type { GroupId, ResourceKey, UserId } from '../../domain/ids.ts';
import { createReapplication } from '../../rules/reapply.ts';
import { findGroupRow } from '../../store/groups/groups.ts';
import { type LaneClaim, type Lease, recoverLanes } from '../../store/lanes.ts';
import { readWaiting } from '../../store/links/waiting.ts';
import { prioritiseWaiting } from '../../store/resources/retries.ts';
import type { GroupUndo, UserUndo } from '../../store/resources/undo.ts';
import { findUserRow, type UserRow } from '../../store/users/users.ts';
import { type BoundedWait, type Settling, settleWithin } from '../bounded-wait.ts';
import { type Hold, type ReconcileDeps, toLaneClaim } from '../deps.ts';
import { readAdmins } from '../group/read-admins.ts';
import type { Settlement } from '../outcome.ts';
import { GONE, type Progress, toProgress } from '../recorded.ts';
import { createWaiters } from '../waiters.ts';
import { createFollower } from './follower.ts';
import { createLaneRunner, type LaneRunner } from './lane-runner.ts';
import { createWorkers } from './workers.ts';

/** Lanes that requests may run themselves at the same time; beyond that the workers do it. */
const INLINE_MAX = 256;

/** A provider's write that was stored. */
export interface StoredWrite {
  readonly version: number;
  /** The lane, when the transaction that stored the write could take it. */
  readonly lease: Lease | undefined;
  /** How long the request may still wait, in milliseconds. */
  readonly waitMs: number;
  /** Whether it takes access away, which goes before changes. */
  readonly class: 'remove' | 'change';
}

/** Brings stored desired state to the service; the only way there. */
export interface Reconciler {
  /** How a transaction that stores a write takes the lane at the same time; undefined: leave it to the workers. */
  claim(): LaneClaim | undefined;
  /** Whether a row, as it was read, is in a lane of this process by this lease. */
  holds(row: Pick<UserRow, 'lane_owner' | 'lane_token'>, lease: Lease): boolean;
  /** Gives back a lane that may have been taken by a commit whose end nobody heard; as soon as the store answers. */
  giveBack(key: ResourceKey, lease: Lease): void;
  /** Converges a stored write of a person and waits for it. */
  settleUser(id: UserId, write: StoredWrite, undo: UserUndo): Promise<Settlement>;
  /** Converges a stored write of a group and waits for it. */
  settleGroup(id: GroupId, write: StoredWrite, undo: GroupUndo): Promise<Settlement>;
  /**
   * Reads the admin list of a group before it is taken over.
   * @throws BridgeError `could-not-look`, also when it takes longer than the wait
   */
  readAdmins(id: GroupId, wait: BoundedWait): Promise<void>;
  /** Lanes that run in this process and requests that wait. */
  activity(): { readonly lanes: number; readonly waiting: number };
  /** Something became due without anybody waiting. */
  wake(): void;
  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void>;
  /** Takes back what an earlier process left; lanes run once the hold is over. */
  start(hold: Hold): Promise<void>;
  /** Takes nothing new and waits for what runs, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Nobody may take a lane before those of an earlier process were taken back. */
const NEVER: Promise<never> = new Promise(() => undefined);
const NEVER_STARTED: Hold = { over: NEVER, trusted: NEVER, isLong: () => false };

/** The reconciler of one process. */
export function createReconciler(deps: ReconcileDeps): Reconciler {
  const users = { waiters: createWaiters<UserUndo>(deps.clock) };
  const groups = { waiters: createWaiters<GroupUndo>(deps.clock) };
  const runner = createLaneRunner(deps, { users, groups }, () => workers.wake());
  const workers = createWorkers(deps, runner);
  const follower = createFollower(deps, runner, [users.waiters, groups.waiters]);
  const reapplication = createReapplication(deps, () => workers.wake());
  const countWaiting = () => users.waiters.size + groups.waiters.size;
  let holding: Hold | undefined = NEVER_STARTED;

  deps.outage.onEnd(() => void letGoOn(deps, () => workers.wake()));

  /** Runs the lane that the write took, or has somebody take it, here or in another process. */
  function carryOn(key: ResourceKey, { lease }: Pick<StoredWrite, 'lease'>): void {
    const run = lease ? runner.run(key, lease) : Promise.resolve();
    void run.then(() => {
      workers.wake();
      follower.poke();
    });
  }

  function settle<Undo>(key: ResourceKey, settling: Settling<Undo>): Promise<Settlement> {
    return settleWithin(deps, settling, {
      key,
      carryOn: () => carryOn(key, settling.write),
      waiting: countWaiting(),
      isHeld: holding?.isLong() === true || deps.upstream.writesRefused() !== undefined,
      isBehind: () => workers.isBehind,
    });
  }

  return {
    claim() {
      const isFull = runner.active >= INLINE_MAX || workers.isBehind;
      const isHeld = holding !== undefined || deps.upstream.writesRefused() !== undefined;
      return isHeld || isFull ? undefined : toLaneClaim(deps);
    },
    holds: ({ lane_owner, lane_token }, lease) =>
      lane_owner === deps.owner && lane_token === lease.token,
    giveBack: (key, lease) => void runner.giveBack(key, lease).then(() => workers.wake()),
    settleUser(id, write, undo) {
      const readProgress = () => readUserProgress(deps, id);
      return settle({ type: 'user', id }, { waiters: users.waiters, write, undo, readProgress });
    },
    settleGroup(id, write, undo) {
      const readProgress = () => readGroupProgress(deps, id);
      return settle({ type: 'group', id }, { waiters: groups.waiters, write, undo, readProgress });
    },
    readAdmins: (id, wait) => readAdmins(deps, id, wait),
    activity: () => ({ lanes: runner.active, waiting: countWaiting() }),
    wake: () => workers.wake(),
    rulesApplied: () => reapplication.done(),
    async start(hold) {
      await takeBackLanes(deps);
      holding = hold;
      void hold.over.then(() => {
        holding = undefined;
        workers.start();
      });
      void hold.trusted.then(() => reapplication.start());
    },
    async stop(graceMs) {
      follower.stop();
      await Promise.all([reapplication.stop(), workers.stop()]);
      await untilIdle(deps, runner, graceMs);
    },
  };
}

/** The service answers again: whatever waited for that is due. */
async function letGoOn({ store, clock, events }: ReconcileDeps, wake: () => void): Promise<void> {
  try {
    await prioritiseWaiting(store, clock.now());
    wake();
  } catch (error) {
    // Everything is tried again all the same, each at its time.
    events.failed({ type: 'store', id: 'due', error });
  }
}

/** On SQLite one process has the file, so every lane in it was left by one that is gone. */
async function takeBackLanes({ store, clock }: ReconcileDeps): Promise<void> {
  if (store.engine === 'sqlite') await store.write((tx) => recoverLanes(tx, clock.now()));
}

/** Waits until no lane runs, at most `graceMs`. */
async function untilIdle({ clock }: ReconcileDeps, runner: LaneRunner, graceMs: number) {
  const grace = new AbortController();
  const timeUp = clock.sleep(graceMs, grace.signal).catch(() => undefined);
  await Promise.race([runner.idle(), timeUp]);
  grace.abort();
  runner.stop();
}

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
