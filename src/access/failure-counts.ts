/** What is older is forgotten, in milliseconds. */
const WINDOW_MS = 10 * 60_000;
/** Into so many parts the window is cut. */
const PARTS = 10;
const PART_MS = WINDOW_MS / PARTS;
/** So many sources are remembered; those that were quiet longest go first. */
const SOURCES_MAX = 1_000;
/** So many sources are shown. */
const SHOWN_MAX = 20;

/** What one process has seen of failed attempts in the last ten minutes. */
export interface AttemptsView {
  readonly failed: number;
  /** The sources with the most of them. */
  readonly sources: readonly SourceView[];
}

/** Somebody who failed. */
export interface SourceView {
  /** An address, or the network of an IPv6 one. */
  readonly address: string;
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

/** Failures by source, and of all together. Times are epoch milliseconds. */
export interface FailureCounts {
  /** @returns the how many-th of this source it is, since it was quiet for ten minutes */
  add(source: string, now: number): number;
  view(now: number): AttemptsView;
}

/** Counts that take the same memory whatever happens. */
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
      // Anew, so that the first of the map is the one that was quiet longest.
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
