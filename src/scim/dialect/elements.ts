import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

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

/** Use of an element of a list; empty: it names none. */
export function toUse({ type }: JsonObject): string {
  return typeof type === 'string' ? toCompared(type) : '';
}

/** Content of an element without its use: its value or, without one (addresses), all but `type` and `primary`. */
export function toContent(rule: AttributeRule, element: JsonObject): string {
  const { value, type: _, primary: __, ...parts } = element;
  if (typeof value === 'string') return toValueContent(rule, value);
  const sorted = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted);
}

/** `toContent` of an element with this value. */
export function toValueContent({ subAttributes }: AttributeRule, value: string): string {
  const isExact = subAttributes.get('value')?.caseExact ?? true;
  return `=${isExact ? value : toCompared(value)}`;
}

/** Characters of a longer text are compared as they are: no provider has one in another case. */
const FOLDED_LENGTH_MAX = 10_000;

function toCompared(text: string): string {
  return text.length > FOLDED_LENGTH_MAX ? text : foldCase(text);
}

/** Characters that cost about as much as the rest of an element. */
export const CHARACTERS_A_UNIT = 16;

/** Units of work of one look at an element. */
export function weigh(element: JsonObject): number {
  let characters = 0;
  for (const part of Object.values(element)) {
    if (typeof part === 'string') characters += part.length;
  }
  return 1 + Math.floor(characters / CHARACTERS_A_UNIT);
}
