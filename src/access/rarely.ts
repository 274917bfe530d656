/** Interval of reports about one key, in milliseconds. */
const EACH_MS = 60_000;
/** Reports about all keys together within that interval. */
const ALL_MAX = 10;
/** Keys that are remembered; the key that was reported first is forgotten first. */
const KEYS_MAX = 1_000;

/** Limits repeated reports and counts the suppressed ones. */
export interface Rarely {
  /** Occurrences since the last report, when a report is due; otherwise 0. `now` in milliseconds. */
  take(key: string, now: number): number;
}

/** Creates a limit of one report a minute for each key, and ten for all. */
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
