import { assertNever } from '../../domain/errors.ts';
import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { type Lease, releaseLane } from '../../store/lanes.ts';
import { converge, type Run } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import { convergeGroups, type GroupLane } from '../group/converge-group.ts';
import { GONE } from '../recorded.ts';
import { convergeUsers, type UserLane } from '../user/converge-user.ts';
import { createLaneKeeper } from './lane-keeper.ts';

/** How soon a retry has to be to be worth waiting for, in milliseconds. */
export const WORTH_WAITING_MS = 2_500;
/** How long a resource rests after an error of our own, in milliseconds. */
const REST_MS = 10_000;
/** How often a lane is offered back to a store that takes no writes, in milliseconds. */
const GIVE_BACK_MS = 1_000;

/** Both lanes of this process. */
export interface Lanes {
  readonly users: UserLane;
  readonly groups: GroupLane;
}

/** Runs lanes that were claimed, and answers those who wait for them. Never rejects. */
export interface LaneRunner {
  run(key: ResourceKey, lease: Lease): Promise<void>;
  /** Gives a lane back that was perhaps taken and is not run, as soon as the store takes that. */
  giveBack(key: ResourceKey, lease: Lease): Promise<void>;
  /** The keys of what runs now, as text. */
  listRunning(): ReadonlySet<string>;
  /** How many lanes run now. */
  readonly active: number;
  /** Resolves once no lane runs, when no more are to be run. */
  idle(): Promise<void>;
  /** Keeps no lane any longer; what still runs has as long as its lease lasts. */
  stop(): void;
}

/** `onNotified` is told when a finished step made other resources due. */
export function createLaneRunner(
  deps: ReconcileDeps,
  lanes: Lanes,
  onNotified: () => void,
): LaneRunner {
  const users = convergeUsers(deps, lanes.users);
  const groups = convergeGroups(deps, lanes.groups);
  const keeper = createLaneKeeper(deps);
  const running = new Map<Promise<void>, string>();
  let isStopping = false;

  async function runOne(key: ResourceKey, lease: Lease): Promise<Run> {
    switch (key.type) {
      case 'user':
        return converge(deps, users, { key, lease, onNotified });
      case 'group':
        return converge(deps, groups, { key, lease, onNotified });
      default:
        return assertNever(key);
    }
  }

  async function runAndAnswer(key: ResourceKey, lease: Lease): Promise<void> {
    const { waiters } = key.type === 'user' ? lanes.users : lanes.groups;
    try {
      const { retryAt, ...progress } = await runOne(key, lease);
      waiters.settle(key, progress);
      const soon = retryAt !== undefined && isSoon(deps, retryAt);
      const reason = 'the change waits for something else first';
      if (!soon) waiters.answerNotYet(key, progress.version, reason);
    } catch (error) {
      deps.events.failed({ type: key.type, id: key.id, error });
      waiters.answerNotYet(key, GONE.version, 'the change is stored and will be tried again');
      await abandon(key, lease, error instanceof StoreError ? 0 : REST_MS);
    }
  }

  /**
   * An error of our own: the lane is given back, and the next run looks first. A store that takes no
   * writes is asked again until it does. A lane that somebody else has by then stays theirs, and they look too.
   */
  async function abandon(key: ResourceKey, lease: Lease, restMs: number): Promise<void> {
    while (!isStopping) {
      const dueAt = deps.clock.now() + restMs;
      try {
        await deps.store.write((tx) => releaseLane(tx, key, { owner: deps.owner, lease, dueAt }));
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await deps.clock.sleep(GIVE_BACK_MS);
      }
    }
  }

  return {
    async run(key, lease) {
      const letGo = keeper.keep(key);
      const run = runAndAnswer(key, lease);
      running.set(run, keyText(key));
      await run;
      running.delete(run);
      letGo();
    },
    async giveBack(key, lease) {
      // Somebody else's in this process may look the same where ours was not kept.
      const isRun = new Set(running.values()).has(keyText(key));
      if (!isRun) await abandon(key, lease, 0);
    },
    listRunning: () => new Set(running.values()),
    get active() {
      return running.size;
    },
    async idle() {
      isStopping = true;
      while (running.size > 0) await Promise.all(running.keys());
    },
    stop: () => keeper.stop(),
  };
}

/** Whether a retry is soon enough for a request to wait for it. */
function isSoon({ upstream, clock }: ReconcileDeps, retryAt: number): boolean {
  if (upstream.writesRefused() !== undefined) return false;
  return retryAt - clock.now() < WORTH_WAITING_MS;
}
