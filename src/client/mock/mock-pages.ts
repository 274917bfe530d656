import type { Operation } from '../../upstream/operations/operation.ts';
import { isNamed, type Named } from '../../upstream/operations/part.ts';

/** Most entries of a page when none is asked for, as the service has it. */
const PAGE_SIZE = 100;

/** Cuts the asked page out of all entries of a list; any other content stays as it is. */
export function cutPage(operation: Operation | undefined, query: Named, content: unknown): unknown {
  switch (operation?.paging) {
    case 'offset':
      return Array.isArray(content) ? slice(content, query, toCount(query.offset, 0)) : content;
    case 'start-position':
      return cutPositioned(query, content);
    case 'last-user-id':
      return cutBehind(query, content);
    case 'start-index':
      return cutResources(query, content);
    default:
      return content;
  }
}

function cutPositioned(query: Named, content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  if (query.version !== 2) return slice(content, query, toCount(query.offset, 0));
  const start = toCount(Number(query.start_position ?? 0), 0);
  const result = slice(content, query, start);
  return { result, position: result.length === 0 ? null : String(start + result.length) };
}

function cutBehind(query: Named, content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const entries: unknown[] = content;
  const last = entries.findIndex((entry) => isNamed(entry) && entry.id === query.last_user_id);
  return slice(entries, query, last + 1);
}

function cutResources(query: Named, content: unknown): unknown {
  if (!isNamed(content) || !Array.isArray(content.Resources)) return content;
  const all: unknown[] = content.Resources;
  const startIndex = toCount(query.startIndex, 1);
  const count = toCount(query.count, PAGE_SIZE);
  const Resources = all.slice(startIndex - 1, startIndex - 1 + count);
  return {
    totalResults: all.length,
    startIndex,
    itemsPerPage: Resources.length,
    ...content,
    Resources,
  };
}

function slice(entries: readonly unknown[], { limit }: Named, start: number): unknown[] {
  return entries.slice(start, start + toCount(limit, PAGE_SIZE));
}

function toCount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
}
