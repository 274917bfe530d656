import { inject } from 'vitest';

/** Tag of what only `npm run test:long` runs; also in `vitest.config.ts`. */
export const LONG = ['long'];

/** Tags of what `npm test` plays a selection of and `npm run test:long` plays in full. */
export const SELECTED = inject('isLong') ? LONG : [];

/** Of so many cells of a large table `npm test` plays one. */
const CELLS = 5;

/**
 * Tags of a cell of a large table of which `npm test` plays each fifth: every row and every column is among them, and
 * what they do together is the same for all.
 */
export function toCellTags(row: number, column: number): string[] {
  return (row + column) % CELLS === 0 ? [] : LONG;
}

/** The entries of a loop or table, tagged `SELECTED`, of which `npm test` plays each third, or as many as are told. */
export function selectSome<T>(all: readonly T[], each: number = 3): readonly T[] {
  return inject('isLong') ? all : all.filter((_, index) => index % each === 0);
}
