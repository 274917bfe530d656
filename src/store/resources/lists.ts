import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { listWaiting } from '../../domain/cell.ts';
import { ACTIVE_STATUSES } from '../../domain/drift.ts';
import { foldCase } from '../../domain/fold.ts';
import type { GivenKey, GroupId, ResourceKey } from '../../domain/ids.ts';
import type { Link, LinkList } from '../../domain/link.ts';
import { parseCells } from '../engine/columns.ts';
import { allOf, select } from '../engine/dialect.ts';
import { listHeldChanges } from '../plans.ts';
import type { Db, Part } from '../store.ts';
import { findRow, type RowOf } from './rows.ts';

/** Filter of users or groups; an undefined property filters nothing. */
export interface ResourceFilter {
  readonly managed: boolean | undefined;
  readonly due: boolean | undefined;
  readonly stuck: boolean | undefined;
  /** True: a provider was answered 409 for the name, and the dispute is open. */
  readonly disputed: boolean | undefined;
  /** True: the resource has a drift. */
  readonly drifted: boolean | undefined;
  readonly deleted: boolean;
  /** Part of a userName, an address or a displayName, in any case, or a whole id. */
  readonly text: string | undefined;
}

/** Counts of what other tables hold about a row. */
export interface Remarks {
  /** Drifts that are not over. */
  readonly drifts: number;
  readonly disputes: number;
}

type ResourceType = GivenKey['type'];
/** Row of a user or group, with these counts. */
export type Remarked<Type extends ResourceType> = RowOf<Type> & Remarks;

interface ResourceQuery extends Partial<Part> {
  /** Last row to look at; absent: all. A filter without a match looks at every row up to here. */
  readonly untilSeq?: number;
  readonly id?: string;
  readonly filter?: ResourceFilter;
}

/** Lists users or groups for an operator, deleted or not where no filter is given. */
export async function listRemarked<Type extends ResourceType>(
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
    from resources where type = ${sql.lit(type)} and ${isMeant} order by seq limit ${limit}`;
}

/** A number of waiting changes of the lists of a group. */
export interface WaitingCount {
  readonly group_id: GroupId;
  readonly kind: 'member.add' | 'member.remove' | 'admin.add' | 'admin.remove';
  readonly count: number;
}

/** Counts the waiting changes of these groups, by their kind; groups without any are left out. */
export async function countWaitingLinks(
  db: Db,
  ids: readonly GroupId[],
): Promise<Map<GroupId, WaitingCount[]>> {
  if (ids.length === 0) return new Map();
  const rows = await select<WaitingCount>(db)`
    select home.id as group_id, link.list || case when link.desired = 1 then '.add' else '.remove' end as kind,
      count(*) as count
    from resources as home join links as link on link.group_id = home.seq
    where home.id in (${sql.join(ids)}) and link.pending is not null
    group by home.id, kind order by kind desc`;
  return Map.groupBy(rows, ({ group_id }) => group_id);
}

/** Of what is managed. A user also has those of memberships and admin rights, which stand with the group. */
const DRIFTS = sql<number>`(${countDrifts('resource_id')} + ${countDrifts('member_id')})`;

function countDrifts(column: 'resource_id' | 'member_id'): RawBuilder<number> {
  return sql<number>`(select count(*) from drifts
    where status in (${sql.join(ACTIVE_STATUSES)}) and change is not null and ${sql.ref(column)} = resources.id
    and ${column === 'member_id' ? sql`member_id <> ''` : sql`1 = 1`})`;
}

/** The name is the provider's, and an account may have it as its address. */
const DISPUTES = sql<number>`(select count(*) from disputes where resource_type = resources.type and name_folded in
  (resources.name_folded, resources.observed_user_name_folded, resources.observed_email_folded))`;

function toCondition(filter: ResourceFilter): RawBuilder<SqlBool> {
  const { managed, due, stuck, disputed, drifted, deleted, text } = filter;
  const isSet = (column: string, wanted: boolean | undefined) =>
    wanted !== undefined && sql`${sql.ref(column)} is ${wanted ? sql`not null` : sql`null`}`;
  const isAny = (count: RawBuilder<number>, wanted: boolean | undefined) =>
    wanted !== undefined && (wanted ? sql`${count} > 0` : sql`${count} = 0`);
  return allOf([
    isSet('origin', managed),
    isSet('due_at', due),
    isSet('stuck_at', stuck),
    isSet('deleted_at', deleted),
    isAny(DISPUTES, disputed),
    isAny(DRIFTS, drifted),
    text !== undefined && toText(text),
  ]);
}

/** By a part of a name or an address, or by any whole id: of SCIM, of the provider, of the service. */
export function toText(text: string): RawBuilder<SqlBool> {
  const like = `%${foldCase(text).replace(/[\\%_]/g, '\\$&')}%`;
  const matches = (column: string) => sql<SqlBool>`${sql.ref(column)} like ${like} escape '\\'`;
  const is = (column: string) => sql<SqlBool>`${sql.ref(column)} = ${text}`;
  const isNumber = /^\d{1,15}$/.test(text) ? [sql<SqlBool>`upstream_id = ${Number(text)}`] : [];
  const conditions = [
    ...['id', 'external_id', 'upstream_scim_id', 'upstream_uid'].map(is),
    ...['name_folded', 'display_folded'].map(matches),
    sql`id in (select resource from names where former = 0 and ${matches('names.name')})`,
    ...isNumber,
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** One link as it is explained, and what it leads to, by whose number a list of them is ordered. */
export interface LinkView
  extends Pick<Link, 'desired' | 'observed' | 'pending' | 'stuck_at' | 'by_rule'> {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
}

/** One end of links: a user, or a group. */
export interface LinkEnd {
  readonly type: 'user' | 'group';
  readonly seq: number;
}

function isOf({ type, seq }: LinkEnd, list: LinkList): RawBuilder<unknown> {
  const column = sql.ref(type === 'user' ? 'link.target' : 'link.group_id');
  return sql`${column} = ${seq} and link.list = ${list}`;
}

interface LinkQuery extends Part {
  readonly list: LinkList;
  /** Of a user: groups, else the users of this group. What is deleted is left out, but for admins who are. */
  readonly of: LinkEnd;
}

/** Lists the live groups of a user, or the members or admins of a group. */
export async function listLinkViews(
  db: Db,
  { list, of, afterSeq, limit }: LinkQuery,
): Promise<LinkView[]> {
  const other = sql.ref(of.type === 'user' ? 'link.group_id' : 'link.target');
  const live = list === 'admin' ? sql`` : sql`and other.deleted_at is null`;
  return select<LinkView>(db)`
    select other.seq, other.id, other.name, link.desired, link.observed, link.pending,
      link.stuck_at, link.by_rule
    from links as link join resources as other on other.seq = ${other}
    where ${isOf(of, list)} and other.seq > ${afterSeq} ${live}
    order by other.seq limit ${limit}`;
}

type LinkCounts = Record<
  'all' | 'desired' | 'observed' | 'pending' | 'stuck' | 'differing',
  number
>;

/** Counts the links of a list of a group, or of a user. `pending`: the stuck too; `differing`: while nothing waits. */
export async function countLinks(db: Db, list: LinkList, of: LinkEnd): Promise<LinkCounts> {
  const rows = await select<LinkCounts>(db)`
    select count(*) as "all", count(case when desired = 1 then 1 end) as desired,
      count(case when observed = 1 then 1 end) as observed, count(pending) as pending, count(stuck_at) as stuck,
      count(case when pending is null and desired <> observed then 1 end) as differing
    from links as link where ${isOf(of, list)}`;
  return rows[0] ?? { all: 0, desired: 0, observed: 0, pending: 0, stuck: 0, differing: 0 };
}

/** True where something of a user or group waits, is stuck or is held by a plan: the service differs, and that is no drift. */
export async function isUnfinished(db: Db, key: ResourceKey): Promise<boolean> {
  const row = await findRow(db, key);
  if (row === undefined) return false;
  const isDeletionDue = row.deleted_at !== null && row.due_at !== null;
  if (isDeletionDue || listWaiting(parseCells<string>(row)).length > 0) return true;
  if (key.type === 'group' && (await countWaitingLinks(db, [key.id])).size > 0) return true;
  return (await listHeldChanges(db, [key.id])).length > 0;
}
