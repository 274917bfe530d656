import type { Access } from '../../access/access.ts';
import { duration } from '../../settings/kinds.ts';
import type { AccessQuery, TokenRow } from '../../store/credentials/tokens.ts';
import { InvalidRequest } from '../http/errors.ts';
import { type ListQuery, NEWEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import type { ACCESS_FILTERS } from '../lists/access.ts';

/** The credentials that operators keep. */
export type AccessSource = Pick<Access, 'providers' | 'tokens' | 'clients' | 'sessions'>;

/** Dependencies of requests about credentials. */
export interface AccessNeeds {
  readonly access: AccessSource;
}

/** A page of tokens or clients, the newest first. @throws InvalidRequest for a cursor that is no number */
export function readAccessList<Row extends { readonly seq: number }, Item>(
  query: ListQuery<typeof ACCESS_FILTERS>,
  list: (query: AccessQuery) => Promise<readonly Row[]>,
  toItem: (row: Row) => Item,
) {
  const { state } = query.filters;
  const read = ({ from: beforeSeq, limit }: PartQuery) => list({ state, beforeSeq, limit });
  return readList(query, NEWEST, read, toItem);
}

/** The lifetime that a credential may have, as durations. */
interface Lifetime {
  readonly min: string;
  readonly max: string;
  readonly otherwise: string;
}

/** The lifetime of a credential or an assertion, in milliseconds. @throws InvalidRequest */
export function parseLifetime(
  expires: string | undefined,
  limits: Lifetime,
  name = 'expires',
): number {
  const { min, max, otherwise } = limits;
  const parsed = duration({ min, max }).safeParse(expires ?? otherwise);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`${name} is a duration from ${min} to ${max}, such as ${otherwise}.`);
}

/** The times of a token, a client or a secret as an operator is shown them. */
export function toLifeView(
  row: Pick<TokenRow, 'created_at' | 'created_by' | 'last_used_at' | 'revoked_at'>,
) {
  return {
    createdAt: toMoment(row.created_at),
    createdBy: row.created_by,
    lastUsedAt: toMoment(row.last_used_at),
    revokedAt: toMoment(row.revoked_at),
  };
}
