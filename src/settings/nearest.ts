/** The candidate that differs in the fewest characters, when few enough differ to be a slip of the hand. */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const distanceMax = Math.max(1, Math.floor(name.length / 4));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: toEditDistance(name, candidate) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** How many characters must be added, dropped or changed to turn one text into the other (Levenshtein). */
export function toEditDistance(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, column) => column);
  const last = [...from].reduce(
    (above, character, row) => toNextRow({ above, character, row, to }),
    first,
  );
  return last[to.length] ?? 0;
}

interface EditRow {
  readonly above: readonly number[];
  readonly character: string;
  readonly row: number;
  readonly to: string;
}

function toNextRow({ above, character, row, to }: EditRow): number[] {
  const next = [row + 1];
  for (let column = 1; column <= to.length; column += 1) {
    const changed = (above[column - 1] ?? 0) + (to[column - 1] === character ? 0 : 1);
    const dropped = (above[column] ?? 0) + 1;
    const added = (next[column - 1] ?? 0) + 1;
    next.push(Math.min(changed, dropped, added));
  }
  return next;
}
