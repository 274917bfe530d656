import type { Sql } from 'sql-template-tag';
import sql, { empty, join, raw } from 'sql-template-tag';
import { ACTIVE_STATUSES } from '../../domain/change.ts';
import { isLinked } from '../../domain/kinds.ts';
import type { LinkList } from '../../domain/link.ts';
import type { UserId } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import { waits } from '../engine/columns.ts';
import { allOf, forUpdate, literal, readInChunks, readOne, select } from '../engine/dialect.ts';
import type { Db, ListPart } from '../store.ts';
import type { Choice, Row } from '../tables.ts';
import type { GroupRow, ResourceRow, ResourceType, RowOf, UserRow } from './rows.ts';
import { LIVE, listRows, readResources, selectRows } from './rows.ts';

/** Columns with the folded names of a user or group: as shown, as observed, and the address that it is made with. */
const NAMES = [
  'name_folded',
  'address_folded',
  'observed_user_name_folded',
  'observed_email_folded',
] as const;
const IDS = ['upstream_id', 'upstream_scim_id', 'upstream_uid'] as const;

/** Condition that one of these columns has one of these values: each column by an index of its own. */
function isIn(...parts: readonly (readonly [readonly string[], readonly (string | number)[]])[]) {
  const conditions = parts.flatMap(([columns, values]) =>
    // A list in SQL is never empty.
    columns.map((name) => sql`${raw(name)} in (${join(values.length ? values : [null])})`),
  );
  return sql`(${join(conditions, ' or ')})`;
}

const isLive = ({ deleted_at }: Pick<ResourceRow, 'deleted_at'>) => deleted_at === null;

/** Lists users or groups, deleted and unmanaged too, that are or were known by one of these folded names. */
export const listNamed = <Type extends ResourceType>(
  db: Db,
  type: Type,
  names: readonly string[],
  { lock }: Pick<Choice<'resources'>, 'lock'> = {},
) =>
  readInChunks(names, (some) =>
    selectRows(db, type, sql`${isIn([NAMES, some])} order by seq ${lock ? forUpdate(db) : empty}`),
  );

/** The folded names that the account of a user has, or that of a managed user is to have. */
export function listAccountNames(row: UserRow): string[] {
  const wanted = row.origin === null ? null : row.address_folded;
  return [...listServiceNames(row), ...(wanted ? [wanted] : [])];
}

/** Picks the live of these users who are shown with this userName, or whose account has or is to have one of the names. */
export const pickHolders = (
  rows: readonly UserRow[],
  names: readonly string[],
  userName: string | undefined,
) =>
  rows.filter((row) => {
    const isHeld = listAccountNames(row).some((name) => names.includes(name));
    return isLive(row) && (isHeld || row.name_folded === userName);
  });

/** Lists live users as `pickHolders` does; all names are folded. */
export async function listHolders(db: Db, names: readonly string[], userName?: string) {
  const named = await listNamed(db, 'user', userName === undefined ? names : [userName, ...names]);
  return pickHolders(named, names, userName);
}

/** Picks the deleted of these, the latest first. */
export const toTombstones = <Row extends ResourceRow>(rows: readonly Row[]) =>
  rows.filter((row) => !isLive(row)).toSorted((a, b) => (b.deleted_at ?? 0) - (a.deleted_at ?? 0));

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
  const names = ['display_folded', ...NAMES.filter((name) => name !== 'address_folded')];
  const rows = await readResources(
    db,
    sql`(id = ${key} or id in ${emails} or ${isIn([names, [folded]])}) and ${type} in ('any', type)
      order by case when deleted_at is null then 0 when due_at is not null then 1 else 2 end, seq
      limit ${FITTING_MAX}`,
  );
  return rows.toSorted((a, b) => a.seq - b.seq);
}

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

/** Lists groups of which something waits. */
export const listWaitingGroups = (db: Db) => selectRows(db, 'group', waits('cells'));

/** Lists managed users without a known account, if an unmanaged account has their userName or address. */
export const listNamesakes = (db: Db, limit: number) =>
  select<{ type: 'user'; id: UserId }>(db)`select type, id from resources as wanted
    where type = 'user' and origin is not null and deleted_at is null and upstream_id is null
    and must_look = 0 and exists (select 1 from resources as account where account.origin is null and (
      account.observed_user_name_folded in (wanted.name_folded, wanted.address_folded)
      or account.observed_email_folded in (wanted.name_folded, wanted.address_folded)))
    order by seq limit ${limit}`;

/** Finds the unmanaged account or group that the service has for each of these folded names, as far as there is one. */
export async function findExisting<Type extends ResourceType>(
  db: Db,
  type: Type,
  names: readonly string[],
): Promise<Map<string, RowOf<Type>>> {
  const existing = new Map<string, RowOf<Type>>();
  for (const row of await listNamed(db, type, names)) {
    if (row.origin !== null || !isLive(row)) continue;
    for (const name of listServiceNames(row)) existing.set(name, row);
  }
  return existing;
}

/** Lists the folded names of users or groups whose create is on its way, or of unknown outcome. */
export async function listNamesUnderWay(db: Db, type: ResourceType): Promise<Set<string>> {
  const isOpen = sql`sent_creates <> '[]'
    and upstream_scim_id is null and upstream_id is null and upstream_uid is null`;
  const names = (await selectRows(db, type, isOpen)).flatMap(({ name_folded, sent_creates }) => {
    const sent = sent_creates.flatMap(({ name, address = name }) => [name, address]);
    return [name_folded, ...sent.map(foldCase)];
  });
  return new Set(names);
}

/** Ids of a user or group in the service, by their columns. */
export type EntryIds = { readonly [Id in (typeof IDS)[number]]?: ResourceRow[Id] | undefined };

/** Lists users or groups, deleted too, with an id of these entries; locked by what never changes. */
export async function listRowsOfEntries<Type extends ResourceType>(
  db: Db,
  type: Type,
  ids: readonly EntryIds[],
  { lock }: Pick<Choice<'resources'>, 'lock'> = {},
): Promise<readonly RowOf<Type>[]> {
  const given = IDS.map((id) => [[id], ids.flatMap((one) => one[id] ?? [])] as const);
  const found = await selectRows(db, type, isIn(...given));
  if (!lock || found.length === 0) return found;
  const seq = found.map((row) => row.seq).toSorted((a, b) => a - b);
  return listRows(db, type, { seq }, { order: 'seq', lock });
}

/** Finds the user, or the group, deleted or not, that stands for an account or group of the service; a live one first. */
export async function findLinked(
  db: Db,
  type: ResourceType,
  ids: EntryIds,
): Promise<ResourceRow | undefined> {
  const rows = await listRowsOfEntries(db, type, [ids]);
  return rows
    .filter((row) => type === 'group' || isLive(row))
    .toSorted((a, b) => (a.deleted_at ?? 0) - (b.deleted_at ?? 0) || a.seq - b.seq)[0];
}

type ServiceNames = 'observed_user_name_folded' | 'observed_email_folded' | 'name_folded';

/** The folded names by which the service knows a user or group. */
export function listServiceNames(
  row: Pick<ResourceRow, 'type'> & Partial<Pick<ResourceRow, ServiceNames>>,
): string[] {
  const { observed_user_name_folded, observed_email_folded } = row;
  const names = [observed_user_name_folded, observed_email_folded];
  return [...names, row.type === 'group' ? row.name_folded : null].flatMap((name) => name || []);
}

/** Lists the names by which the service may call a user or group. */
export const listCalledNames = (row: ResourceRow) => [
  ...IDS.flatMap((column) => (row[column] === null ? [] : [String(row[column])])),
  ...listServiceNames(row),
];

/** Lists users and groups, deleted and unmanaged too, that the service calls by one of these texts: id, uid or name. */
export const listCalled = (db: Db, texts: ReadonlySet<string>) =>
  readInChunks([...texts], (some) => {
    const numbers = some.filter((text) => /^\d{1,15}$/.test(text)).map(Number);
    const [id, ...ids] = IDS;
    const isCalled = isIn([[id], numbers], [ids, some], [NAMES, some.map(foldCase)]);
    return readResources(db, isCalled);
  });

/** Finds those of these users who cannot be in a group: it is not in the service, or they have no account there. */
export async function findStrangers(db: Db, group: GroupRow, id: readonly UserId[]) {
  const which = { id, upstream_id: { '<>': null }, ...LIVE } as const;
  const known = isLinked(group) ? await listRows(db, 'user', which) : [];
  return new Set(id).difference(new Set(known.map((row) => row.id)));
}

/** Filter of users or groups, deleted ones alone. `q`: part of a userName, an address or a displayName, in any case, or a whole id. */
type ResourceFilter = Readonly<
  Partial<Record<'managed' | 'staged' | 'due' | 'stuck' | 'disputed' | 'drifted' | 'deleted', Flag>>
> & { readonly q?: string };
type Flag = 'true' | 'false';

/** Row of a user or group, with its drifts that are not over, and its disputes. */
export type Remarked<Type extends ResourceType> = RowOf<Type> &
  Readonly<Record<'drifts' | 'disputes', number>>;

/** Selection of users or groups. A filter without a match looks at every row up to `untilSeq`. */
type ResourceQuery = Partial<ListPart> &
  Readonly<{ untilSeq?: number; id?: string; filter?: ResourceFilter }>;

/** Lists users or groups for an operator, deleted or not where no filter is given. */
export function listRemarked<Type extends ResourceType>(
  db: Db,
  type: Type,
  { id, filter, afterSeq = 0, untilSeq, limit = 1 }: ResourceQuery,
): Promise<Remarked<Type>[]> {
  const isMeant = allOf([
    id !== undefined && sql`id = ${id}`,
    filter && toCondition(filter),
    sql`seq > ${afterSeq}`,
    untilSeq !== undefined && sql`seq <= ${untilSeq}`,
  ]);
  return select<Remarked<Type>>(db)`
    select resources.*, ${DRIFTS} as drifts, ${DISPUTES} as disputes
    from resources where type = ${literal(type)} and ${isMeant} order by seq limit ${limit}`;
}

const countDrifts = (column: Sql) =>
  sql`(select count(*) from drifts where status in (${join(ACTIVE_STATUSES)})
    and change is not null and ${column} = resources.id)`;

/** Of what is managed. A user also has those of memberships and admin rights, which stand with the group. */
const DRIFTS = sql`(${countDrifts(sql`resource_id`)} + ${countDrifts(sql`member_id <> '' and member_id`)})`;

/** The name is the provider's, and an account may have it as its address. */
const DISPUTES = sql`(select count(*) from disputes where resource_type = resources.type and name_folded in
  (resources.name_folded, resources.observed_user_name_folded, resources.observed_email_folded))`;

function toCondition(filter: ResourceFilter) {
  const { deleted = 'false', q } = filter;
  const isSet = (column: string, wanted: Flag | undefined) =>
    wanted && sql`${raw(column)} is ${wanted === 'true' ? sql`not null` : sql`null`}`;
  const isAny = (count: Sql, wanted: Flag | undefined) =>
    wanted && sql`${count} ${wanted === 'true' ? sql`>` : sql`=`} 0`;
  return allOf([
    isSet('origin', filter.managed),
    isSet('staged', filter.staged),
    isSet('due_at', filter.due),
    isSet('stuck_at', filter.stuck),
    isSet('deleted_at', deleted),
    isAny(DISPUTES, filter.disputed),
    isAny(DRIFTS, filter.drifted),
    q !== undefined && toText(q),
  ]);
}

/** By a part of a name or an address, or by any whole id: of SCIM, of the provider, of the service. */
export function toText(text: string): Sql {
  const like = `%${foldCase(text).replace(/[\\%_]/g, '\\$&')}%`;
  const matches = (column: string) => sql`${raw(column)} like ${like} escape '\\'`;
  const conditions = [
    ...['id', 'external_id', 'upstream_scim_id', 'upstream_uid'].map(
      (column) => sql`${raw(column)} = ${text}`,
    ),
    ...['name_folded', 'display_folded'].map(matches),
    sql`id in (select resource from names where former = 0 and ${matches('names.name')})`,
    ...(/^\d{1,15}$/.test(text) ? [sql`upstream_id = ${Number(text)}`] : []),
  ];
  return sql`(${join(conditions, ' or ')})`;
}

/** A number of waiting changes of the lists of a group. */
export interface WaitingCount {
  readonly kind: `${LinkList}.${'add' | 'remove'}`;
  readonly count: number;
}

/** Counts the waiting changes of the lists of these groups, by their kind; groups without any are left out. */
export async function countWaitingLinks(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly WaitingCount[]>> {
  if (ids.length === 0) return new Map();
  const rows = await select<WaitingCount & { readonly group_id: string }>(db)`
    select home.id as group_id, link.list || case when link.desired = 1 then '.add' else '.remove' end as kind,
      count(*) as count
    from resources as home join links as link on link.group_id = home.seq
    where home.id in (${join(ids)}) and link.pending is not null
    group by home.id, kind order by kind desc`;
  return Map.groupBy(rows, ({ group_id }) => group_id);
}

/** One link as it is explained, and what it leads to, by whose number a list of them is ordered. */
export type LinkView = Pick<
  Row<'links'>,
  'desired' | 'observed' | 'pending' | 'stuck_at' | 'by_rule'
> &
  Pick<ResourceRow, 'seq' | 'name'> & { readonly id: string };

type LinkEnd = Pick<ResourceRow, 'type' | 'seq'>;

const isOf = ({ type, seq }: LinkEnd, list: LinkList) =>
  sql`${raw(type === 'user' ? 'link.target' : 'link.group_id')} = ${seq} and link.list = ${list}`;

/** Lists the live groups of a user, or the members or admins of a group. Deleted admins are among them. */
export function listLinkViews(
  db: Db,
  { list, of, afterSeq, limit }: ListPart & { readonly list: LinkList; readonly of: LinkEnd },
) {
  const other = raw(of.type === 'user' ? 'link.group_id' : 'link.target');
  const live = list === 'admin' ? empty : sql`and other.deleted_at is null`;
  return select<LinkView>(db)`
    select other.seq, other.id, other.name, link.desired, link.observed, link.pending,
      link.stuck_at, link.by_rule
    from links as link join resources as other on other.seq = ${other}
    where ${isOf(of, list)} and other.seq > ${afterSeq} ${live}
    order by other.seq limit ${limit}`;
}

/** Counts the links of a list of a group, or of a user. `pending`: the stuck too; `differing`: while nothing waits. */
export function countLinks(db: Db, list: LinkList, of: LinkEnd) {
  type Counted = 'all' | 'desired' | 'observed' | 'pending' | 'stuck' | 'differing';
  return readOne<Record<Counted, number>>(db)`
    select count(*) as "all", count(case when desired = 1 then 1 end) as desired,
      count(case when observed = 1 then 1 end) as observed, count(pending) as pending, count(stuck_at) as stuck,
      count(case when pending is null and desired <> observed then 1 end) as differing
    from links as link where ${isOf(of, list)}`;
}
