import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { GivenKey, UserId } from '../../domain/ids.ts';
import { isGone, type SentCreate } from '../../domain/resource-state.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { lockUntilCommit } from '../commit-lock.ts';
import { parseStored, waits } from '../engine/columns.ts';
import { forUpdate, readInChunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { type GroupRow, type RowOf, selectRows, type UserRow } from './rows.ts';
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
  const isNamed = sql`name_folded = ${nameFolded} and deleted_at is null order by seq`;
  return selectRows(db, type, lock ? sql`${isNamed} ${forUpdate(db)}` : isNamed);
}

/** Lists tombstones of this name that still stand for a group of the service, newest first. */
export async function listGroupTombstones(db: Db, nameFolded: string): Promise<GroupRow[]> {
  const isNamed = sql`name_folded = ${nameFolded} and deleted_at is not null`;
  return selectRows(db, 'group', sql`${isNamed} order by deleted_at desc`);
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
  {
    userNameFolded = null,
    emailFolded = null,
    externalId = null,
    provider,
  }: {
    readonly userNameFolded: string | null | undefined;
    readonly emailFolded: string | null | undefined;
    readonly externalId: string | null | undefined;
    readonly provider: string;
  },
): Promise<UserRow[]> {
  // A name that is null is nobody's.
  return selectRows(
    db,
    'user',
    sql`deleted_at is not null and upstream_id is not null
    and (name_folded = ${userNameFolded} or observed_user_name_folded = ${userNameFolded}
      or observed_email_folded = ${emailFolded}
      or (external_id = ${externalId} and provider = ${provider}))
    order by deleted_at desc`,
  );
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

/** Lists live users whom this provider manages under this externalId. */
export async function listUsersByExternalId(
  db: Db,
  provider: string,
  externalId: string,
): Promise<UserRow[]> {
  const isTheirs = sql`external_id = ${externalId} and provider = ${provider}`;
  return selectRows(db, 'user', sql`${isTheirs} and origin is not null and deleted_at is null`);
}

/**
 * Locks and lists the live owners of the company other than `except`: two writes at the same time would each count on
 * the owner whom the other takes away. An owner whom the service was found not to have is not counted on.
 */
export async function lockOtherOwners(tx: Db, except: UserId): Promise<UserRow[]> {
  await lockUntilCommit(tx, 'owners');
  const isOwner = sql`deleted_at is null and owner = 1 and id <> ${except}`;
  const owners = await selectRows(tx, 'user', isOwner);
  return owners.filter((row) => !isGone(toObservedUser(row)));
}

/** An account that a filter must be able to find. */
interface KnownAccount {
  readonly upstreamId: number;
  readonly userNameFolded: string;
  readonly emailFolded: string;
}

/** Some active account that the service was seen to hold, with a userName and an address; or undefined. */
export async function findKnownAccount(db: Db): Promise<KnownAccount | undefined> {
  const { rows } = await sql<KnownAccount>`select upstream_id as "upstreamId",
      observed_user_name_folded as "userNameFolded", observed_email_folded as "emailFolded"
    from resources where type = 'user' and deleted_at is null and active = 1 and upstream_id is not null
    and observed_user_name_folded <> '' and observed_email_folded <> '' order by seq limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Lists inactive managed users without a known account, if an unmanaged account has their userName or address. */
export async function listNamesakes(db: Db, limit: number): Promise<UserId[]> {
  const { rows } = await sql<{ id: UserId }>`
    select id from resources as wanted
    where type = 'user' and origin is not null and deleted_at is null and upstream_id is null and active = 0
    and must_look = 0 and exists (select 1 from resources as account where account.origin is null and (
      account.observed_user_name_folded in (wanted.name_folded, wanted.address_folded)
      or account.observed_email_folded in (wanted.name_folded, wanted.address_folded)))
    order by seq limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Unmanaged account or group of the service, under a name by which it is recognised. */
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
  const { rows } = await sql<{ name: string; sent_creates: string }>`
    select name_folded as name, sent_creates from resources where type = ${sql.lit(type)} and sent_creates <> '[]'
    and upstream_scim_id is null and upstream_id is null and upstream_uid is null`.execute(db);
  const sent = rows
    .flatMap((row) => parseStored<SentCreate[]>(row.sent_creates))
    .flatMap(({ name, address = name }) => [name, address]);
  return new Set([...rows.map(({ name }) => name), ...sent.map(foldCase)]);
}

/**
 * True when a managed user or group that the service has not confirmed yet has one of these folded names, so that what was
 * just seen under it may be theirs.
 */
export async function isNameUnderWay(
  db: Db,
  type: ResourceType,
  namesFolded: readonly string[],
): Promise<boolean> {
  if (namesFolded.length === 0) return false;
  const { rows } = await sql`
    select 1 from resources where type = ${sql.lit(type)} and name_folded in (${sql.join(namesFolded)})
    and origin is not null and upstream_id is null limit 1`.execute(db);
  return rows.length > 0;
}
