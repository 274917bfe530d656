import { sql } from 'kysely';
import { readInChunks, select } from '../engine/dialect.ts';
import { listRows } from '../resources/rows.ts';
import type { Db } from '../store.ts';
import { listWhere, type Row } from '../tables.ts';
import type { RequestRow } from './requests.ts';

/** Subject of a timeline. */
export interface PastQuery {
  /** The SCIM id. */
  readonly id: string;
  /** The id of a user's account, by which groups name it; undefined: it has none, or it is a group. */
  readonly accountId: string | undefined;
  readonly limit: number;
}

/** A change of the ledger. */
export type PastCall = Row<'own_calls'>;

/** The newest changes that the bridge made of a user or group, those of a user's place in groups among them. */
export async function listCallsOf(
  db: Db,
  { id, accountId, limit }: PastQuery,
): Promise<PastCall[]> {
  const newest = { order: 'at desc', limit } as const;
  const own = await listWhere(db, 'own_calls', { resource_id: id }, newest);
  if (accountId === undefined) return own;
  return [...own, ...(await listWhere(db, 'own_calls', { member_id: accountId }, newest))];
}

/** Places of a user in groups whose requests are looked for. */
const PLACES_MAX = 50;

/**
 * Finds the request behind each of a user's newest memberships and admin rights: the last one before the call of the
 * bridge, or so far, that wrote that list of the group.
 */
export async function listRequestsForPlaces(
  db: Db,
  { id, accountId, limit }: PastQuery,
): Promise<RequestRow[]> {
  const requests: RequestRow[] = [];
  for (const { groupId, list, until } of await listPlaces(db, { id, accountId, limit })) {
    const rows = await select<RequestRow>(db)`select * from requests
      where resource_id = ${groupId} and at <= ${until} and status < 400
      and written like ${`%${list}%`} order by seq desc limit 1`;
    requests.push(...rows);
  }
  return requests;
}

interface Place {
  readonly groupId: string;
  readonly list: 'members' | 'admins';
  readonly until: number;
}

async function listPlaces(db: Db, past: PastQuery): Promise<Place[]> {
  const calls = await listCallsOf(db, { ...past, limit: Math.min(past.limit, PLACES_MAX) });
  const called = calls.flatMap(({ kind, resource_id, at }): Place[] => {
    const isPlace = resource_id !== past.id && /^(member|admin)\./.test(kind);
    const list = kind.startsWith('admin.') ? 'admins' : 'members';
    return isPlace ? [{ groupId: resource_id, list, until: at }] : [];
  });
  const rows = await select<Omit<Place, 'until'>>(db)`
    select home.id as "groupId", link.list || 's' as list
    from resources as person join links as link on link.target = person.seq join resources as home on home.seq = link.group_id
    where person.id = ${past.id} and (link.pending is not null or link.stuck_at is not null)
    limit ${PLACES_MAX}`;
  return [...called, ...rows.map((row) => ({ ...row, until: Number.MAX_SAFE_INTEGER }))];
}

/** The newest drifts of a user or group. */
export async function listDriftsOf(db: Db, { id, limit }: PastQuery): Promise<Row<'drifts'>[]> {
  // The index of members leaves out drifts without a member, which are many.
  return select<Row<'drifts'>>(db)`
    select * from (select * from drifts where resource_id = ${id}
      union all select * from drifts where member_id = ${id} and member_id <> '') as past
    order by first_seen_at desc limit ${limit}`;
}

/** The userName or displayName of each of these users and groups, deleted ones too. */
export async function listNames(db: Db, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const named = await readInChunks(
    [...ids],
    (some) =>
      select<{ id: string; name: string }>(db)`
      select id, name from resources where id in (${sql.join(some)})`,
  );
  return new Map(named.map(({ id, name }) => [id, name]));
}

/** The SCIM ids of the users who have these accounts. */
export async function listUserIds(
  db: Db,
  accountIds: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const numbers = [...accountIds].filter((id) => /^\d{1,15}$/.test(id)).map(Number);
  const found = await listRows(db, 'user', { upstream_id: numbers }, { order: 'seq' });
  return new Map(found.map(({ id, upstream_id }) => [String(upstream_id), id]));
}
