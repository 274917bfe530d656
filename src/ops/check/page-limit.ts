import { findIdText, type ListSample } from './list-sample.ts';

/** The most entries of a page, as far as one page of a list can tell. */
export type PageLimit =
  /** The page was cut at this many: more follow. */
  | { readonly kind: 'limit'; readonly entries: number }
  /** All that were asked for came. */
  | { readonly kind: 'none-seen'; readonly asked: number }
  /** The list has no more than this page. */
  | { readonly kind: 'complete' }
  /** The next page could not be seen. */
  | { readonly kind: 'unknown' };

/** The page limit of a list; pure. A short page alone proves nothing: the next one has to be seen. */
export function toPageLimit(sample: ListSample<unknown>): PageLimit {
  const { items, total, asked } = sample;
  if (items.length >= asked) return { kind: 'none-seen', asked };
  const more = total === undefined ? findMore(sample) : items.length < total;
  if (more === undefined) return { kind: 'unknown' };
  return more && items.length > 0
    ? { kind: 'limit', entries: items.length }
    : { kind: more ? 'unknown' : 'complete' };
}

/** The same in words. */
export function describePageLimit(sample: ListSample<unknown>): string {
  const limit = toPageLimit(sample);
  switch (limit.kind) {
    case 'limit':
      return `a page holds ${limit.entries} at most`;
    case 'none-seen':
      return `no page limit up to ${limit.asked}`;
    case 'complete':
      return 'all on one page';
    case 'unknown':
      return 'what follows the first page could not be seen';
  }
}

/** True when entries follow; undefined when the list could not be asked or begins again, since it ignores the offset. */
function findMore({ raw, after }: ListSample<unknown>): boolean | undefined {
  if (raw.length === 0) return false;
  if (after.kind !== 'seen') return undefined;
  const [next] = after.value;
  if (next === undefined) return false;
  return raw.some((entry) => isSame(entry, next)) ? undefined : true;
}

function isSame(left: unknown, right: unknown): boolean {
  const id = findIdText(left);
  return id !== undefined && id === findIdText(right);
}
