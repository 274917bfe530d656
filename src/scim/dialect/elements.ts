import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

/** Whether the element is the preferred one of its list. */
export function isPrimary({ primary }: JsonObject): boolean {
  return primary === true;
}

/** Whether the element says more than what it would be used for. */
export function hasContent(element: JsonObject): boolean {
  return Object.entries(element).some(
    ([name, value]) => name !== 'type' && name !== 'primary' && value !== null && value !== '',
  );
}

/** The element without the parts that are to have no value. */
export function withoutNulls(element: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(element).filter(([, value]) => value !== null));
}

/**
 * The list with `added` at its end. One that is there already, with the same value for the same use,
 * takes over the other parts of the added one instead.
 */
export function mergeElements(
  rule: AttributeRule,
  list: readonly JsonObject[],
  added: readonly JsonObject[],
): JsonObject[] {
  const byIdentity = new Map<string, JsonObject>();
  for (const element of [...list, ...added]) {
    const identity = identify(rule, element);
    const known = byIdentity.get(identity);
    byIdentity.set(identity, known ? { ...known, ...element } : element);
  }
  return [...byIdentity.values()];
}

/** What two elements of a list have in common when they are the same: value and use or, without a value (addresses), all but `primary`. */
export function identify({ subAttributes }: AttributeRule, element: JsonObject): string {
  const { value, type } = element;
  const use = typeof type === 'string' ? foldCase(type) : '';
  if (typeof value === 'string') {
    const exact = subAttributes.get('value')?.caseExact ?? true;
    return JSON.stringify([use, exact ? value : foldCase(value)]);
  }
  const parts = Object.entries(element).filter(([name]) => name !== 'primary');
  return JSON.stringify([use, Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)))]);
}
