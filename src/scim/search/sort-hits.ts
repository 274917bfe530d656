import type { Work } from '../../domain/turns.ts';
import type { Sorting } from '../render/sorting.ts';
import { compareHits, type Hit } from './scan.ts';

/** Matches that are sorted or merged without a pause. */
const PIECE = 1_000;

/** Sorts the matches. There may be very many, so pieces are sorted and then merged. */
export function* sortHits<Match extends Hit>(
  hits: readonly Match[],
  sorting: Sorting,
): Work<Match[]> {
  let runs: Match[][] = [];
  for (let start = 0; start < hits.length; start += PIECE) {
    yield PIECE;
    const run = hits.slice(start, start + PIECE);
    runs.push(run.sort((a, b) => compareHits(a, b, sorting)));
  }
  while (runs.length > 1) {
    const merged: Match[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], sorting));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Match extends Hit>(
  left: readonly Match[],
  right: readonly Match[],
  sorting: Sorting,
): Work<Match[]> {
  const merged: Match[] = [];
  let next = 0;
  for (const hit of left) {
    for (let other = right[next]; other !== undefined; other = right[next]) {
      if (compareHits(hit, other, sorting) <= 0) break;
      next += 1;
      merged.push(other);
      if (merged.length % PIECE === 0) yield PIECE;
    }
    merged.push(hit);
    if (merged.length % PIECE === 0) yield PIECE;
  }
  for (const hit of right.slice(next)) merged.push(hit);
  return merged;
}
