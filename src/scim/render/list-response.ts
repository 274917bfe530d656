import type { JsonObject } from '../../domain/json.ts';

/** One page of a list. */
export interface ListPage {
  /** How many there are in all pages together. */
  readonly totalResults: number;
  /** The place of the first resource of this page, from 1. */
  readonly startIndex: number;
  readonly resources: readonly JsonObject[];
}

/** The answer to a list or search. `itemsPerPage` is the number returned, not the number asked for. @see RFC 7644 §3.4.2 */
export function toListResponse({ totalResults, startIndex, resources }: ListPage): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}
