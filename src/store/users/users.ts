import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isGone, type SentCreate } from '../../domain/resource-state.ts';
import { type ObservedUser, toDesiredUser, type UserState } from '../../domain/user.ts';
import { lockUntilCommit } from '../commit-lock.ts';
import { parseCells, parseStored } from '../engine/columns.ts';
import { forUpdate, readInChunks } from '../engine/dialect.ts';
import { insertRow, selectRows, toAssignments } from '../engine/row-sql.ts';
import { touchGroupsOf } from '../links/shown.ts';
import { keepFormerNames } from '../resources/former-names.ts';
import type { Schema, UsersTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A user as stored. Documents are JSON text; see the schema for units. */
export type UserRow = Selectable<UsersTable>;
/** The columns of a new user. */
export type NewUserRow = Insertable<UsersTable>;
/** The columns of a change. */
export type UserChange = UpdateObject<Schema, 'users'>;

/** Rows of users that a condition selects. */
function select(db: Db, which: RawBuilder<unknown>): Promise<UserRow[]> {
  return selectRows<UserRow>(db, 'users', which);
}

/** The live user with this SCIM id, or undefined: unknown or deleted. */
export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return (await select(db, sql`id = ${id} and deleted_at is null`))[0];
}

/** The row with this SCIM id, deleted or not. */
export async function findUserRow(db: Db, id: string): Promise<UserRow | undefined> {
  return (await select(db, sql`id = ${id}`))[0];
}

/** The row with this SCIM id, which the caller knows to be there. @throws Error when it is not */
export async function getUserRow(db: Db, id: UserId): Promise<UserRow> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The row with this SCIM id, deleted or not, locked until the transaction ends. */
export async function lockUser(tx: Db, id: UserId): Promise<UserRow | undefined> {
  return (await select(tx, sql`id = ${id} ${forUpdate(tx)}`))[0];
}

/** The live user that is linked to this account of the service. Unique by index. */
export async function findUserByUpstreamId(
  db: Db,
  upstreamId: number,
): Promise<UserRow | undefined> {
  return (await select(db, sql`deleted_at is null and upstream_id = ${upstreamId}`))[0];
}

/** Lists users linked to this account of the service, the deleted too: the live one first, then the latest. */
export async function listUsersOfAccount(db: Db, upstreamId: number): Promise<UserRow[]> {
  const order = sql`order by case when deleted_at is null then 0 else 1 end, seq desc`;
  return select(db, sql`upstream_id = ${upstreamId} ${order}`);
}

/** Live users shown under this userName, compared without case (RFC 7643 §4.1.1); at most one is managed. */
export async function listUsersByName(db: Db, userNameFolded: string): Promise<UserRow[]> {
  return select(db, sql`user_name_folded = ${userNameFolded} and deleted_at is null`);
}

/**
 * Lists live users whose account has one of these folded names, as userName or e-mail address: as it was observed, or, of a
 * managed user, as it is wanted.
 */
export async function listUsersByAccount(db: Db, names: readonly string[]): Promise<UserRow[]> {
  return select(db, sql`deleted_at is null and ${hasAccountName(names)}`);
}

/** Lists live users who are shown under this folded userName, or whose account has one of these names, in no order. */
export async function listUsersByAnyName(
  db: Db,
  userNameFolded: string,
  names: readonly string[],
): Promise<UserRow[]> {
  const isNamed = sql`(user_name_folded = ${userNameFolded} or ${hasAccountName(names)})`;
  return select(db, sql`deleted_at is null and ${isNamed}`);
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
  return select(
    db,
    sql`deleted_at is not null and upstream_id is not null
    and (user_name_folded = ${userNameFolded} or observed_user_name_folded = ${userNameFolded}
      or observed_email_folded = ${emailFolded}
      or (external_id = ${externalId} and provider = ${provider}))
    order by deleted_at desc`,
  );
}

/**
 * Locks and lists deleted users of this userName or address for whom no account is known, and whose create may have left one,
 * or may be on its way. Newest first.
 */
export async function lockLostUsers(
  tx: Db,
  { userNameFolded, emailFolded }: { userNameFolded: string; emailFolded: string },
): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    select * from users where deleted_at is not null and upstream_id is null
    and sent_creates <> '[]' and (user_name_folded = ${userNameFolded}
      or id in (select user_id from user_emails where email_folded = ${emailFolded}))
    order by seq desc ${forUpdate(tx)}`.execute(tx);
  return rows;
}

/** Lists live users whom this provider manages under this externalId. */
export async function listUsersByExternalId(
  db: Db,
  provider: string,
  externalId: string,
): Promise<UserRow[]> {
  const isTheirs = sql`external_id = ${externalId} and provider = ${provider}`;
  return select(db, sql`${isTheirs} and origin is not null and deleted_at is null`);
}

/** The rows of these ids, deleted or not, in no order. */
export async function listUserRows(db: Db, ids: readonly UserId[]): Promise<UserRow[]> {
  return readInChunks(ids, (some) => select(db, sql`id in (${sql.join(some)})`));
}

/**
 * Locks and lists the live owners of the company other than `except`: two writes at the same time would each count on
 * the owner whom the other takes away. An owner whom the service was found not to have is not counted on.
 */
export async function lockOtherOwners(tx: Db, except: UserId): Promise<UserRow[]> {
  await lockUntilCommit(tx, 'owners');
  const owners = await select(tx, sql`deleted_at is null and owner = 1 and id <> ${except}`);
  return owners.filter((row) => !isGone(toObservedUser(row)));
}

/** Adds a user. @throws StoreError when another live managed user has the name or the account. */
export async function insertUser(tx: Db, row: NewUserRow): Promise<UserRow> {
  return insertRow(tx, 'users', row);
}

/**
 * Changes a user, and remembers the names that the user loses. The groups that show the user get a new version with the name
 * that they show. The caller has read the row in the same transaction.
 * @param held the row as it was read; absent: its names are read again where they may change
 */
export async function updateUser(
  tx: Db,
  id: UserId,
  change: UserChange,
  held?: HeldRow,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  if (losesName(change)) await keepNames(tx, id, change, held);
  await sql`update users set ${toAssignments(change)} where id = ${id}`.execute(tx);
  const isNamedAsBefore = change.user_name === undefined || change.user_name === held?.user_name;
  if (isNamedAsBefore && change.deleted_at === undefined) return;
  await touchGroupsOf(tx, id, typeof change.modified_at === 'number' ? change.modified_at : 0);
}

/** Columns of the names of a user, beside the addresses in `user_emails`. */
const NAME_COLUMNS = [
  'user_name_folded',
  'observed_user_name_folded',
  'observed_email_folded',
] as const;

type NamedRow = Pick<UserRow, (typeof NAME_COLUMNS)[number]>;

/** A user as `updateUser` needs it: with the name that groups show. */
type HeldRow = NamedRow & Pick<UserRow, 'user_name'>;

/** True when a change may take a name from a user. */
function losesName(change: UserChange): boolean {
  return NAME_COLUMNS.some((column) => change[column] !== undefined);
}

async function keepNames(
  tx: Db,
  id: UserId,
  change: UserChange,
  held: NamedRow | undefined,
): Promise<void> {
  // No name of an erased user is kept either.
  if (typeof change.erased_at === 'number') return;
  const row = held ?? (await findNames(tx, id));
  if (row === undefined) return;
  const old = NAME_COLUMNS.map((column) => row[column]);
  const names = NAME_COLUMNS.map((column) => {
    const next = change[column];
    return typeof next === 'string' || next === null ? next : row[column];
  });
  await keepFormerNames(tx, { type: 'user', id }, { old, names });
}

function findNames(tx: Db, id: UserId): Promise<NamedRow | undefined> {
  return tx.selectFrom('users').select(NAME_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** Removes a user who was never created, or who is unmanaged and no longer in the service. */
export async function deleteUser(tx: Db, id: UserId): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** Input of the plan for a user. */
export function toUserState(row: UserRow): UserState {
  const deleted = row.deleted_at !== null;
  return {
    id: row.id,
    upstreamId: row.upstream_id ?? undefined,
    desired: toDesiredUser(parseStored<JsonObject>(row.attributes), deleted),
    observed: toObservedUser(row),
    cells: parseCells(row),
    version: row.version,
    deleted,
    mustLook: row.must_look !== 0,
    ...(row.unsure_since !== null && { unsureSince: row.unsure_since }),
    sentCreates: parseStored<SentCreate[]>(row.sent_creates),
  };
}

/**
 * True for an account that the bridge did not make and whose role no list of company users has told: it may be an
 * owner's.
 */
export function isRoleUnknown(row: UserRow): boolean {
  if (row.origin === 'created' || row.upstream_id === null) return false;
  const observed = toObservedUser(row);
  return observed !== undefined && observed.owner === undefined && observed.listedAt === undefined;
}

/** Parses the last observation of the user; undefined: there was none. */
export function toObservedUser(row: Pick<UserRow, 'observed'>): ObservedUser | undefined {
  return row.observed === null ? undefined : parseStored<ObservedUser>(row.observed);
}
