import { inject } from 'vitest';

/** Tag of what only `npm run test:long` runs; also in `vitest.config.ts`. */
export const LONG = ['long'];

/** Tags of what `npm test` plays a selection of and `npm run test:long` plays in full. */
export const SELECTED = inject('isLong') ? LONG : [];

/**
 * Tags of a cell of a large table of which `npm test` plays each third: every row and every column is among them, and
 * what they do together is the same for all.
 */
export function toCellTags(row: number, column: number): string[] {
  return (row + column) % 3 === 0 ? [] : LONG;
}
