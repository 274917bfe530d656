import { unreadable } from './errors.ts';
import type { ListProgress, PageContent } from './list-progress.ts';
import type { PagedOperation, Paging } from './operations/operation.ts';
import { isNamed, type Named } from './operations/part.ts';
import { parseEntries, toInteger } from './shapes/reader.ts';
import { parseScimList } from './shapes/scim-list.ts';

/** Query parameters that choose the page; they belong to the code that reads page by page. */
export const pagingParameters = {
  'start-index': ['startIndex', 'count'],
  offset: ['offset', 'limit'],
  'last-user-id': ['last_user_id', 'limit'],
  'start-position': ['start_position', 'offset', 'limit'],
} as const satisfies Readonly<Record<Paging, readonly string[]>>;

/** Start of the next page, in the form that the list takes. @param query the other parameters. */
export function toPlace(paging: Paging, query: Named, progress: ListProgress): Named {
  const { offset: position, after, pageSize: limit } = progress;
  switch (paging) {
    case 'start-index':
      return { startIndex: position + 1, count: limit };
    case 'offset':
      return { offset: position, limit };
    case 'last-user-id':
      return after === undefined ? { limit } : { last_user_id: after, limit };
    case 'start-position':
      if (after !== undefined) return { start_position: after, limit };
      // Only version 2 has positions, and it begins without one.
      return query.version === 2 && position === 0 ? { limit } : { offset: position, limit };
  }
}

/** One page of an answer. @throws UpstreamError `unreadable` when it is none, or lacks the start of the next one. */
export function parsePage({ id, paging }: PagedOperation, body: unknown): PageContent {
  if (paging === 'start-index') return parseScimList(body);
  if (paging === 'start-position' && isNamed(body)) return parsePositionedPage(id, body);
  const items = parseEntries(id, body);
  const page = { items, total: undefined };
  return paging === 'last-user-id' ? { ...page, next: findLastId(id, items) } : page;
}

function parsePositionedPage(id: string, { result, position = null }: Named): PageContent {
  if (!Array.isArray(result)) throw unreadable(id, 'is not a list, nor an object with one');
  const isPlace = position === null || typeof position === 'string' || typeof position === 'number';
  if (!isPlace) throw unreadable(id, 'position is not text');
  // In the type of the parameter.
  const next = position === null || position === '' ? null : String(position);
  return { items: result, total: undefined, next };
}

function findLastId(id: string, items: readonly unknown[]): number | undefined {
  if (items.length === 0) return undefined;
  const last = items.at(-1);
  const lastId = toInteger(isNamed(last) ? last.id : undefined);
  if (lastId === undefined) throw unreadable(id, 'the last entry has no id to go on from');
  return lastId;
}
