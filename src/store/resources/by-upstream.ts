import { type RawBuilder, sql } from 'kysely';
import type { UpstreamGroupIds } from '../../domain/group.ts';
import type { Db } from '../store.ts';
import { type GroupRow, LIVE, listRows, type RowOf, selectRows, type UserRow } from './rows.ts';

/** The live user that is linked to this account of the service. Unique by index. */
export async function findUserByUpstreamId(
  db: Db,
  upstreamId: number,
): Promise<UserRow | undefined> {
  return (await listRows(db, 'user', { upstream_id: upstreamId, ...LIVE }))[0];
}

/** Lists users linked to this account of the service, the deleted too: the live one first, then the latest. */
export async function listUsersOfAccount(db: Db, upstreamId: number): Promise<UserRow[]> {
  const order = sql`order by case when deleted_at is null then 0 else 1 end, seq desc`;
  return selectRows(db, 'user', sql`upstream_id = ${upstreamId} ${order}`);
}

/** Rows that stand for accounts. */
export interface RowsOfAccounts {
  /** One row an account: the live one where a managed user has the account of a deleted one by now. */
  readonly byAccount: ReadonlyMap<number, UserRow>;
  /** Unmanaged rows of accounts that a deleted user has, stored while that user was linked to the account. */
  readonly doubled: readonly { readonly deleted: UserRow; readonly unmanaged: UserRow }[];
}

/** Finds the rows that stand for these accounts; `lock`: locked until the transaction ends. */
export async function findRowsOfAccounts(
  db: Db,
  ids: readonly number[],
  { lock }: { readonly lock: boolean },
): Promise<RowsOfAccounts> {
  const found = await listRows(db, 'user', { upstream_id: ids });
  return toRowsOfAccounts(lock ? await lockFound(db, 'user', found) : found);
}

/** Reads rows again, locked by what never changes: a row that is deleted meanwhile would be in neither half of a search. */
function lockFound<Type extends 'user' | 'group'>(
  tx: Db,
  type: Type,
  found: readonly { readonly seq: number }[],
): Promise<RowOf<Type>[]> {
  const seqs = [...new Set(found.map(({ seq }) => seq))].toSorted((a, b) => a - b);
  return listRows(tx, type, { seq: seqs }, { order: 'seq', lock: true });
}

function toRowsOfAccounts(found: readonly UserRow[]): RowsOfAccounts {
  const byAccount = new Map<number, UserRow>();
  const doubled: { deleted: UserRow; unmanaged: UserRow }[] = [];
  const { live = [], deleted = [] } = Object.groupBy(found, ({ deleted_at }) =>
    deleted_at === null ? 'live' : 'deleted',
  );
  for (const row of [...deleted, ...live]) {
    if (row.upstream_id === null) continue;
    const other = byAccount.get(row.upstream_id);
    const isUnmanaged = row.deleted_at === null && row.origin === null;
    if (isUnmanaged && other && other.origin !== null) {
      doubled.push({ deleted: other, unmanaged: row });
    } else byAccount.set(row.upstream_id, row);
  }
  return { byAccount, doubled };
}

/** The group, live or deleted, that stands for a group of the service; the live one first. */
export async function findGroupByUpstream(
  db: Db,
  { scimId, restId, uid }: Partial<UpstreamGroupIds>,
): Promise<GroupRow | undefined> {
  const named = [
    ...(scimId === undefined ? [] : [sql`upstream_scim_id = ${scimId}`]),
    ...(restId === undefined ? [] : [sql`upstream_id = ${restId}`]),
    ...(uid === undefined ? [] : [sql`upstream_uid = ${uid}`]),
  ];
  if (named.length === 0) return undefined;
  const carrying = async (state: RawBuilder<unknown>) => {
    // The condition of the indexes stands beside each id, without which SQLite reads the whole table.
    const conditions = named.map((is) => sql`(type = 'group' and ${state} and ${is})`);
    const isAny = sql.join(conditions, sql` or `);
    return (await selectRows(db, 'group', sql`(${isAny}) order by deleted_at, seq limit 1`))[0];
  };
  return (await carrying(sql`deleted_at is null`)) ?? (await carrying(sql`deleted_at is not null`));
}

/** Ids of the service, of many groups. */
export interface UpstreamGroupIdLists {
  readonly scimIds?: readonly string[];
  readonly restIds?: readonly number[];
  readonly uids?: readonly string[];
}

/** The rows, live or deleted, that carry any of these ids; `lock`: locked in their order until the transaction ends. */
export async function findRowsOfGroups(
  db: Db,
  { scimIds = [], restIds = [], uids = [] }: UpstreamGroupIdLists,
  { lock }: { readonly lock: boolean },
): Promise<GroupRow[]> {
  const found = [
    ...(await listRows(db, 'group', { upstream_scim_id: scimIds })),
    ...(await listRows(db, 'group', { upstream_id: restIds })),
    ...(await listRows(db, 'group', { upstream_uid: uids })),
  ];
  if (lock) return lockFound(db, 'group', found);
  return [...new Map(found.map((row) => [row.seq, row])).values()];
}
