import { createReader } from './reader.ts';

/** One page of getUsers or getGroups (RFC 7644 §3.4.2). @throws UpstreamError `unreadable` */
export function parseScimList(body: unknown) {
  const reader = createReader('SCIM list', body);
  /** Undefined when the service does not say. */
  const total = reader.integerOrUndefined('totalResults');
  const items = reader.list('Resources');
  // RFC 7644 allows an empty list without Resources; anything else without it is not a list.
  if (items === undefined && total !== 0) throw reader.fail('Resources', 'a list');
  return { items: items ?? [], total };
}
