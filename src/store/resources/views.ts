import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { assertNever } from '../../domain/errors.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
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

/** Views by their tables. */
interface Views {
  readonly users: UserView;
  /** Without who is in it. */
  readonly groups: ResourceView<GroupId>;
}

/** The two tables that searches look at. */
type SearchTable = keyof Views;

/** The live user or group with this id as it is shown. What is read most is written as SQL, which costs kysely least. */
export async function findView<Table extends SearchTable>(
  db: Db,
  table: Table,
  id: string,
): Promise<Views[Table] | undefined> {
  const { rows } = await sql<Views[Table]>`
    ${selectViews(db, table)} where id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Users or groups as they are shown, in order of creation. */
export async function listViews<Table extends SearchTable>(
  db: Db,
  table: Table,
  query: ViewQuery,
): Promise<Views[Table][]> {
  const { rows } = await sql<Views[Table]>`
    ${selectViews(db, table)} where ${toPart(table, query)}`.execute(db);
  return rows;
}

/**
 * The columns of views, with the groups of each of the users: those that are wanted or, where nobody named the user, seen.
 * Text as a whole, because it is part of what is read most: kysely would put its parts together each time.
 */
const SELECTS = {
  sqlite: toSelects('json_quote(g.display_name)'),
  postgres: toSelects('to_json(g.display_name)::text'),
};

function toSelects(display: string): Readonly<Record<SearchTable, string>> {
  const columns = 'select seq, id, origin, provider, attributes, version, created_at, modified_at';
  const type = `case when m.by_rule = 0 then ',"type":"direct"}' else ',"type":"indirect"}' end`;
  const entry = `'{"value":"' || g.id || '","$ref":"../Groups/' || g.id || '","display":' || ${display} || ${type}`;
  const groups = `coalesce((select string_agg(${entry}, ',' order by g.seq)
    from memberships as m join groups as g on g.id = m.group_id
    where m.user_id = users.id and coalesce(m.desired, m.observed) = 1 and g.deleted_at is null), '')`;
  return {
    users: `${columns}, ${groups} as groups from users`,
    groups: `${columns}, inner_groups from groups`,
  };
}

function selectViews(db: Db, table: SearchTable): RawBuilder<unknown> {
  return sql.raw((isPostgres(db) ? SELECTS.postgres : SELECTS.sqlite)[table]);
}

/** Selection of live resources that are counted. */
export type CountQuery = Pick<ViewQuery, 'selector' | 'provider'>;

/** Counts live users or groups. */
export async function countViews(
  db: Db,
  table: SearchTable,
  { selector, provider }: CountQuery,
): Promise<number> {
  const condition = selector ? sql`and ${toCondition({ table, provider }, selector)}` : sql``;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where deleted_at is null ${condition}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The conditions, order and limits of one part of a list. */
function toPart(
  table: SearchTable,
  { selector, provider, limit, offset = 0, afterSeq, seqs }: ViewQuery,
): RawBuilder<unknown> {
  const conditions = [
    sql`deleted_at is null`,
    ...(selector ? [toCondition({ table, provider }, selector)] : []),
    ...(afterSeq === undefined ? [] : [sql`seq > ${afterSeq}`]),
    ...(seqs === undefined ? [] : [sql`seq in (${sql.join(seqs)})`]),
  ];
  const all = sql.join(conditions, sql` and `);
  if (offset === 0) return sql`${all} order by seq limit ${limit}`;
  // The start of the page is found by a query of its own, so that earlier entries are passed in an index and not row by
  // row.
  const first = sql`select seq from ${sql.table(table)} where ${all} order by seq limit 1 offset ${offset}`;
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
          (select u.user_name from users as u where u.id = m.user_id and u.deleted_at is null) end as display
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
      select id, user_name as display from users
      where id in (${sql.join(chunk)}) and deleted_at is null`.execute(db);
    return rows.map((row) => ({ owner, ...row }));
  });
}

/** Table of a search, and the provider that asks. */
interface Searched {
  readonly table: SearchTable;
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
  const { table, provider } = searched;
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
      return sql<SqlBool>`display_name_folded = ${selector.value}`;
    case 'lastModified':
      return sql<SqlBool>`modified_at ${sql.raw(MOMENT_SQL[selector.op])} ${selector.value}`;
    case 'member':
      return table === 'users' ? isIn(selector.value) : has(selector.value);
    case 'userName':
      return ofUsers(table, sql<SqlBool>`user_name_folded = ${selector.value}`);
    case 'email':
      return ofUsers(table, hasAddress(selector.value));
    case 'active':
      return ofUsers(table, sql<SqlBool>`active = ${selector.value ? 1 : 0}`);
    default:
      return assertNever(selector);
  }
}

function ofUsers(table: SearchTable, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return table === 'users' ? condition : NOTHING;
}

function hasAddress(emailFolded: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select user_id from user_emails where email_folded = ${emailFolded})`;
}

/** Condition: the user is in this group, and the group is not deleted. */
function isIn(groupId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.user_id from memberships as m where m.group_id = ${groupId}
    and coalesce(m.desired, m.observed) = 1 and ${isLive('groups', groupId)})`;
}

/** Condition: the group shows this member, a user or group that is not deleted. */
function has(id: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.group_id from memberships as m where m.user_id = ${id}
    and coalesce(m.desired, m.observed) = 1 and m.by_rule = 0 and ${isLive('users', id)}
    union select id from groups where inner_groups <> '[]'
      and replace(inner_groups, ${JSON.stringify(id)}, '') <> inner_groups and ${isLive('groups', id)})`;
}

function isLive(table: SearchTable, id: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} as linked
    where linked.id = ${id} and linked.deleted_at is null)`;
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
