import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { listProgress, type ProgressRow } from '../../store/resources/progress.ts';
import type { ReconcileDeps } from '../deps.ts';
import { GONE, toProgress } from '../recorded.ts';
import type { Waiters } from '../waiters.ts';
import { type LaneRunner, WORTH_WAITING_MS } from './lane-runner.ts';

/** How often it is asked what other processes have done, while somebody waits for that; in milliseconds. */
const ASK_EVERY_MS = 100;

const PUT_OFF = 'the change is stored and will be tried again';

/** Tells requests of this process what other processes have done for them. */
export interface Follower {
  /** Somebody waits for what another process may do. */
  poke(): void;
  stop(): void;
}

/** The follower of one process; where one process has the store there is nobody to follow. */
export function createFollower(
  deps: ReconcileDeps,
  runner: Pick<LaneRunner, 'listRunning'>,
  waiters: readonly Waiters<unknown>[],
): Follower {
  const stopping = new AbortController();
  let isFollowing = false;

  /** What waits for a lane that this process runs is told by that. */
  function listOthers(): ResourceKey[] {
    const running = runner.listRunning();
    return waiters.flatMap((each) => each.keys()).filter((key) => !running.has(keyText(key)));
  }

  async function ask(): Promise<void> {
    const keys = listOthers();
    if (keys.length === 0) return;
    const rows = await listProgress(deps.store.read, keys);
    const rowById = new Map<string, ProgressRow>(rows.map((row) => [row.key.id, row]));
    for (const key of keys) tell(key, rowById.get(key.id));
  }

  function tell(key: ResourceKey, row: ProgressRow | undefined): void {
    const progress = row === undefined ? GONE : toProgress(row, row.oldestLink);
    const isPutOff = row !== undefined && isResting(deps, row);
    for (const each of waiters) {
      each.settle(key, progress);
      if (isPutOff) each.answerNotYet(key, progress.version, PUT_OFF);
    }
  }

  /** Ends by itself when nobody waits. */
  async function follow(): Promise<void> {
    isFollowing = true;
    while (waiters.some(({ size }) => size > 0) && !stopping.signal.aborted) {
      await deps.clock.sleep(ASK_EVERY_MS, stopping.signal).catch(() => undefined);
      try {
        await ask();
      } catch (error) {
        // Whoever waits is answered when their wait is over: the write is stored.
        if (!(error instanceof StoreError))
          deps.events.failed({ type: 'store', id: 'follow', error });
      }
    }
    isFollowing = false;
  }

  return {
    poke() {
      if (deps.store.engine === 'postgres' && !isFollowing) void follow();
    },
    stop: () => stopping.abort(),
  };
}

/** Whether nobody runs it and nobody will soon. */
function isResting({ clock }: ReconcileDeps, { lane_owner, due_at }: ProgressRow): boolean {
  return lane_owner === null && (due_at === null || due_at - clock.now() >= WORTH_WAITING_MS);
}
