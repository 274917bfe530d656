import { findPart } from '../dialect/parse-body.ts';
import type { Repairs } from '../repairs.ts';

/** The parameters of a list, a search or an answer, as texts of a query or values of a search body. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Names of parameters. @see RFC 7644 §3.4.2, §3.4.3, §3.9; RFC 9865 §2 */
const NAMES = [
  ...['filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'cursor'],
  ...['attributes', 'excludedAttributes'],
] as const;

/**
 * The parameters that are known here, by their names in any case: a filter that is overlooked finds everybody. One that
 * is spelt right goes before others.
 */
export function toParameters(given: QueryParameters, repairs: Repairs): QueryParameters {
  const parameters: Record<string, unknown> = {};
  if (Object.keys(given).length === 0) return parameters;
  for (const name of NAMES) {
    const value = findPart(given, name, repairs);
    if (value !== undefined) parameters[name] = value;
  }
  return parameters;
}
