import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { assertNever } from '../../domain/errors.ts';
import type { GivenKey, GroupId, UserId } from '../../domain/ids.ts';
import type { Owned } from '../../domain/provider.ts';
import type { MomentOp, Selector } from '../../domain/selector.ts';
import { chunks, isPostgres, readInChunks, readParts } from '../engine/dialect.ts';
import type { LinkTable } from '../links/links.ts';
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
/** Views by their types; those of groups without who is in them. */
interface Views {
  readonly user: UserView;
  readonly group: ResourceView<GroupId>;
}

/** The live user or group with this id as it is shown. What is read most is written as SQL, which costs kysely least. */
export async function findView<Type extends ResourceType>(
  db: Db,
  type: Type,
  id: string,
): Promise<Views[Type] | undefined> {
  const { rows } = await sql<Views[Type]>`
    ${selectViews(db, type)} and id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Users or groups as they are shown, in order of creation. */
export async function listViews<Type extends ResourceType>(
  db: Db,
  type: Type,
  query: ViewQuery,
): Promise<Views[Type][]> {
  const { rows } = await sql<Views[Type]>`
    ${selectViews(db, type)} and ${toPart(type, query)}`.execute(db);
  return rows;
}

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
    from memberships as m join resources as g on g.id = m.group_id
    where m.user_id = resources.id and coalesce(m.desired, m.observed) = 1 and g.deleted_at is null), '')`;
  return {
    user: `${columns}, ${groups} as groups from resources where type = 'user'`,
    group: `${columns}, inner_groups from resources where type = 'group'`,
  };
}

function selectViews(db: Db, type: ResourceType): RawBuilder<unknown> {
  return sql.raw((isPostgres(db) ? SELECTS.postgres : SELECTS.sqlite)[type]);
}

/** Selection of live resources that are counted. */
export type CountQuery = Pick<ViewQuery, 'selector' | 'provider'>;

/** Counts live users or groups. */
export async function countViews(
  db: Db,
  type: ResourceType,
  { selector, provider }: CountQuery,
): Promise<number> {
  const condition = selector ? sql`and ${toCondition({ type, provider }, selector)}` : sql``;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from resources where type = ${sql.lit(type)} and deleted_at is null ${condition}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The conditions, order and limits of one part of a list. */
function toPart(
  type: ResourceType,
  { selector, provider, limit, offset = 0, afterSeq, seqs }: ViewQuery,
): RawBuilder<unknown> {
  const conditions = [
    sql`deleted_at is null`,
    ...(selector ? [toCondition({ type, provider }, selector)] : []),
    ...(afterSeq === undefined ? [] : [sql`seq > ${afterSeq}`]),
    ...(seqs === undefined ? [] : [sql`seq in (${sql.join(seqs)})`]),
  ];
  const all = sql.join(conditions, sql` and `);
  if (offset === 0) return sql`${all} order by seq limit ${limit}`;
  // The start of the page is found by a query of its own, so that earlier entries are passed in an index and not row by
  // row.
  const first = sql`select seq from resources where type = ${sql.lit(type)} and ${all} order by seq limit 1 offset ${offset}`;
  return sql`${all} and seq >= (${first}) order by seq limit ${limit}`;
}

/** Number of users read by one statement: a group may have all of them. */
const USERS_AT_ONCE = 5_000;

/** User in a list of a group, as a filter on that list sees them. */
export interface ListedUser {
  readonly owner: GroupId;
  readonly id: UserId;
  readonly display: string;
}

/** Link of a group to a user. `display` null: no list shows it. */
interface ListedLink {
  readonly seq: number;
  readonly display: string | null;
}

/** Lists the members or the admins of these groups, in order of joining; of members those alone whom a provider named, or nobody. */
export async function listUsersOfGroups(
  db: Db,
  table: LinkTable,
  ids: readonly GroupId[],
): Promise<ListedUser[]> {
  const users: ListedUser[] = [];
  for await (const page of streamUsersOfGroups(db, table, ids)) {
    for (const user of page) users.push(user);
  }
  return users;
}

/** The members or the admins of these groups as `listUsersOfGroups`, some thousands at a time: a group may have all users. */
export async function* streamUsersOfGroups(
  db: Db,
  table: LinkTable,
  ids: readonly GroupId[],
): AsyncGenerator<ListedUser[]> {
  const direct = table === 'memberships' ? sql`and m.by_rule = 0` : sql``;
  for (const chunk of chunks(ids)) {
    // All links in their order, and each name by itself: see `readMembers` in `shown.ts`.
    const pages = readParts(USERS_AT_ONCE, async ({ afterSeq, limit }) => {
      const { rows } = await sql<Omit<ListedUser, 'display'> & ListedLink>`
        select m.seq, m.group_id as owner, m.user_id as id, case when coalesce(m.desired, m.observed) = 1 ${direct} then
          (select u.name from resources as u where u.id = m.user_id and u.deleted_at is null) end as display
        from ${sql.table(table)} as m where m.group_id in (${sql.join(chunk)}) and m.seq > ${afterSeq}
        order by m.seq limit ${limit}`.execute(db);
      return rows;
    });
    for await (const rows of pages) {
      yield rows.flatMap(({ owner, id, display }) =>
        display === null ? [] : { owner, id, display },
      );
    }
  }
}

/** Users by their ids as a list of `owner` would show them; those that are not there are left out. */
export async function listUsersById(
  db: Db,
  owner: GroupId,
  ids: readonly UserId[],
): Promise<ListedUser[]> {
  return readInChunks(ids, async (chunk) => {
    const { rows } = await sql<Pick<ListedUser, 'id' | 'display'>>`
      select id, name as display from resources
      where id in (${sql.join(chunk)}) and type = 'user' and deleted_at is null`.execute(db);
    return rows.map((row) => ({ owner, ...row }));
  });
}

/** Type of what is searched, and the provider that asks. */
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
  switch (selector.kind) {
    case 'and':
      return join(searched, selector.parts, { by: sql` and `, empty: ALL });
    case 'or':
      return join(searched, selector.parts, { by: sql` or `, empty: NOTHING });
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
      return ofUsers(type, sql<SqlBool>`name_folded = ${selector.value}`);
    case 'email':
      return ofUsers(type, hasAddress(selector.value));
    case 'active':
      return ofUsers(type, sql<SqlBool>`active = ${selector.value ? 1 : 0}`);
    default:
      return assertNever(selector);
  }
}

function ofUsers(type: ResourceType, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return type === 'user' ? condition : NOTHING;
}

function hasAddress(emailFolded: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select resource from names where former = 0 and name = ${emailFolded})`;
}

/** Condition: the user is in this group, and the group is not deleted. */
function isIn(groupId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.user_id from memberships as m where m.group_id = ${groupId}
    and coalesce(m.desired, m.observed) = 1 and ${isLive('group', groupId)})`;
}

/** Condition: the group shows this member, a user or group that is not deleted. */
function has(id: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.group_id from memberships as m where m.user_id = ${id}
    and coalesce(m.desired, m.observed) = 1 and m.by_rule = 0 and ${isLive('user', id)}
    union select id from resources where inner_groups <> '[]'
      and replace(inner_groups, ${JSON.stringify(id)}, '') <> inner_groups and ${isLive('group', id)})`;
}

function isLive(type: ResourceType, id: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from resources as linked
    where linked.id = ${id} and linked.type = ${sql.lit(type)} and linked.deleted_at is null)`;
}

function join(
  searched: Searched,
  parts: readonly Selector[],
  { by, empty }: { by: RawBuilder<unknown>; empty: RawBuilder<SqlBool> },
): RawBuilder<SqlBool> {
  if (parts.length === 0) return empty;
  const conditions = parts.map((part) => toCondition(searched, part));
  return sql<SqlBool>`(${sql.join(conditions, by)})`;
}
