/** Chance that is the same in every run. */
export type SeededRandom = ReturnType<typeof createSeededRandom>;

/** The numbers that follow from a seed (mulberry32). */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    pick<T>(list: readonly T[]): T {
      const entry = list[Math.floor(next() * list.length)];
      if (entry === undefined) throw new RangeError('nothing to pick from');
      return entry;
    },
    chance: (probability: number) => next() < probability,
  };
}
