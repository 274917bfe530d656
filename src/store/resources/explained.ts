import { type RawBuilder, sql } from 'kysely';
import { listWaiting } from '../../domain/cell.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import type { Link, LinkList } from '../../domain/link.ts';
import { parseCells } from '../engine/columns.ts';
import { select } from '../engine/dialect.ts';
import { listHeldChanges } from '../plans/actions.ts';
import type { Db, Part } from '../store.ts';
import { countWaitingLinks } from './lists.ts';
import { findRow } from './rows.ts';

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
