import type { AccessQuery } from '../../store/tokens.ts';
import { parseListQuery, parseSeq } from '../list-query.ts';

/** The filters of the lists of tokens and clients. */
export const ACCESS_FILTERS = { state: ['live', 'revoked'] } as const;

/** Which part of such a list is asked for. @throws InvalidRequest */
export function parseAccessQuery(query: Readonly<Record<string, unknown>>): AccessQuery {
  const { limit, cursor, filters } = parseListQuery(query, ACCESS_FILTERS);
  const state = ACCESS_FILTERS.state.find((one) => one === filters.state);
  return { state, beforeSeq: parseSeq(cursor, Number.MAX_SAFE_INTEGER), limit };
}
