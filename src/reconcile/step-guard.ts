import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';

/** How often one run may come back to the same step while nobody writes anything. */
const REPEATS_MAX = 10;
/** Steps that are remembered; a circle is shorter. */
const REMEMBERED_MAX = 1_000;

/** Tells a long way from a circle: a run may take any number of steps, but not the same one again and again. */
export interface StepGuard {
  /** @throws BridgeError `bug` when this step was taken too often since the last write. */
  note(version: number, action: unknown): void;
}

/** The guard of one run. */
export function createStepGuard(key: ResourceKey): StepGuard {
  const taken = new Map<string, number>();
  let seen: number | undefined;
  return {
    note(version, action) {
      if (version !== seen || taken.size >= REMEMBERED_MAX) taken.clear();
      seen = version;
      const step = JSON.stringify(action) ?? '';
      const times = (taken.get(step) ?? 0) + 1;
      taken.set(step, times);
      if (times <= REPEATS_MAX) return;
      throw new BridgeError('bug', `${keyText(key)} came to the same step ${times} times`);
    },
  };
}
