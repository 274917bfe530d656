import { sql } from 'kysely';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { Selector } from '../domain/selector.ts';
import { chunks } from './chunks.ts';
import type { Db } from './database.ts';
import type { LinkTable } from './links.ts';
import { whereGroups, whereUsers } from './selection.ts';

/** What an answer needs of a stored resource. */
export interface ResourceView<Id extends string = string> {
  readonly seq: number;
  readonly id: Id;
  /** The SCIM attributes as JSON text, `schemas` included, so that most answers need no parsing. */
  readonly attributes: string;
  readonly version: number;
  readonly created_at: number;
  readonly modified_at: number;
}

/** What an answer for a user needs. */
export interface UserView extends ResourceView<UserId> {
  /** The entries of `groups` as JSON text, joined by commas. */
  readonly shown_groups: string;
}

/** Which live resources, and which part of them in order of creation. */
export interface ViewQuery {
  readonly selector: Selector | undefined;
  readonly limit: number;
  readonly offset?: number;
  /** Only those created after this one; steadier than an offset while others are added. */
  readonly afterSeq?: number;
  /** Only these, by their place in the order of creation. */
  readonly seqs?: readonly number[];
}

const VIEW = ['seq', 'id', 'attributes', 'version', 'created_at', 'modified_at'] as const;
const USER_VIEW = [...VIEW, 'shown_groups'] as const;

/** The live user with this id as it is shown. What is read most is written as SQL, which costs kysely least. */
export async function findUserView(db: Db, id: string): Promise<UserView | undefined> {
  const { rows } = await sql<UserView>`
    select seq, id, attributes, version, created_at, modified_at, shown_groups
    from users where id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** The live group with this id as it is shown, without who is in it. */
export async function findGroupView(
  db: Db,
  id: string,
): Promise<ResourceView<GroupId> | undefined> {
  const { rows } = await sql<ResourceView<GroupId>>`
    select seq, id, attributes, version, created_at, modified_at
    from groups where id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Users as they are shown, in order of creation. */
export async function listUserViews(
  db: Db,
  { selector, limit, offset = 0, afterSeq, seqs }: ViewQuery,
): Promise<UserView[]> {
  let query = db.selectFrom('users').select(USER_VIEW).where('deleted_at', 'is', null);
  if (selector) query = query.where((where) => whereUsers(where, selector));
  if (afterSeq !== undefined) query = query.where('seq', '>', afterSeq);
  if (seqs !== undefined) query = query.where('seq', 'in', seqs);
  return query.orderBy('seq').limit(limit).offset(offset).execute();
}

/** Groups as they are shown, in order of creation. */
export async function listGroupViews(
  db: Db,
  { selector, limit, offset = 0, afterSeq, seqs }: ViewQuery,
): Promise<ResourceView<GroupId>[]> {
  let query = db.selectFrom('groups').select(VIEW).where('deleted_at', 'is', null);
  if (selector) query = query.where((where) => whereGroups(where, selector));
  if (afterSeq !== undefined) query = query.where('seq', '>', afterSeq);
  if (seqs !== undefined) query = query.where('seq', 'in', seqs);
  return query.orderBy('seq').limit(limit).offset(offset).execute();
}

/** How many live users there are. */
export async function countUsers(db: Db, selector: Selector | undefined): Promise<number> {
  let query = db.selectFrom('users').select((s) => s.fn.countAll<number>().as('count'));
  if (selector) query = query.where((where) => whereUsers(where, selector));
  const { count } = await query.where('deleted_at', 'is', null).executeTakeFirstOrThrow();
  return count;
}

/** How many live groups there are. */
export async function countGroups(db: Db, selector: Selector | undefined): Promise<number> {
  let query = db.selectFrom('groups').select((s) => s.fn.countAll<number>().as('count'));
  if (selector) query = query.where((where) => whereGroups(where, selector));
  const { count } = await query.where('deleted_at', 'is', null).executeTakeFirstOrThrow();
  return count;
}

/** Somebody in a list of a group, as a filter on that list sees them. */
export interface PersonView {
  readonly owner: GroupId;
  readonly id: UserId;
  readonly display: string;
}

/** The people in these groups, or the admins of them, in order of joining. */
export async function listPeopleOfGroups(
  db: Db,
  table: LinkTable,
  ids: readonly GroupId[],
): Promise<PersonView[]> {
  const people: PersonView[] = [];
  for (const chunk of chunks(ids)) {
    const { rows } = await sql<PersonView>`
      select m.group_id as owner, u.id as id, u.user_name as display
      from ${sql.table(table)} as m join users as u on u.id = m.user_id
      where m.group_id in (${sql.join(chunk)}) and coalesce(m.desired, m.observed) = 1 and u.deleted_at is null
      order by m.seq`.execute(db);
    people.push(...rows);
  }
  return people;
}
