import { findNextDueAt, listDue } from '../store/lanes.ts';
import { takeLane } from './converge.ts';
import type { ReconcileDeps } from './deps.ts';
import type { LaneRunner } from './lane-runner.ts';

/** The longest sleep between two looks at what is due, in milliseconds. */
const SLEEP_MAX_MS = 30_000;
/** The shortest: due work whose lane somebody else holds is not asked for in a tight loop. */
const SLEEP_MIN_MS = 50;
/** How long to rest when the store cannot be read, in milliseconds. */
const STORE_REST_MS = 1_000;

/** Takes what is due, removal of access first, a bounded number at the same time. */
export interface Workers {
  start(): void;
  /** Something became due. */
  wake(): void;
  /** Takes nothing more; what runs is the runner's to finish. */
  stop(): Promise<void>;
}

/** The due workers of one process. One resource's failure never stops another's. */
export function createWorkers(deps: ReconcileDeps, runner: LaneRunner): Workers {
  const stopping = new AbortController();
  let wakeUp: (() => void) | undefined;
  let woken = false;
  let active = 0;
  let loop: Promise<void> = Promise.resolve();

  function wake(): void {
    woken = true;
    wakeUp?.();
  }

  async function takeDue(): Promise<void> {
    const free = deps.policy.concurrency - active;
    if (free <= 0) return;
    for (const key of await listDue(deps.store.read, deps.clock.now(), free)) {
      const lease = await takeLane(deps, key);
      if (lease === undefined) continue;
      active += 1;
      void runner.run(key, lease).then(() => {
        active -= 1;
        wake();
      });
    }
  }

  async function rest(ms: number): Promise<void> {
    if (woken || stopping.signal.aborted) return;
    const waking = new AbortController();
    wakeUp = () => waking.abort();
    await deps.clock.sleep(ms, waking.signal).catch(() => undefined);
    wakeUp = undefined;
  }

  async function nextRestMs(): Promise<number> {
    if (active >= deps.policy.concurrency) return SLEEP_MAX_MS;
    const dueAt = await findNextDueAt(deps.store.read);
    if (dueAt === undefined) return SLEEP_MAX_MS;
    return Math.min(Math.max(dueAt - deps.clock.now(), SLEEP_MIN_MS), SLEEP_MAX_MS);
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      let restMs = STORE_REST_MS;
      try {
        await takeDue();
        restMs = await nextRestMs();
      } catch (error) {
        deps.events.failed({ type: 'store', id: 'due', error });
      }
      await rest(restMs);
    }
  }

  return {
    start() {
      loop = work();
    },
    wake,
    async stop() {
      stopping.abort();
      wakeUp?.();
      await loop;
    },
  };
}
