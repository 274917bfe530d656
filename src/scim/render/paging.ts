import { foldCase } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { badRequest, invalidValue } from '../errors.ts';
import {
  type AttributeRule,
  findAttribute,
  findRule,
  type ResourceSchema,
} from '../schema/resource-schemas.ts';

/** How many resources a list holds when the request names no `count`. */
export const PAGE_SIZE = 100;
/** The most resources that one page of a list holds, whatever `count` says. */
export const PAGE_SIZE_MAX = 1_000;

/** Part of a list that is asked for. */
export interface Paging {
  /** The place of the first resource, from 1. */
  readonly startIndex: number;
  /** Most resources of the page; 0 asks for the total alone. */
  readonly count: number;
}

/**
 * Reads `startIndex` and `count`, texts of a query or numbers of a search body. Below 1 `startIndex`
 * is 1, below 0 `count` is 0; empty means not given.
 * @throws ScimError 400 `invalidValue`: not a whole number
 * @see RFC 7644 §3.4.2.4
 */
export function parsePaging(query: {
  readonly startIndex?: unknown;
  readonly count?: unknown;
}): Paging {
  const startIndex = parseWhole(query.startIndex, 'startIndex') ?? 1;
  const count = parseWhole(query.count, 'count') ?? PAGE_SIZE;
  return {
    startIndex: Math.max(startIndex, 1),
    count: Math.min(Math.max(count, 0), PAGE_SIZE_MAX),
  };
}

/**
 * Reads the `count` of a page that a cursor points at; more than the limit is the limit.
 * @throws ScimError 400 `invalidCount`: not a whole number of at least 1
 * @see RFC 9865 §2.1
 */
export function parseCursorCount(value: unknown): number {
  if (isAbsent(value)) return PAGE_SIZE;
  const count = toWholeNumber(value) ?? 0;
  if (count >= 1) return Math.min(count, PAGE_SIZE_MAX);
  throw badRequest('invalidCount', 'count is not a whole number of at least 1.');
}

function parseWhole(value: unknown, parameter: string): number | undefined {
  if (isAbsent(value)) return undefined;
  const whole = toWholeNumber(value);
  if (whole === undefined) throw invalidValue(`${parameter} is not a whole number.`);
  return whole;
}

/** True for a parameter that is not given, or is empty. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A whole number, also as `1.0`, which some programs write. */
const WHOLE = /^\s*[+-]?\d+(?:\.0+)?\s*$/;

/** The whole number of a text or number, at least -1; undefined: it is none. */
export function toWholeNumber(value: unknown): number | undefined {
  const isWhole =
    typeof value === 'number'
      ? Number.isInteger(value)
      : typeof value === 'string' && WHOLE.test(value);
  // Beyond what is exact there are no resources anyway, and databases take no more.
  return isWhole ? Math.min(Math.max(Number(value), -1), Number.MAX_SAFE_INTEGER) : undefined;
}

/** One page of a list. */
interface ListPage {
  /** Number of resources in all pages together. */
  readonly totalResults: number;
  /** The place of the first resource of this page, from 1. */
  readonly startIndex: number;
  readonly resources: readonly JsonObject[];
}

/** The answer to a list or search. `itemsPerPage` is the number returned, not the number asked for. @see RFC 7644 §3.4.2 */
export function toListResponse({ totalResults, startIndex, resources }: ListPage): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

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
