import type { Sql } from 'sql-template-tag';
import sql, { join, raw } from 'sql-template-tag';
import type { LinkList } from '../../domain/link.ts';
import type { GroupId, UserId } from '../../domain/values.ts';
import { assertNever } from '../../domain/values.ts';
import { allOf, isPostgres, literal, readNumber, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { ResourceRow, ResourceType } from './rows.ts';

/** Columns of a stored resource that an answer needs. */
export type ResourceView<Id extends string = string> = Pick<
  ResourceRow,
  'seq' | 'origin' | 'provider' | 'version' | 'created_at' | 'modified_at'
> & {
  readonly id: Id;
  /** SCIM attributes, as JSON text. */
  readonly document: string;
  /** Of a group: the groups that are its members. */
  readonly inner_groups?: readonly GroupId[];
};

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

type Views = { readonly user: UserView; readonly group: ResourceView<GroupId> };

/** The live user or group with this id as it is shown. */
export const findView = async <Type extends ResourceType>(db: Db, type: Type, id: string) =>
  (await selectViews(db, type, sql`id = ${id} and deleted_at is null`))[0];

/** Users or groups as they are shown, in order of creation. */
export const listViews = <Type extends ResourceType>(db: Db, type: Type, query: ViewQuery) =>
  selectViews(db, type, toPart(type, query));

/** The numbers of the same users or groups. */
export async function listSeqs(db: Db, type: ResourceType, query: ViewQuery): Promise<number[]> {
  const rows = await select<{ seq: number }>(db)`
    select seq from resources where type = ${literal(type)} and ${toPart(type, query)}`;
  return rows.map(({ seq }) => seq);
}

/** The columns of views, with the groups of each user: one text, since it is read most. */
const SELECTS = {
  sqlite: toSelects('json_quote(g.name)'),
  postgres: toSelects('to_json(g.name)::text'),
};

function toSelects(display: string): Readonly<Record<ResourceType, string>> {
  const columns =
    'select seq, id, origin, provider, attributes as document, version, created_at, modified_at';
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

function selectViews<Type extends ResourceType>(db: Db, type: Type, which: Sql) {
  const columns = raw((isPostgres(db) ? SELECTS.postgres : SELECTS.sqlite)[type]);
  return select<Views[Type]>(db)`${columns} and ${which}`;
}

/** Counts live users or groups. */
export function countViews(
  db: Db,
  type: ResourceType,
  query: Pick<ViewQuery, 'selector' | 'provider'>,
): Promise<number> {
  const live = sql`type = ${literal(type)} and ${isMeant(type, query)}`;
  return readNumber(db, sql`select count(*) from resources where ${live}`);
}

function toPart(type: ResourceType, query: ViewQuery): Sql {
  const { limit, offset = 0 } = query;
  const all = isMeant(type, query);
  if (offset === 0) return sql`${all} order by seq limit ${limit}`;
  // The start of the page is found by a query of its own, so that earlier entries are passed in an index and not row by
  // row.
  const first = sql`select seq from resources where type = ${literal(type)} and ${all} order by seq limit 1 offset ${offset}`;
  return sql`${all} and seq >= (${first}) order by seq limit ${limit}`;
}

const isMeant = (
  type: ResourceType,
  { selector, provider, afterSeq, seqs }: Omit<ViewQuery, 'limit' | 'offset'>,
) =>
  allOf([
    sql`deleted_at is null`,
    selector && toCondition({ type, provider }, selector),
    afterSeq !== undefined && sql`seq > ${afterSeq}`,
    seqs && sql`seq in (${join(seqs)})`,
  ]);

const MOMENT_SQL: Readonly<Record<MomentOp, string>> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

const NOTHING = sql`1 = 0`;

/** Condition of a search as SQL text, answered by an index; an unknown attribute matches nothing. */
function toCondition(
  searched: { readonly type: ResourceType; readonly provider: string },
  selector: Selector,
): Sql {
  const isUser = searched.type === 'user';
  const ofUsers = (condition: Sql) => (isUser ? condition : NOTHING);
  switch (selector.kind) {
    case 'and':
      return allOf(selector.parts.map((part) => toCondition(searched, part)));
    case 'or': {
      const parts = selector.parts.map((part) => toCondition(searched, part));
      return parts.length === 0 ? NOTHING : sql`(${join(parts, ' or ')})`;
    }
    case 'id':
      return sql`id = ${selector.value}`;
    case 'externalId':
      return sql`(external_id = ${selector.value} and provider = ${searched.provider})`;
    case 'displayName':
      return sql`${raw(isUser ? 'display_folded' : 'name_folded')} = ${selector.value}`;
    case 'lastModified':
      return sql`modified_at ${raw(MOMENT_SQL[selector.op])} ${selector.value}`;
    case 'member':
      return isUser ? isIn(selector.value) : has(selector.value);
    case 'userName':
      return ofUsers(sql`name_folded = ${selector.value}`);
    case 'email':
      return ofUsers(
        sql`id in (select resource from names where former = 0 and name = ${selector.value})`,
      );
    case 'active':
      return ofUsers(sql`active = ${selector.value ? 1 : 0}`);
    default:
      return assertNever(selector);
  }
}

const isIn = (groupId: string) =>
  sql`seq in (select m.target from links as m where m.group_id = ${toLive('group', groupId)}
    and m.list = 'member' and coalesce(m.desired, m.observed) = 1)`;

/** Condition: the group shows this member, a user or group that is not deleted. */
const has = (id: string) =>
  sql`seq in (select m.group_id from links as m where m.target = ${toLive('user', id)}
    and m.list = 'member' and coalesce(m.desired, m.observed) = 1 and m.by_rule = 0
    union select seq from resources where inner_groups <> '[]'
      and replace(inner_groups, ${JSON.stringify(id)}, '') <> inner_groups and ${toLive('group', id)} is not null)`;

const toLive = (type: ResourceType, id: string) =>
  sql`(select live.seq from resources as live
    where live.id = ${id} and live.type = ${literal(type)} and live.deleted_at is null)`;

/** Users that one statement reads of a group, so that it does not hold the event loop for long. */
const USERS_AT_ONCE = 2_000;

/** Some of the users that a list of a group shows, as JSON text joined by commas, and where the next part begins, if there is one. */
export type ShownUsers = { readonly items: string; readonly next: number | undefined };

/** A list of groups, and where its users are: what `$ref` is before a slash and the id. */
type ShownList = { readonly list: LinkList; readonly usersUrl: string };

/**
 * Reads a list of several groups behind a place, some thousands of users of each, written by the database. A user is
 * shown when wanted or, where no provider named the user, seen. Links are counted before they are looked at: PostgreSQL
 * guesses far too few, and would sort whole groups. @returns the parts in the order of the groups' numbers
 */
export async function readShown(
  db: Db,
  seqs: readonly number[],
  { list, after, usersUrl }: ShownList & { readonly after: number },
): Promise<Map<number, ShownUsers>> {
  if (seqs.length === 0) return new Map();
  // Ids are digits of ours, so only the name needs quoting.
  const name = isPostgres(db) ? sql`to_json(u.name)::text` : sql`json_quote(u.name)`;
  const ref = literal(`","$ref":"${usersUrl}/`);
  const entry = sql`'{"value":"' || u.id || ${ref} || u.id || '","display":' || ${name} || ',"type":"User"}'`;
  const isShown = sql`coalesce(m.desired, m.observed) = 1 and (m.by_rule = 0 or m.list = 'admin')`;
  const rows = await select<{ seq: number; part: string }>(db)`
    select home.seq, (
      select count(*) || ' ' || coalesce(max(p.target), 0) || ' ' ||
        coalesce(string_agg(p.entry, ',' order by p.target) filter (where p.entry is not null), '')
      from (select m.target, case when ${isShown} then
          (select ${entry} from resources as u where u.seq = m.target and u.deleted_at is null) end as entry
        from links as m where m.group_id = home.seq and m.list = ${list} and m.target > ${after}
        order by m.target limit ${USERS_AT_ONCE}) as p) as part
    from resources as home where home.seq in (${join(seqs)})`;
  return new Map(rows.map(({ seq, part }) => [seq, toShownUsers(part)]));
}

function toShownUsers(part: string): ShownUsers {
  const [count = '', last = ''] = part.split(' ', 2);
  const items = part.slice(count.length + last.length + 2);
  return { items, next: Number(count) < USERS_AT_ONCE ? undefined : Number(last) };
}

/** Reads a list of one group, part by part. @param first what was read already */
export async function* streamShown(
  db: Db,
  seq: number,
  shown: ShownList,
  first?: ShownUsers,
): AsyncGenerator<string> {
  let part = first ?? (await readShown(db, [seq], { ...shown, after: 0 })).get(seq);
  while (part !== undefined) {
    if (part.items !== '') yield part.items;
    if (part.next === undefined) return;
    part = (await readShown(db, [seq], { ...shown, after: part.next })).get(seq);
  }
}

/** Comparison of a moment with the stored one. */
export type MomentOp = 'eq' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * Search that an index can answer; names and addresses are folded, times are epoch milliseconds. `or` without parts
 * finds nothing, `and` without parts finds everything.
 */
export type Selector =
  | {
      readonly kind: 'id' | 'externalId' | 'member' | 'userName' | 'email' | 'displayName';
      readonly op: 'eq';
      readonly value: string;
    }
  | { readonly kind: 'active'; readonly op: 'eq'; readonly value: boolean }
  | { readonly kind: 'lastModified'; readonly op: MomentOp; readonly value: number }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Selector[] };
