import type { Filter } from './tree.ts';

/** The ids of `value eq "x" or value eq "y"`; undefined for any other filter of a list of users. */
export function listIds(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const ids = filter.parts.map(listIds);
    return ids.includes(undefined) ? undefined : ids.flatMap((some) => some ?? []);
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return undefined;
  const { target, literal } = filter;
  return target.rule.name === 'value' && typeof literal === 'string' ? [literal] : undefined;
}
