import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AttributeRule } from '../schema/resource-schemas.ts';

/** True when the element is the preferred one of its list. */
export function isPrimary({ primary }: JsonObject): boolean {
  return primary === true;
}

/** True when the element has content beside `type` and `primary`. */
export function hasContent(element: JsonObject): boolean {
  return Object.entries(element).some(
    ([name, value]) => name !== 'type' && name !== 'primary' && value !== null && value !== '',
  );
}

/** The element without its cleared parts. */
export function withoutNulls(element: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(element).filter(([, value]) => value !== null));
}

/** The list with each element once: of those with the same value for the same use, the later ones add their other parts. */
export function mergeElements(rule: AttributeRule, elements: readonly JsonObject[]): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const element of elements) {
    const { content, use } = toIdentity(rule, element);
    const key = JSON.stringify([content, use]);
    merged.set(key, { ...merged.get(key), ...element });
  }
  return [...merged.values()];
}

/** What tells an element from others of its list. */
export interface Identity {
  /** Its value or, without one (addresses), all but `type` and `primary`. */
  readonly content: string;
  /** Its `type`; empty: it names none. */
  readonly use: string;
}

/** What tells this element from others of its list. */
export function toIdentity(rule: AttributeRule, element: JsonObject): Identity {
  const { value, type, primary: _, ...parts } = element;
  const use = typeof type === 'string' ? toCompared(type) : '';
  if (typeof value === 'string') return { content: toValueContent(rule, value), use };
  const sorted = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  return { content: JSON.stringify(sorted), use };
}

/** The content of an element with this value. */
export function toValueContent({ subAttributes }: AttributeRule, value: string): string {
  const isExact = subAttributes.get('value')?.caseExact ?? true;
  return `=${isExact ? value : toCompared(value)}`;
}

/** Characters of a longer text are compared as they are: no provider has one in another case. */
const FOLDED_LENGTH_MAX = 10_000;

function toCompared(text: string): string {
  return text.length > FOLDED_LENGTH_MAX ? text : foldCase(text);
}
