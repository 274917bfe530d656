import { foldCase } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { findRule } from '../schema/attribute-table.ts';
import { findAttribute, type ResourceSchema } from '../schema/resource-schemas.ts';

/** Order of a list. */
export interface Sorting {
  /** Property names that lead to the value. */
  readonly keys: readonly string[];
  readonly rule: AttributeRule;
  readonly descending: boolean;
}

/** Value that a resource is sorted by; undefined: it has no such value. */
export type SortKey = string | number | undefined;

/**
 * Reads `sortBy` and `sortOrder`. An attribute that no schema has sorts nothing: undefined.
 * @throws ScimError 400 `invalidValue`: not a text, or an unknown order
 * @see RFC 7644 §3.4.2.3
 */
export function parseSorting(
  query: { readonly sortBy?: unknown; readonly sortOrder?: unknown },
  schema: ResourceSchema,
): Sorting | undefined {
  const sortBy = parseText(query.sortBy, 'sortBy');
  const order = parseText(query.sortOrder, 'sortOrder').toLowerCase() || 'ascending';
  if (order !== 'ascending' && order !== 'descending') {
    throw invalidValue('sortOrder is neither ascending nor descending.');
  }
  const path = findAttribute(schema, sortBy);
  if (!path) return undefined;
  const rule = path.sub ?? path.attribute;
  const descending = order === 'descending';
  if (rule.type !== 'complex') return { keys: path.keys, rule, descending };
  const value = findRule(rule.subAttributes, 'value');
  return value && { keys: [...path.keys, value.name], rule: value, descending };
}

/** Characters by which texts are sorted. */
const SORTED_LENGTH_MAX = 1_000;

/**
 * Sort value of a resource: of a list its primary value, else its first. Of a long text it is the beginning. Texts are
 * folded where case does not count.
 */
export function toSortKey(resource: JsonObject, { keys, rule }: Sorting): SortKey {
  let value: JsonValue | undefined = resource;
  for (const key of keys) {
    value = pick(isJsonObject(value) ? value[key] : undefined);
  }
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (rule.type === 'dateTime') return Date.parse(value);
  const text = value.slice(0, SORTED_LENGTH_MAX);
  return rule.caseExact ? text : foldCase(text);
}

/** Compares two keys for `Array.sort`: without a value last, and first when descending. */
export function compareSortKeys(a: SortKey, b: SortKey, { descending }: Sorting): number {
  const order = compareAscending(a, b);
  return descending ? -order : order;
}

function compareAscending(a: SortKey, b: SortKey): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}

function pick(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return value.find((item) => isJsonObject(item) && item.primary === true) ?? value[0];
}

function parseText(value: unknown, parameter: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  throw invalidValue(`${parameter} is not a text.`);
}
