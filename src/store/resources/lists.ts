import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { ACTIVE_STATUSES } from '../../domain/change.ts';
import type { LinkList } from '../../domain/link.ts';
import { foldCase } from '../../domain/values.ts';
import { allOf, readOne, select } from '../engine/dialect.ts';
import type { Db, ListPart } from '../store.ts';
import type { Row } from '../tables.ts';
import type { ResourceRow, ResourceType, RowOf } from './rows.ts';

/** Filter of users or groups, deleted ones alone. `q`: part of a userName, an address or a displayName, in any case, or a whole id. */
type ResourceFilter = Readonly<
  Partial<Record<'managed' | 'due' | 'stuck' | 'disputed' | 'drifted' | 'deleted', Flag>>
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
    from resources where type = ${sql.lit(type)} and ${isMeant} order by seq limit ${limit}`;
}

const countDrifts = (column: RawBuilder<unknown>) =>
  sql<number>`(select count(*) from drifts where status in (${sql.join(ACTIVE_STATUSES)})
    and change is not null and ${column} = resources.id)`;

/** Of what is managed. A user also has those of memberships and admin rights, which stand with the group. */
const DRIFTS = sql<number>`(${countDrifts(sql`resource_id`)} + ${countDrifts(sql`member_id <> '' and member_id`)})`;

/** The name is the provider's, and an account may have it as its address. */
const DISPUTES = sql<number>`(select count(*) from disputes where resource_type = resources.type and name_folded in
  (resources.name_folded, resources.observed_user_name_folded, resources.observed_email_folded))`;

function toCondition({ managed, due, stuck, disputed, drifted, ...others }: ResourceFilter) {
  const { deleted = 'false', q } = others;
  const isSet = (column: string, wanted: Flag | undefined) =>
    wanted && sql`${sql.ref(column)} is ${wanted === 'true' ? sql`not null` : sql`null`}`;
  const isAny = (count: RawBuilder<number>, wanted: Flag | undefined) =>
    wanted && sql`${count} ${wanted === 'true' ? sql`>` : sql`=`} 0`;
  return allOf([
    isSet('origin', managed),
    isSet('due_at', due),
    isSet('stuck_at', stuck),
    isSet('deleted_at', deleted),
    isAny(DISPUTES, disputed),
    isAny(DRIFTS, drifted),
    q !== undefined && toText(q),
  ]);
}

/** By a part of a name or an address, or by any whole id: of SCIM, of the provider, of the service. */
export function toText(text: string): RawBuilder<SqlBool> {
  const like = `%${foldCase(text).replace(/[\\%_]/g, '\\$&')}%`;
  const matches = (column: string) => sql`${sql.ref(column)} like ${like} escape '\\'`;
  const conditions = [
    ...['id', 'external_id', 'upstream_scim_id', 'upstream_uid'].map(
      (column) => sql`${sql.ref(column)} = ${text}`,
    ),
    ...['name_folded', 'display_folded'].map(matches),
    sql`id in (select resource from names where former = 0 and ${matches('names.name')})`,
    ...(/^\d{1,15}$/.test(text) ? [sql`upstream_id = ${Number(text)}`] : []),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
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
    where home.id in (${sql.join(ids)}) and link.pending is not null
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
  sql`${sql.ref(type === 'user' ? 'link.target' : 'link.group_id')} = ${seq} and link.list = ${list}`;

/** Lists the live groups of a user, or the members or admins of a group. Deleted admins are among them. */
export function listLinkViews(
  db: Db,
  { list, of, afterSeq, limit }: ListPart & { readonly list: LinkList; readonly of: LinkEnd },
) {
  const other = sql.ref(of.type === 'user' ? 'link.group_id' : 'link.target');
  const live = list === 'admin' ? sql`` : sql`and other.deleted_at is null`;
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
