import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { assertNever } from '../../domain/errors.ts';
import type { GivenKey, GroupId, UserId } from '../../domain/ids.ts';
import type { Owned } from '../../domain/provider.ts';
import type { MomentOp, Selector } from '../../domain/selector.ts';
import { allOf, isPostgres, readNumber, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** Columns of a stored resource that an answer needs. */
export interface ResourceView<Id extends string = string> extends Owned {
  readonly seq: number;
  readonly id: Id;
  /** The SCIM attributes as JSON text, `schemas` included, so that most answers need no parsing. */
  readonly attributes: string;
  readonly version: number;
  readonly created_at: number;
  readonly modified_at: number;
  /** Of a group: the groups that are its members, as a JSON list of ids. */
  readonly inner_groups?: string;
}

/** Columns of a stored user that an answer needs. */
export interface UserView extends ResourceView<UserId> {
  /** The entries of `groups` as JSON text, joined by commas, in order of the groups' creation. */
  readonly groups: string;
}

/** Selection of live resources, and the page of it to read, in order of creation. */
export interface ViewQuery {
  readonly selector: Selector | undefined;
  /** Name of the provider that asks: of an externalId only its own are found. */
  readonly provider: string;
  readonly limit: number;
  readonly offset?: number;
  /** Only those created after this one; steadier than an offset while others are added. */
  readonly afterSeq?: number;
  /** Only these, by their place in the order of creation. */
  readonly seqs?: readonly number[];
}

type ResourceType = GivenKey['type'];
type Views = { readonly user: UserView; readonly group: ResourceView<GroupId> };

/** The live user or group with this id as it is shown. What is read most is written as SQL, which costs kysely least. */
export const findView = async <Type extends ResourceType>(db: Db, type: Type, id: string) =>
  (await selectViews(db, type, sql`id = ${id} and deleted_at is null`))[0];

/** Users or groups as they are shown, in order of creation. */
export const listViews = <Type extends ResourceType>(db: Db, type: Type, query: ViewQuery) =>
  selectViews(db, type, toPart(type, query));

/**
 * The columns of views, with the groups of each of the users: those that are wanted or, where nobody named the user, seen.
 * Text as a whole, because it is part of what is read most: kysely would put its parts together each time.
 */
const SELECTS = {
  sqlite: toSelects('json_quote(g.name)'),
  postgres: toSelects('to_json(g.name)::text'),
};

function toSelects(display: string): Readonly<Record<ResourceType, string>> {
  const columns = 'select seq, id, origin, provider, attributes, version, created_at, modified_at';
  const type = `case when m.by_rule = 0 then ',"type":"direct"}' else ',"type":"indirect"}' end`;
  const entry = `'{"value":"' || g.id || '","$ref":"../Groups/' || g.id || '","display":' || ${display} || ${type}`;
  const groups = `coalesce((select string_agg(${entry}, ',' order by g.seq)
    from links as m join resources as g on g.seq = m.group_id
    where m.target = resources.seq and m.list = 'member' and coalesce(m.desired, m.observed) = 1 and g.deleted_at is null), '')`;
  return {
    user: `${columns}, ${groups} as groups from resources where type = 'user'`,
    group: `${columns}, inner_groups from resources where type = 'group'`,
  };
}

function selectViews<Type extends ResourceType>(db: Db, type: Type, which: RawBuilder<unknown>) {
  const columns = sql.raw((isPostgres(db) ? SELECTS.postgres : SELECTS.sqlite)[type]);
  return select<Views[Type]>(db)`${columns} and ${which}`;
}

/** Counts live users or groups. */
export function countViews(
  db: Db,
  type: ResourceType,
  { selector, provider }: Pick<ViewQuery, 'selector' | 'provider'>,
): Promise<number> {
  const condition = selector ? sql`and ${toCondition({ type, provider }, selector)}` : sql``;
  const live = sql`type = ${sql.lit(type)} and deleted_at is null`;
  return readNumber(db, sql`select count(*) from resources where ${live} ${condition}`);
}

function toPart(
  type: ResourceType,
  { selector, provider, limit, offset = 0, afterSeq, seqs }: ViewQuery,
): RawBuilder<unknown> {
  const all = allOf([
    sql`deleted_at is null`,
    selector && toCondition({ type, provider }, selector),
    afterSeq !== undefined && sql`seq > ${afterSeq}`,
    seqs && sql`seq in (${sql.join(seqs)})`,
  ]);
  if (offset === 0) return sql`${all} order by seq limit ${limit}`;
  // The start of the page is found by a query of its own, so that earlier entries are passed in an index and not row by
  // row.
  const first = sql`select seq from resources where type = ${sql.lit(type)} and ${all} order by seq limit 1 offset ${offset}`;
  return sql`${all} and seq >= (${first}) order by seq limit ${limit}`;
}

interface Searched {
  readonly type: ResourceType;
  readonly provider: string;
}

const MOMENT_SQL: Readonly<Record<MomentOp, string>> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

const NOTHING = sql<SqlBool>`1 = 0`;
const ALL = sql<SqlBool>`1 = 1`;

/**
 * Condition of a search as SQL text, answered by an index. A look-up by name is the most frequent request, and kysely's
 * builder costs more than the query. An attribute that the table does not have matches nothing.
 */
function toCondition(searched: Searched, selector: Selector): RawBuilder<SqlBool> {
  const { type, provider } = searched;
  const ofUsers = (condition: RawBuilder<SqlBool>) => (type === 'user' ? condition : NOTHING);
  switch (selector.kind) {
    case 'and':
    case 'or': {
      if (selector.parts.length === 0) return selector.kind === 'and' ? ALL : NOTHING;
      const parts = selector.parts.map((part) => toCondition(searched, part));
      return sql<SqlBool>`(${sql.join(parts, selector.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'id':
      return sql<SqlBool>`id = ${selector.value}`;
    case 'externalId':
      return sql<SqlBool>`(external_id = ${selector.value} and provider = ${provider})`;
    case 'displayName':
      return type === 'user'
        ? sql<SqlBool>`display_folded = ${selector.value}`
        : sql<SqlBool>`name_folded = ${selector.value}`;
    case 'lastModified':
      return sql<SqlBool>`modified_at ${sql.raw(MOMENT_SQL[selector.op])} ${selector.value}`;
    case 'member':
      return type === 'user' ? isIn(selector.value) : has(selector.value);
    case 'userName':
      return ofUsers(sql<SqlBool>`name_folded = ${selector.value}`);
    case 'email':
      return ofUsers(
        sql<SqlBool>`id in (select resource from names where former = 0 and name = ${selector.value})`,
      );
    case 'active':
      return ofUsers(sql<SqlBool>`active = ${selector.value ? 1 : 0}`);
    default:
      return assertNever(selector);
  }
}

const isIn = (groupId: string) =>
  sql<SqlBool>`seq in (select m.target from links as m where m.group_id = ${toLive('group', groupId)}
    and m.list = 'member' and coalesce(m.desired, m.observed) = 1)`;

/** Condition: the group shows this member, a user or group that is not deleted. */
const has = (id: string) =>
  sql<SqlBool>`seq in (select m.group_id from links as m where m.target = ${toLive('user', id)}
    and m.list = 'member' and coalesce(m.desired, m.observed) = 1 and m.by_rule = 0
    union select seq from resources where inner_groups <> '[]'
      and replace(inner_groups, ${JSON.stringify(id)}, '') <> inner_groups and ${toLive('group', id)} is not null)`;

const toLive = (type: ResourceType, id: string) =>
  sql`(select live.seq from resources as live
    where live.id = ${id} and live.type = ${sql.lit(type)} and live.deleted_at is null)`;
