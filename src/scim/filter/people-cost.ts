import { badRequest } from '../errors.ts';
import type { Filter } from './tree.ts';

/** Comparisons with each of the people of a group: a group may have everybody. */
const PEOPLE_COMPARISONS_MAX = 20;

/** How many comparisons a filter has. */
export function countComparisons(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + countComparisons(part), 0);
    case 'not':
    case 'some':
      return countComparisons(filter.part);
    default:
      return 1;
  }
}

/** Stops what would compare whole groups again and again. @throws ScimError 400 `tooMany` */
export function assertFewOfPeople(comparisons: number): void {
  if (comparisons <= PEOPLE_COMPARISONS_MAX) return;
  const detail = `Members and admins are compared with more than ${PEOPLE_COMPARISONS_MAX} values; name them by "value eq".`;
  throw badRequest('tooMany', detail);
}
