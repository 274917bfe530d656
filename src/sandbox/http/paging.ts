import { Refusal } from '../refusal.ts';
import type { SandboxList, SandboxShape } from '../shape.ts';

/** A part of a list. */
export interface Page {
  /** Items before it; 0 is the first. */
  readonly offset: number;
  /** The most items in it. */
  readonly limit: number;
}

/**
 * The page that `startIndex` (from 1) and `count` ask for in a SCIM list.
 * @throws Refusal 400 when either is no integer. @see RFC 7644 §3.4.2.4
 */
export function parseScimPage(
  query: URLSearchParams,
  list: SandboxList,
  shape: SandboxShape,
): Page & { readonly startIndex: number } {
  const startIndex = Math.max(1, parseInteger(query, 'startIndex') ?? 1);
  const { default: fallback, max } = shape.pages[list];
  const count = Math.max(0, parseInteger(query, 'count') ?? fallback);
  const offset = shape.offsetIgnoredBy.includes(list) ? 0 : startIndex - 1;
  return { startIndex, offset, limit: Math.min(count, max ?? count) };
}

/** The page that `limit` and `offset` ask for in a REST list; a limit of 0 is the default. @throws Refusal 400 when either is no integer. */
export function parseRestPage(
  query: URLSearchParams,
  list: SandboxList,
  shape: SandboxShape,
): Page {
  const { default: fallback, max } = shape.pages[list];
  const asked = Math.max(0, parseInteger(query, 'limit') ?? 0) || fallback;
  const offset = Math.max(0, parseInteger(query, 'offset') ?? 0);
  return {
    offset: shape.offsetIgnoredBy.includes(list) ? 0 : offset,
    limit: Math.min(asked, max ?? asked),
  };
}

/** The items of one page. */
export function cutPage<Item>(items: readonly Item[], { offset, limit }: Page): Item[] {
  return items.slice(offset, offset + limit);
}

/** True for a flag that is present and not `false` or `0`. */
export function hasFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

/** An integer of the query, or undefined when absent. @throws Refusal 400 for anything else. */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal('bad-request', `${name} should be integer`);
  return Number(text);
}
