/** Failures older than this are forgotten, in milliseconds. */
const WINDOW_MS = 10 * 60_000;
/** Parts that the window is cut into. */
const PARTS = 10;
const PART_MS = WINDOW_MS / PARTS;
/** Sources that are remembered; the source that was quiet longest is forgotten first. */
const SOURCES_MAX = 1_000;
/** Sources that are shown. */
const SHOWN_MAX = 20;

/** Failed attempts that one process saw in the last ten minutes. */
export interface AttemptsView {
  readonly failed: number;
  /** The sources with the most attempts. */
  readonly sources: readonly SourceView[];
}

/** One source of failed attempts. */
interface SourceView {
  /** An address, or the network of an IPv6 one. */
  readonly address: string;
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

/** Counts failures by source, and of all sources together. Times are epoch milliseconds. */
interface FailureCounts {
  /** @returns the number of this attempt of its source, counted since the source was last quiet for ten minutes */
  add(source: string, now: number): number;
  view(now: number): AttemptsView;
}

/** Creates counts of bounded memory. */
export function createFailureCounts(): FailureCounts {
  const bySource = new Map<string, { attempts: number; lastAt: number }>();
  const byPart = new Map<number, number>();

  function forgetOldParts(now: number): void {
    for (const part of byPart.keys()) if (now - part * PART_MS >= WINDOW_MS) byPart.delete(part);
  }

  return {
    add(source, now) {
      const known = bySource.get(source);
      const before = known === undefined || now - known.lastAt >= WINDOW_MS ? 0 : known.attempts;
      // Inserted anew, so that the first entry of the map is the source that was quiet longest.
      bySource.delete(source);
      bySource.set(source, { attempts: before + 1, lastAt: now });
      const [quietest] = bySource.keys();
      if (bySource.size > SOURCES_MAX && quietest !== undefined) bySource.delete(quietest);
      forgetOldParts(now);
      const part = Math.floor(now / PART_MS);
      byPart.set(part, (byPart.get(part) ?? 0) + 1);
      return before + 1;
    },
    view(now) {
      forgetOldParts(now);
      const failed = [...byPart.values()].reduce((sum, count) => sum + count, 0);
      const sources = [...bySource]
        .map(([address, one]): SourceView => ({ address, ...one }))
        .filter(({ lastAt }) => now - lastAt < WINDOW_MS)
        .toSorted((a, b) => b.attempts - a.attempts)
        .slice(0, SHOWN_MAX);
      return { failed, sources };
    },
  };
}
