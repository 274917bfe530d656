import { type SqlBool, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { UpstreamGroupIds } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { parseStored, waits } from '../engine/columns.ts';
import { forUpdate, readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import {
  type GroupRow,
  LIVE,
  listRows,
  type ResourceRow,
  type ResourceType,
  type RowOf,
  selectRows,
  type UserRow,
} from './rows.ts';

/** True: the rows are locked until the transaction ends. */
interface Lock {
  readonly lock?: boolean;
}

/** Columns with the folded names of a user or group: as shown, as observed, and the address that it is made with. */
const NAMES = {
  user: ['name_folded', 'address_folded', 'observed_user_name_folded', 'observed_email_folded'],
  group: ['name_folded'],
} as const;

/** Columns with the names by which the service may call a user or group, beside its number: folded names, and ids as text. */
const CALLED = {
  user: { folded: ['observed_user_name_folded', 'observed_email_folded'], ids: [] },
  group: { folded: ['name_folded'], ids: ['upstream_scim_id', 'upstream_uid'] },
} as const;

/** Condition that one of these columns has one of these values: each column by an index of its own. */
function isIn(
  ...parts: readonly (readonly [columns: readonly string[], values: readonly unknown[]])[]
) {
  const conditions = parts.flatMap(([columns, values]) =>
    // A list in SQL is never empty.
    columns.map((name) => sql`${sql.ref(name)} in (${sql.join(values.length ? values : [null])})`),
  );
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

const isLive = ({ deleted_at }: Pick<ResourceRow, 'deleted_at'>) => deleted_at === null;

/**
 * Lists users or groups, deleted and unmanaged ones too, that are or were known by one of these folded names, in order of
 * creation.
 */
export async function listNamed<Type extends ResourceType>(
  db: Db,
  type: Type,
  names: readonly string[],
  { lock }: Lock = {},
): Promise<RowOf<Type>[]> {
  const end = sql`order by seq ${lock ? forUpdate(db) : sql``}`;
  return readInChunks(names, (some) =>
    selectRows(db, type, sql`${isIn([NAMES[type], some])} ${end}`),
  );
}

/** The folded names that the account of a user has, or that of a managed user is to have. */
export function listAccountNames(row: UserRow): string[] {
  const { observed_user_name_folded, observed_email_folded, origin, address_folded } = row;
  const wanted = origin === null ? null : address_folded;
  return [observed_user_name_folded, observed_email_folded, wanted].flatMap((name) => name ?? []);
}

/** Lists live users who are shown with this userName, or whose account has or is to have one of the names; all are folded. */
export async function listHolders(
  db: Db,
  names: readonly string[],
  userName?: string,
): Promise<UserRow[]> {
  const named = await listNamed(db, 'user', userName === undefined ? names : [userName, ...names]);
  const holds = (row: UserRow) =>
    row.name_folded === userName || listAccountNames(row).some((name) => names.includes(name));
  return named.filter((row) => isLive(row) && holds(row));
}

/** Lists live users or groups that are shown under this folded name (RFC 7643 §4.1.1), in order of creation. At most one is managed. */
export const listByName = <Type extends ResourceType>(
  db: Db,
  type: Type,
  name_folded: string,
  choice: Lock = {},
) => listRows(db, type, { name_folded, ...LIVE }, { order: 'seq', ...choice });

/** Lists deleted users who still have an account and carried this name or address, or this id of the provider; the latest first. */
export async function listTombstones(
  db: Db,
  { userName, address }: Readonly<Record<'userName' | 'address', string | undefined>>,
  { externalId, provider }: { externalId: string | undefined; provider: string },
): Promise<UserRow[]> {
  const named = await listNamed(
    db,
    'user',
    [userName, address].flatMap((name) => name ?? []),
  );
  const known = await listRows(db, 'user', { external_id: externalId ?? [], provider });
  const carried = named.filter(
    (row) =>
      [row.name_folded, row.observed_user_name_folded].some((name) => name === userName) ||
      row.observed_email_folded === address,
  );
  const rows = new Map([...carried, ...known].map((row) => [row.seq, row]));
  return toTombstones([...rows.values()]).filter(({ upstream_id }) => upstream_id !== null);
}

/** Picks the deleted of these, the latest first. */
export const toTombstones = <Row extends ResourceRow>(rows: readonly Row[]) =>
  rows.filter((row) => !isLive(row)).toSorted((a, b) => (b.deleted_at ?? 0) - (a.deleted_at ?? 0));

/** Locks and lists deleted users of these folded names without a known account, if a create may have left one; the newest first. */
export async function lockLostUsers(tx: Db, names: readonly string[]): Promise<UserRow[]> {
  const named = await listNamed(tx, 'user', names, { lock: true });
  return named
    .filter((row) => !isLive(row) && row.upstream_id === null && row.sent_creates !== '[]')
    .toReversed();
}

/** Rows that a key fits at most; more are as ambiguous as two. */
const FITTING_MAX = 10;

/** Lists users and groups with this id, or with this name or address, in order of creation; of many the live, then those with work to do. */
export async function listByKey(
  db: Db,
  type: ResourceType | 'any',
  key: string,
): Promise<ResourceRow[]> {
  const folded = foldCase(key);
  const emails = sql`(select resource from names where former = 0 and name = ${folded})`;
  const names = ['display_folded', 'name_folded', ...CALLED.user.folded];
  const rows = await select<ResourceRow>(db)`select * from resources
    where (id = ${key} or id in ${emails} or ${isIn([names, [folded]])}) and ${type} in ('any', type)
    order by case when deleted_at is null then 0 when due_at is not null then 1 else 2 end, seq
    limit ${FITTING_MAX}`;
  return rows.toSorted((a, b) => a.seq - b.seq);
}

/** What is meant by a key, the surest first. */
const MEANT: readonly ((row: ResourceRow, key: string) => boolean)[] = [
  ({ id }, key) => id === key,
  isLive,
  ({ due_at }) => due_at !== null,
];

/** Lists the users and groups that an operator means by an id, a userName, a displayName or an address. */
export async function listMeant(
  db: Db,
  key: string,
  type: ResourceType | 'any' = 'any',
): Promise<ResourceRow[]> {
  const found = await listByKey(db, type, key);
  const meant = MEANT.map((isMeant) => found.filter((row) => isMeant(row, key)));
  return meant.find((rows) => rows.length > 0) ?? found;
}

/** Lists groups with a waiting removal or renaming: their name in the service is about to change or to go. */
export function listLeavingGroups(db: Db): Promise<GroupRow[]> {
  const isLeaving = sql`(deleted_at is not null or ${waits('cells', 'displayName')})`;
  return selectRows(db, 'group', sql`${waits('cells')} and observed is not null and ${isLeaving}`);
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

/** Finds the unmanaged account or group that the service has for each of these folded names, as far as there is one. */
export async function findExisting<Type extends ResourceType>(
  db: Db,
  type: Type,
  names: readonly string[],
): Promise<Map<string, RowOf<Type>>> {
  const existing = new Map<string, RowOf<Type>>();
  for (const row of await listNamed(db, type, names)) {
    if (row.origin !== null || !isLive(row)) continue;
    for (const column of CALLED[type].folded)
      if (row[column] !== null) existing.set(row[column], row);
  }
  return existing;
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

/** The live user that is linked to this account of the service. Unique by index. */
export const findUserByUpstreamId = async (db: Db, upstreamId: number) =>
  (await listRows(db, 'user', { upstream_id: upstreamId, ...LIVE }))[0];

/** Ids of a user or group in the service, by their columns. */
export type EntryIds = Partial<
  Record<'upstream_scim_id' | 'upstream_uid', string | null | undefined> &
    Record<'upstream_id', number | null | undefined>
>;

/**
 * Lists the users or groups, live or deleted, that have one of the ids of any of these entries of the service. Locked by
 * what never changes: a row that is deleted meanwhile would be in neither half of a search.
 */
export async function listRowsOfEntries<Type extends ResourceType>(
  db: Db,
  type: Type,
  ids: readonly EntryIds[],
  { lock = false }: Lock = {},
): Promise<readonly RowOf<Type>[]> {
  const found = new Map<number, RowOf<Type>>();
  for (const column of ['upstream_scim_id', 'upstream_id', 'upstream_uid'] as const) {
    const values = ids.flatMap((one) => one[column] ?? []);
    for (const row of await listRows(db, type, { [column]: values })) found.set(row.seq, row);
  }
  if (!lock || found.size === 0) return [...found.values()];
  const seq = [...found.keys()].toSorted((a, b) => a - b);
  return listRows(db, type, { seq }, { order: 'seq', lock });
}

/** Finds the group, live or deleted, that stands for a group of the service; the live one first. */
export async function findGroupByUpstream(
  db: Db,
  { scimId, restId, uid }: Partial<UpstreamGroupIds>,
): Promise<GroupRow | undefined> {
  const entry = { upstream_scim_id: scimId, upstream_id: restId, upstream_uid: uid };
  const rows = await listRowsOfEntries(db, 'group', [entry]);
  return rows.toSorted((a, b) => (a.deleted_at ?? 0) - (b.deleted_at ?? 0) || a.seq - b.seq)[0];
}

/** Lists the names by which the service may call a user or group. */
export function listCalledNames(row: ResourceRow): string[] {
  const { folded, ids } = CALLED[row.type];
  const names = ['upstream_id' as const, ...ids, ...folded].map((column) => row[column]);
  return names.flatMap((name) => (name === null ? [] : [String(name)]));
}

/**
 * The users and groups, deleted and unmanaged ones too, that the service calls by one of these texts: an id, a uid or a
 * name. A user and a group may have the same number.
 */
export async function findCalled(db: Db, texts: ReadonlySet<string>) {
  const list = (type: ResourceType): Promise<ResourceRow[]> =>
    readInChunks([...texts], (some) => {
      const { folded, ids } = CALLED[type];
      const numbers = some.filter((text) => /^\d{1,15}$/.test(text)).map(Number);
      const isCalled = isIn([['upstream_id'], numbers], [ids, some], [folded, some.map(foldCase)]);
      return selectRows(db, type, isCalled);
    });
  const [users, groups] = [await list('user'), await list('group')];
  const managed = [...users, ...groups].filter(({ origin }) => origin !== null);
  return {
    /** The SCIM ids of users and of groups by these texts. */
    user: gather(texts, users),
    group: gather(texts, groups),
    /** The SCIM ids of those that are managed. */
    managed: new Set<string>(managed.map(({ id }) => id)),
  };
}

/** The rows by the texts that name them, as written or folded. */
function gather(texts: ReadonlySet<string>, rows: readonly ResourceRow[]) {
  const named = rows.flatMap((row) => listCalledNames(row).map((name) => ({ name, id: row.id })));
  const byName = Map.groupBy(named, ({ name }) => name);
  return new Map(
    [...texts].flatMap((text): [string, Set<string>][] => {
      const found = byName.get(text) ?? byName.get(foldCase(text));
      return found === undefined ? [] : [[text, new Set<string>(found.map(({ id }) => id))]];
    }),
  );
}
