import { sql } from 'kysely';
import { listWaiting } from '../../domain/cell.ts';
import { foldCase } from '../../domain/fold.ts';
import type { GroupId, ResourceKey, UserId } from '../../domain/ids.ts';
import { parseCells } from '../engine/columns.ts';
import { findGroupRow, type GroupRow } from '../groups/groups.ts';
import type { LinkTable } from '../links/links.ts';
import { listHeldChanges } from '../plans/actions.ts';
import type { Db, Part } from '../store.ts';
import { findUserRow, type UserRow } from '../users/users.ts';
import { countWaitingLinks } from './lists.ts';
import { findRow } from './rows.ts';

/** Rows that a name fits at most; more are as ambiguous as two. */
export const FITTING_MAX = 10;

/**
 * The user with this id, deleted or not, else the live users with this userName, displayName or address; where there is
 * none, the deleted ones: those of whom something still waits, or the newest.
 */
export async function listUsersByKey(db: Db, key: string): Promise<UserRow[]> {
  const row = await findUserRow(db, key);
  if (row !== undefined) return [row];
  const folded = foldCase(key);
  const named = db
    .selectFrom('users')
    .selectAll()
    .where((where) =>
      where.or([
        where('user_name_folded', '=', folded),
        where('display_name_folded', '=', folded),
        where('id', 'in', (query) =>
          query.selectFrom('user_emails').select('user_id').where('email_folded', '=', folded),
        ),
      ]),
    )
    .limit(FITTING_MAX);
  const live = await named.where('deleted_at', 'is', null).orderBy('seq').execute();
  if (live.length > 0) return live;
  return preferCurrent(await named.orderBy(WAITING_FIRST).orderBy('seq', 'desc').execute());
}

/**
 * The group with this id, deleted or not, else the live groups of this name; where there is none, the deleted ones:
 * those of which something still waits, or the newest.
 */
export async function listGroupsByKey(db: Db, key: string): Promise<GroupRow[]> {
  const row = await findGroupRow(db, key);
  if (row !== undefined) return [row];
  const named = db
    .selectFrom('groups')
    .selectAll()
    .where('display_name_folded', '=', foldCase(key))
    .limit(FITTING_MAX);
  const live = await named.where('deleted_at', 'is', null).orderBy('seq').execute();
  if (live.length > 0) return live;
  return preferCurrent(await named.orderBy(WAITING_FIRST).orderBy('seq', 'desc').execute());
}

const WAITING_FIRST = sql`case when due_at is null then 1 else 0 end`;

/** Leaves out what was deleted and has nothing waiting, where there is anything else. */
export function preferCurrent<Row extends Pick<UserRow, 'deleted_at' | 'due_at'>>(
  rows: Row[],
): Row[] {
  const current = rows.filter((row) => row.deleted_at === null || row.due_at !== null);
  return current.length > 0 ? current : rows;
}

/** One link as it is explained, with what it leads to. */
export interface LinkView {
  readonly id: string;
  readonly name: string;
  readonly desired: number | null;
  readonly observed: number | null;
  readonly pending: number | null;
  readonly stuck_at: number | null;
  /** Origin of an admin: 1 a rule put the user in, 2 it found them there. */
  readonly by_rule: number;
}

/** The first live groups of a user, in order of joining. */
export async function listGroupLinksOf(db: Db, id: UserId, limit: number): Promise<LinkView[]> {
  const { rows } = await sql<LinkView>`
    select g.id, g.display_name as name, m.desired, m.observed, m.pending, m.stuck_at, 0 as by_rule
    from memberships as m join groups as g on g.id = m.group_id
    where m.user_id = ${id} and g.deleted_at is null order by m.seq limit ${limit}`.execute(db);
  return rows;
}

/** The first admins of a group, in order of joining. */
export async function listAdminLinksOf(db: Db, id: GroupId, limit: number): Promise<LinkView[]> {
  const { rows } = await sql<LinkView>`
    select u.id, u.user_name as name, a.desired, a.observed, a.pending, a.stuck_at, a.by_rule
    from group_admins as a join users as u on u.id = a.user_id
    where a.group_id = ${id} order by a.seq limit ${limit}`.execute(db);
  return rows;
}

/** A link with its place in the order of joining. */
export interface SeqLink extends LinkView {
  readonly seq: number;
}

/** Members of a group that are not deleted, in order of joining. */
export async function listMemberLinksOf(
  db: Db,
  groupId: string,
  { afterSeq, limit }: Part,
): Promise<SeqLink[]> {
  const { rows } = await sql<SeqLink>`
    select m.seq, u.id, u.user_name as name, m.desired, m.observed, m.pending, m.stuck_at, 0 as by_rule
    from memberships as m join users as u on u.id = m.user_id
    where m.group_id = ${groupId} and m.seq > ${afterSeq} and u.deleted_at is null
    order by m.seq limit ${limit}`.execute(db);
  return rows;
}

/** Counts the links of a list by how they stand. */
interface LinkCounts {
  readonly all: number;
  readonly desired: number;
  readonly observed: number;
  /** Those that wait, the stuck among them. */
  readonly pending: number;
  readonly stuck: number;
  /** Those that differ, while nothing waits. */
  readonly differing: number;
}

/** Counts the links of a list of a group, or of a user. */
export async function countLinks(
  db: Db,
  table: LinkTable,
  of: { readonly group_id: GroupId } | { readonly user_id: UserId },
): Promise<LinkCounts> {
  const condition =
    'group_id' in of ? sql`group_id = ${of.group_id}` : sql`user_id = ${of.user_id}`;
  const { rows } = await sql<LinkCounts>`
    select count(*) as "all", count(case when desired = 1 then 1 end) as desired,
      count(case when observed = 1 then 1 end) as observed, count(pending) as pending, count(stuck_at) as stuck,
      count(case when pending is null and desired <> observed then 1 end) as differing
    from ${sql.table(table)} where ${condition}`.execute(db);
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
