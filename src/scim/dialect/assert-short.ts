import { foldCase } from '../../domain/fold.ts';
import type { JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Filter } from '../filter/tree.ts';

/**
 * Most characters of an indexed value, as it was sent and as it is compared: folded, a text can be three times as
 * long. An index of PostgreSQL takes 2,704 bytes at most.
 */
const INDEXED_LENGTH_MAX = 512;

const INDEXED: ReadonlySet<string> = new Set(['userName', 'displayName', 'externalId', 'emails']);

/**
 * Stops names that no index can hold, the same ones on every store.
 * @param attribute canonical name; a list stands for the values of its elements
 * @throws ScimError 400 `invalidValue`
 */
export function assertShort(attribute: string, value: JsonValue | undefined): void {
  if (typeof value !== 'string' || !INDEXED.has(attribute) || isShort(value)) return;
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

function isShort(text: string): boolean {
  if (text.length > INDEXED_LENGTH_MAX) return false;
  return text.length * 3 <= INDEXED_LENGTH_MAX || foldCase(text).length <= INDEXED_LENGTH_MAX;
}
