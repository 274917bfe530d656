import type { ResourceKey } from '../../domain/ids.ts';
import { renewLanes } from '../../store/lanes.ts';
import { type ReconcileDeps, toLaneClaim } from '../deps.ts';

/** Keeps the lanes of runs that take long: a call may wait for minutes until its turn comes. */
export interface LaneKeeper {
  /** Keeps a lane that was just claimed, until the returned function is called. */
  keep(key: ResourceKey): () => void;
  /** Renews nothing more: what still runs has as long as its lease lasts. */
  stop(): void;
}

interface Kept {
  readonly key: ResourceKey;
  /** Claimed before the last renewal began, so its lease is no longer whole. */
  isOld: boolean;
}

/** The keeper of one process. A lane that nobody runs is not renewed, so it comes free by itself. */
export function createLaneKeeper(deps: ReconcileDeps): LaneKeeper {
  const lanes = new Set<Kept>();
  const stopping = new AbortController();
  let isKeeping = false;

  /** Ends by itself when there is nothing to keep. */
  async function keepOn(): Promise<void> {
    isKeeping = true;
    while (lanes.size > 0 && !stopping.signal.aborted) {
      const { renewEveryMs } = deps.policy.lease;
      await deps.clock.sleep(renewEveryMs, stopping.signal).catch(() => undefined);
      await renew();
    }
    isKeeping = false;
  }

  async function renew(): Promise<void> {
    const old = [...lanes].filter(({ isOld }) => isOld).map(({ key }) => key);
    for (const lane of lanes) lane.isOld = true;
    if (old.length === 0 || stopping.signal.aborted) return;
    try {
      const claim = toLaneClaim(deps);
      await deps.store.write((tx) => renewLanes(tx, old, claim));
    } catch (error) {
      // The next renewal may work; until then each call asks for its lane itself.
      deps.events.failed({ type: 'store', id: 'lanes', error });
    }
  }

  return {
    keep(key) {
      const lane: Kept = { key, isOld: false };
      lanes.add(lane);
      if (!isKeeping) void keepOn();
      return () => void lanes.delete(lane);
    },
    stop: () => stopping.abort(),
  };
}
