import { type RawBuilder, sql } from 'kysely';
import { type Link, type LinkList, NEW_LINK, seeLink } from '../../domain/link.ts';
import { isPostgres, readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { deleteLinks, type GroupKey, planLinks, type StoredLink, saveLinks } from './links.ts';

/** Complete list of the members or admins of a group. */
export interface SeenLinks {
  readonly list: LinkList;
  readonly upstreamUserIds: readonly number[];
  /** Desired state of users whom no provider named: 1 at adoption, 0 in a managed group, null in others. */
  readonly baseline: number | null;
  /** `unknown`: the list may be cut short, so a user it lacks may still be in. By default such users are out. */
  readonly absent?: 'out' | 'unknown';
  /** True of a list that may be older than a call: a change that it shows does not end its waiting. */
  readonly mayBeOld?: boolean;
}

/**
 * Stores a list as observed; a change that holds already stops waiting. Where the list agrees with the store, nothing
 * is written. Returns how many users came or went.
 */
export async function observeLinks(tx: Db, group: GroupKey, seen: SeenLinks): Promise<number> {
  const { saved, over, moved } = await compareLinks(tx, group, seen);
  await saveLinks(tx, group, saved);
  await deleteLinks(tx, group, over);
  return moved;
}

/** True when `observeLinks` of this list would write nothing. Other writes go on meanwhile. */
export async function agreesWithLinks(db: Db, group: GroupKey, seen: SeenLinks): Promise<boolean> {
  const { saved, over } = await compareLinks(db, group, seen);
  return saved.length + over.length === 0;
}

/** Compares a list with the stored links. Mostly they agree. */
async function compareLinks(db: Db, group: GroupKey, seen: SeenLinks) {
  const { list, baseline } = seen;
  const listed = await readListed(db, seen.upstreamUserIds);
  let moved = 0;
  const { saved, over } = await planLinks(db, group, { list }, (link) => {
    const isThere = listed.has(link.target);
    listed.delete(link.target);
    if (isThere !== (link.observed === 1)) moved += 1;
    return toNext(link, isThere, seen);
  });
  // A deleted user who is still seen has to leave, and does not come.
  const added = [...listed].flatMap(([target, isLive]) => (isLive ? [target] : []));
  for (const target of added) {
    saved.push({ ...NEW_LINK, list, target, desired: baseline, observed: 1 });
  }
  return { saved, over, moved: moved + added.length };
}

function toNext(
  link: StoredLink,
  isThere: boolean,
  { absent = 'out', mayBeOld = false }: SeenLinks,
): Link | undefined {
  const isOut = absent === 'out' || link.observed === 0;
  const observed = isThere ? 1 : isOut ? 0 : null;
  if (!mayBeOld) return seeLink(link, observed);
  return observed === link.observed ? link : { ...link, observed };
}

/** Reads the users of these accounts, and whether they are not deleted. */
async function readListed(db: Db, accounts: readonly number[]): Promise<Map<number, boolean>> {
  const rows = await readInChunks(
    accounts,
    (some) =>
      select<{ seq: number; deleted_at: number | null }>(db)`
      select seq, deleted_at from resources where type = 'user' and upstream_id in (${selectAccounts(db, some)})`,
  );
  return new Map(rows.map(({ seq, deleted_at }) => [seq, deleted_at === null]));
}

/** Accounts for `in (…)`: as one parameter, which is quicker than many. */
function selectAccounts(db: Db, accounts: readonly number[]): RawBuilder<unknown> {
  const list = JSON.stringify(accounts);
  return isPostgres(db)
    ? sql`select value::bigint from json_array_elements_text(${list}::json)`
    : sql`select value from json_each(${list})`;
}

/** Counts of a group's observed members. */
export interface SeenMembersCount {
  readonly seen: number;
  /** Members that a possibly incomplete list did not show any more. */
  readonly unknown: number;
}

/** Counts the observed members of several groups, by their numbers; a group that is not in the result has none. */
export async function countSeenMembers(
  db: Db,
  seqs: readonly number[],
): Promise<Map<number, SeenMembersCount>> {
  const rows = await select<SeenMembersCount & { readonly group_id: number }>(db)`
    select group_id, count(case when observed = 1 then 1 end) as seen,
      count(case when observed is null and pending is null then 1 end) as unknown
    from links where group_id in (${sql.join(seqs)}) and list = 'member' group by group_id`;
  return new Map(rows.map(({ group_id, seen, unknown }) => [group_id, { seen, unknown }]));
}
