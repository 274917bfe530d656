import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { assertNever, foldCase, isJsonObject } from '../../domain/values.ts';
import type { CompareOp, Comparison, Filter, FilterTarget } from './tree.ts';
import { toMoment } from './tree.ts';

type Fold = (text: string) => string;

/** True when the resource fulfils the filter: a list does when one of its values does. @param fold one that remembers (`createFolds`) where comparisons are many @see RFC 7644 §3.4.2.2 */
export function matches(filter: Filter, resource: JsonObject, fold: Fold = foldCase): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, resource, fold));
    case 'or':
      return filter.parts.some((part) => matches(part, resource, fold));
    case 'not':
      return !matches(filter.part, resource, fold);
    case 'some':
      return someValue(
        resource,
        filter.target,
        (value) => value !== null && matches(filter.part, toElement(value), fold),
      );
    case 'present':
      return someValue(resource, filter.target, isAssigned);
    case 'compare':
      return compares(filter, resource, fold);
    case 'nothing':
      return false;
    default:
      return assertNever(filter);
  }
}

/** An element of a list: a value without parts is its own `value`. */
export const toElement = (value: JsonValue): JsonObject =>
  isJsonObject(value) ? value : { value };

/** True when the value is assigned: null, an empty text, and an object or list without any value are not. */
function isAssigned(value: JsonValue): boolean {
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.values(value).some(isAssigned);
}

function compares(comparison: Comparison, resource: JsonObject, fold: Fold): boolean {
  const { target, op } = comparison;
  // Without `primary` a value is not the preferred one (RFC 7643 §2.4).
  const missing = target.rule.name === 'primary' ? false : null;
  if (someValue(resource, target, (value) => test(comparison, value, fold), missing)) return true;
  return op === 'ne' && !someValue(resource, target, isAssigned, missing);
}

function test({ target: { rule }, op, comparable }: Comparison, value: JsonValue, fold: Fold) {
  if (typeof comparable === 'number') {
    const number = rule.type === 'dateTime' ? toMoment(String(value)) : value;
    return typeof number === 'number' && TESTS[op](number, comparable);
  }
  if (typeof comparable === 'boolean') {
    return typeof value === 'boolean' && (op === 'ne') === (value !== comparable);
  }
  if (typeof value !== 'string') return false;
  return TESTS[op](rule.caseExact ? value : fold(value), comparable);
}

type Test = <Value extends string | number>(value: Value, comparable: Value) => boolean;

const TESTS: Readonly<Record<CompareOp, Test>> = {
  eq: (value, comparable) => value === comparable,
  ne: (value, comparable) => value !== comparable,
  gt: (value, comparable) => value > comparable,
  ge: (value, comparable) => value >= comparable,
  lt: (value, comparable) => value < comparable,
  le: (value, comparable) => value <= comparable,
  co: (value, comparable) => String(value).includes(String(comparable)),
  sw: (value, comparable) => String(value).startsWith(String(comparable)),
  ew: (value, comparable) => String(value).endsWith(String(comparable)),
};

/** @param missing stands for the value of an element that lacks the attribute */
function someValue(
  resource: JsonObject,
  { keys }: FilterTarget,
  accepts: (value: JsonValue) => boolean,
  missing: JsonValue = null,
): boolean {
  return walk(resource, 0);

  function walk(value: JsonValue | undefined, depth: number): boolean {
    if (Array.isArray(value)) return value.some((item) => walk(item, depth));
    const key = keys[depth];
    if (key !== undefined) return isJsonObject(value) && walk(value[key], depth + 1);
    return accepts(value ?? missing);
  }
}
