import { INDEXED_LENGTH_MAX, isIndexable } from '../../domain/fold.ts';
import type { JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Filter } from '../filter/tree.ts';

const INDEXED: ReadonlySet<string> = new Set(['userName', 'displayName', 'externalId', 'emails']);

/**
 * Stops names that no index can hold, the same ones on every store.
 * @param attribute canonical name; a list stands for the values of its elements
 * @throws ScimError 400 `invalidValue`
 */
export function assertShort(attribute: string, value: JsonValue | undefined): void {
  if (typeof value !== 'string' || !INDEXED.has(attribute) || isIndexable(value)) return;
  throw invalidValue(`${attribute} is longer than ${INDEXED_LENGTH_MAX} characters.`);
}

/** `assertShort` for the values that a filter names, because an element of the list may be made of them. */
export function assertShortFilter(attribute: string, filter: Filter): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const part of filter.parts) assertShortFilter(attribute, part);
      break;
    case 'compare':
      assertShort(attribute, filter.literal);
      break;
    default:
  }
}
