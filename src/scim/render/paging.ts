import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { foldCase, isJsonObject } from '../../domain/values.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { findTarget } from '../filter/parse-filter.ts';
import type { FilterTarget } from '../filter/tree.ts';
import { toLeaf, toMoment } from '../filter/tree.ts';
import type { QueryParameters } from '../http/address.ts';
import type { ResourceSchema } from '../schema/resource-schemas.ts';

/** How many resources a list holds when the request names no `count`. */
export const PAGE_SIZE = 100;
/** The most resources that one page of a list holds, whatever `count` says. */
export const PAGE_SIZE_MAX = 1_000;

/** Place of a resource in a list. */
export interface Place {
  readonly seq: number;
  /** Value that the list is sorted by; absent: it is in order of creation. */
  readonly key?: SortKey;
}

/** Part of a list that is asked for. */
export interface Part {
  readonly offset: number;
  /** The place behind which the part begins; undefined: at the offset. */
  readonly after: Place | undefined;
  /** 0 asks for the total alone. */
  readonly limit: number;
}

/** A page that a request asks for. */
export interface Page extends Part {
  /** Makes the text before its resources; `]}` ends the list. `next`: the place behind which the next page begins. */
  open(found: {
    readonly total: number;
    readonly count: number;
    readonly next: Place | undefined;
  }): string;
}

/** True when the request asks for pages by cursor, even by an empty one. */
export function hasCursor({ cursor }: QueryParameters): boolean {
  return cursor !== undefined && cursor !== null;
}

/** The page that a request asks for, by cursor or by number. @throws ScimError 400 @see RFC 7644 §3.4.2, §3.4.2.4; RFC 9865 §2 */
export function parsePage(query: QueryParameters, endpoint: string): Page {
  if (hasCursor(query)) {
    const count = isAbsent(query.count) ? PAGE_SIZE : (toWholeNumber(query.count) ?? 0);
    if (count < 1) {
      throw badRequest('invalidCount', 'count is not a whole number of at least 1.');
    }
    return {
      offset: 0,
      after: parseCursor(query, endpoint),
      limit: Math.min(count, PAGE_SIZE_MAX),
      open({ total: totalResults, count: itemsPerPage, next }) {
        const nextCursor = next && toCursor(next, query, endpoint);
        return openList({ totalResults, itemsPerPage, nextCursor });
      },
    };
  }
  const startIndex = Math.max(parseWhole(query.startIndex, 'startIndex') ?? 1, 1);
  const count = parseWhole(query.count, 'count') ?? PAGE_SIZE;
  return {
    offset: startIndex - 1,
    after: undefined,
    limit: Math.min(Math.max(count, 0), PAGE_SIZE_MAX),
    open: ({ total, count: itemsPerPage }) =>
      openList({ totalResults: total, startIndex, itemsPerPage }),
  };
}

function openList(counts: Readonly<Record<string, number | string | undefined>>): string {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  return `${JSON.stringify({ schemas, ...counts }).slice(0, -1)},"Resources":[`;
}

const CURSOR_LENGTH_MAX = 4_096;

/** A place in a list as text. It holds everything that the next page needs, so it never expires and any process can follow it. */
function toCursor({ seq, key }: Place, query: QueryParameters, endpoint: string): string {
  const parts = [toMark(query, endpoint), seq, ...(key === undefined ? [] : [key])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** undefined: the empty one, which asks for the first page. @throws ScimError 400 `invalidCursor`: not one of ours, or one of another query */
function parseCursor(query: QueryParameters, endpoint: string): Place | undefined {
  const { cursor } = query;
  if (cursor === '') return undefined;
  const [mark, seq, key, ...others] = parseParts(cursor);
  const isPlace = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  if (isPlace && others.length === 0 && mark === toMark(query, endpoint)) {
    if (key === undefined) return { seq };
    if (typeof key === 'string' || typeof key === 'number') return { seq, key };
  }
  throw badRequest('invalidCursor', OTHER_CURSOR);
}

const OTHER_CURSOR =
  'The cursor is none that this list has given out: leave it empty for the first page, then send nextCursor with the same query.';

function parseParts(cursor: unknown): unknown[] {
  const isText = typeof cursor === 'string' && cursor.length <= CURSOR_LENGTH_MAX;
  if (!isText || !/^[\w-]+$/.test(cursor)) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw badRequest('invalidCursor', OTHER_CURSOR, error);
  }
}

/** Mark of the list and its order. The size of a page is left out, so that it may change on the way. */
function toMark({ filter, sortBy, sortOrder }: QueryParameters, endpoint: string): string {
  const text = JSON.stringify([endpoint, filter ?? '', sortBy ?? '', sortOrder ?? '']);
  return hash('sha256', text, 'base64url').slice(0, 12);
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

/** Order of a list, by the value of its target. */
export interface Sorting extends FilterTarget {
  readonly descending: boolean;
}

/** Value that a resource is sorted by; undefined: it has no such value. */
export type SortKey = string | number | undefined;

/** Reads `sortBy` and `sortOrder`; an unknown attribute sorts nothing: undefined. @throws ScimError 400 `invalidValue` @see RFC 7644 §3.4.2.3 */
export function parseSorting(query: QueryParameters, schema: ResourceSchema): Sorting | undefined {
  const sortBy = parseText(query.sortBy, 'sortBy');
  const order = parseText(query.sortOrder, 'sortOrder').toLowerCase() || 'ascending';
  if (order !== 'ascending' && order !== 'descending') {
    throw invalidValue('sortOrder is neither ascending nor descending.');
  }
  const target = findTarget(schema, sortBy);
  const leaf = target && toLeaf(target);
  return leaf && { ...leaf, descending: order === 'descending' };
}

const SORTED_LENGTH_MAX = 200;

/** Sort value of a resource: of a list its primary value, else its first; of a long text the beginning, folded where case does not count. */
export function toSortKey(resource: JsonObject, { keys, rule }: Sorting): SortKey {
  let value: JsonValue | undefined = resource;
  for (const key of keys) {
    value = pick(isJsonObject(value) ? value[key] : undefined);
  }
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (rule.type === 'dateTime') return toMoment(value);
  const text = value.slice(0, SORTED_LENGTH_MAX);
  return rule.caseExact ? text : foldCase(text);
}

/** Compares two keys for `Array.sort`: without a value last, and first when descending. */
export function compareSortKeys(a: SortKey, b: SortKey, { descending }: Sorting): number {
  if (a === b) return 0;
  const isBefore = b === undefined || (a !== undefined && a < b);
  return isBefore === descending ? 1 : -1;
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
