import { invalidValue } from '../errors.ts';

/** Characters of what is looked up by an index; PostgreSQL's take no more than 2,704 bytes. */
const INDEXED_LENGTH_MAX = 512;

const INDEXED: ReadonlySet<string> = new Set(['userName', 'displayName', 'externalId', 'emails']);

/**
 * Keeps out names that no index could hold.
 * @param attribute canonical name; a list stands for the values of its elements
 * @throws ScimError 400 `invalidValue`
 */
export function assertShort(attribute: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= INDEXED_LENGTH_MAX) return;
  if (!INDEXED.has(attribute)) return;
  throw invalidValue(`${attribute} is longer than ${INDEXED_LENGTH_MAX} characters.`);
}
