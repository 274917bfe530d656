/** How often one key is told of, in milliseconds. */
const EACH_MS = 60_000;
/** So many times anybody is told of within that. */
const ALL_MAX = 10;
/** So many keys are remembered; those that were told of first go first. */
const KEYS_MAX = 1_000;

/** Lets much of the same be told rarely, with how often it was. */
export interface Rarely {
  /** How often it happened since it was last told, when it is to be told now; otherwise 0. `now` in milliseconds. */
  take(key: string, now: number): number;
}

/** Each key once a minute, and ten of all. */
export function createRarely(): Rarely {
  const byKey = new Map<string, { toldAt: number; untold: number }>();
  let minute = { from: 0, told: 0 };

  return {
    take(key, now) {
      const known = byKey.get(key) ?? { toldAt: Number.NEGATIVE_INFINITY, untold: 0 };
      const count = known.untold + 1;
      byKey.delete(key);
      if (now - minute.from >= EACH_MS) minute = { from: now, told: 0 };
      const isTold = now - known.toldAt >= EACH_MS && minute.told < ALL_MAX;
      byKey.set(key, isTold ? { toldAt: now, untold: 0 } : { ...known, untold: count });
      const [oldest] = byKey.keys();
      if (byKey.size > KEYS_MAX && oldest !== undefined) byKey.delete(oldest);
      if (!isTold) return 0;
      minute.told += 1;
      return count;
    },
  };
}
