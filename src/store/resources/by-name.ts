import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { GivenKey, UserId } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { parseStored, waits } from '../engine/columns.ts';
import { forUpdate, readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { type GroupRow, LIVE, listRows, type RowOf, selectRows, type UserRow } from './rows.ts';
import { toObservedUser } from './state.ts';

type ResourceType = GivenKey['type'];

/**
 * Live users or groups shown under this name, compared without case (RFC 7643 §4.1.1), in order; at most one of them is
 * managed. `lock`: locked until the transaction ends, so that of two requests at the same time one takes it over.
 */
export async function listByName<Type extends ResourceType>(
  db: Db,
  type: Type,
  nameFolded: string,
  { lock = false } = {},
): Promise<RowOf<Type>[]> {
  return listRows(db, type, { name_folded: nameFolded, ...LIVE }, { order: 'seq', lock });
}

/** Lists tombstones of this name that still stand for a group of the service, newest first. */
export async function listGroupTombstones(db: Db, nameFolded: string): Promise<GroupRow[]> {
  const which = { name_folded: nameFolded, deleted_at: { '<>': null } } as const;
  return listRows(db, 'group', which, { order: 'deleted_at desc' });
}

/** Lists groups with a waiting removal or renaming: their name in the service is about to change or to go. */
export async function listLeavingGroups(db: Db): Promise<GroupRow[]> {
  const isLeaving = sql`(deleted_at is not null or ${waits('cells', 'displayName')})`;
  return selectRows(db, 'group', sql`${waits('cells')} and observed is not null and ${isLeaving}`);
}

/**
 * Lists live users with one of these folded names as the userName or e-mail address of the account: as observed, or, of
 * a managed user, as desired.
 */
export async function listUsersByAccount(db: Db, names: readonly string[]): Promise<UserRow[]> {
  return selectRows(db, 'user', sql`deleted_at is null and ${hasAccountName(names)}`);
}

/** Lists live users with this folded userName, or with one of these names at their account, in no order. */
export async function listUsersByAnyName(
  db: Db,
  userNameFolded: string,
  names: readonly string[],
): Promise<UserRow[]> {
  const isNamed = sql`(name_folded = ${userNameFolded} or ${hasAccountName(names)})`;
  return selectRows(db, 'user', sql`deleted_at is null and ${isNamed}`);
}

function hasAccountName(names: readonly string[]): RawBuilder<SqlBool> {
  const named = sql`(${sql.join(names)})`;
  return sql<SqlBool>`(observed_user_name_folded in ${named} or observed_email_folded in ${named}
    or (address_folded in ${named} and origin is not null))`;
}

/** Folded names that the account of a user has or is to have. */
export function listAccountNames({
  observed_user_name_folded,
  observed_email_folded,
  origin,
  address_folded,
}: UserRow): (string | null)[] {
  const wanted = origin === null ? null : address_folded;
  return [observed_user_name_folded, observed_email_folded, wanted];
}

/** Tombstones that still name an account and carried this userName or hold this address. Newest first. */
export async function listTombstones(
  db: Db,
  keys: Readonly<
    Record<'userNameFolded' | 'emailFolded' | 'externalId', string | null | undefined>
  >,
  provider: string,
): Promise<UserRow[]> {
  // A name that is null is nobody's.
  const { userNameFolded: name = null, emailFolded = null, externalId = null } = keys;
  const isNamed = sql`(name_folded = ${name} or observed_user_name_folded = ${name}
    or observed_email_folded = ${emailFolded} or (external_id = ${externalId} and provider = ${provider}))`;
  const isLinked = sql`deleted_at is not null and upstream_id is not null`;
  return selectRows(db, 'user', sql`${isLinked} and ${isNamed} order by deleted_at desc`);
}

/**
 * Locks and lists deleted users of this userName or address without a known account, if a create may have left one or may
 * be on its way. Newest first.
 */
export async function lockLostUsers(
  tx: Db,
  { userNameFolded, emailFolded }: { userNameFolded: string; emailFolded: string },
): Promise<UserRow[]> {
  return selectRows(
    tx,
    'user',
    sql`deleted_at is not null and upstream_id is null
    and sent_creates <> '[]' and (name_folded = ${userNameFolded}
      or id in (select resource from names where former = 0 and name = ${emailFolded}))
    order by seq desc ${forUpdate(tx)}`,
  );
}

/** Lists managed users without a known account, if an unmanaged account has their userName or address. */
export async function listNamesakes(db: Db, limit: number): Promise<UserId[]> {
  const rows = await select<{ id: UserId }>(db)`
    select id from resources as wanted
    where type = 'user' and origin is not null and deleted_at is null and upstream_id is null
    and must_look = 0 and exists (select 1 from resources as account where account.origin is null and (
      account.observed_user_name_folded in (wanted.name_folded, wanted.address_folded)
      or account.observed_email_folded in (wanted.name_folded, wanted.address_folded)))
    order by seq limit ${limit}`;
  return rows.map(({ id }) => id);
}

interface ExistingNamed {
  readonly id: string;
  readonly name: string;
  readonly upstreamId: string;
  readonly takesSeat: boolean;
  /** The last observation of an account. */
  readonly observed: ObservedUser | undefined;
}

/** Lists unmanaged accounts or groups, by each name that the service has for them among these. */
export async function listExisting(
  db: Db,
  type: ResourceType,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed>> {
  const rows = await readInChunks(namesFolded, (some) => {
    const names = sql`(${sql.join(some)})`;
    const isNamed =
      type === 'group'
        ? sql`name_folded in ${names}`
        : sql`(observed_user_name_folded in ${names} or observed_email_folded in ${names})`;
    return selectRows(db, type, sql`origin is null and deleted_at is null and ${isNamed}`);
  });
  const found = new Map<string, ExistingNamed>();
  for (const row of rows) {
    const { id, name, upstream_id, upstream_uid, upstream_scim_id } = row;
    const existing = {
      id,
      name,
      upstreamId: String(upstream_uid ?? upstream_id ?? upstream_scim_id),
      takesSeat: row.takes_seat === 1,
      observed: row.type === 'user' ? toObservedUser(row) : undefined,
    };
    const keys =
      row.type === 'group'
        ? [row.name_folded]
        : [row.observed_user_name_folded, row.observed_email_folded];
    for (const key of keys) if (key !== null) found.set(key, existing);
  }
  return found;
}

/**
 * Lists the names, folded, of users or groups that the service may hold by now and nobody knows: their create is on its way,
 * or its outcome is unknown.
 */
export async function listNamesUnderWay(db: Db, type: ResourceType): Promise<Set<string>> {
  const rows = await select<{ name: string; sent_creates: string }>(db)`
    select name_folded as name, sent_creates from resources where type = ${sql.lit(type)} and sent_creates <> '[]'
    and upstream_scim_id is null and upstream_id is null and upstream_uid is null`;
  const sent = rows
    .flatMap((row) => parseStored<SentCreate[]>(row.sent_creates))
    .flatMap(({ name, address = name }) => [name, address]);
  return new Set([...rows.map(({ name }) => name), ...sent.map(foldCase)]);
}
