import { badRequest } from '../errors.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

/** The operators that compare with a value. @see RFC 7644 §3.4.2.2, table 3 */
export type CompareOp = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** Value that a filter compares with, as it was written. */
export type Literal = string | number | boolean | null;

/** The attribute that a filter looks at; `keys` are property names out of a schema. */
export interface FilterTarget {
  readonly keys: readonly string[];
  readonly rule: AttributeRule;
}

/** One comparison. */
export interface Comparison {
  readonly kind: 'compare';
  readonly target: FilterTarget;
  readonly op: CompareOp;
  /** As written, with the type of the attribute: what an element made from the filter would hold. */
  readonly literal: string | number | boolean;
  /** Made comparable once: folded where the attribute ignores case, epoch milliseconds for a dateTime. */
  readonly comparable: string | number | boolean;
}

/**
 * A parsed filter, bound to the attributes of one type of resource (or of one list's elements).
 * `some`: an element of the list fulfils `part`, whose targets start at the element.
 * `nothing`: an attribute that no schema has; it matches nothing.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'some'; readonly target: FilterTarget; readonly part: Filter }
  | { readonly kind: 'present'; readonly target: FilterTarget }
  | { readonly kind: 'nothing' }
  | Comparison;

/** Most comparisons with each user of a group, because a group may hold all users. */
const PEOPLE_COMPARISONS_MAX = 20;

/** Counts the comparisons of a filter. */
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

/** The ids of `value eq "x" or value eq "y"`; undefined for any other filter of a list of users. */
export function listIds(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const ids = filter.parts.map(listIds);
    return ids.includes(undefined) ? undefined : ids.flatMap((some) => some ?? []);
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return undefined;
  const { target, literal } = filter;
  return target.rule.name === 'value' && typeof literal === 'string' ? [literal] : undefined;
}

/**
 * Stops a filter that would compare whole groups too often.
 * @param scimType `tooMany` of a search, `invalidFilter` of a path, as the standard has it (RFC 7644, table 9)
 * @throws ScimError 400
 */
export function assertFewOfUsers(comparisons: number, scimType: 'tooMany' | 'invalidFilter'): void {
  if (comparisons <= PEOPLE_COMPARISONS_MAX) return;
  const detail = `Members and admins are compared with more than ${PEOPLE_COMPARISONS_MAX} values; name them by "value eq".`;
  throw badRequest(scimType, detail);
}
