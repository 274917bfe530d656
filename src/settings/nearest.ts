import leven from 'leven';

/** The candidate that differs in the fewest characters, when few enough differ to be a typing error. */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const distanceMax = Math.max(1, Math.floor(name.length / 4));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: leven(name, candidate) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}
