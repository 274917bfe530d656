import type { Sql } from 'sql-template-tag';
import sql, { empty, join } from 'sql-template-tag';
import type { Failure } from '../../domain/cell.ts';
import type { Link, LinkChange, LinkKey, LinkList } from '../../domain/link.ts';
import { LINK_LISTS, NEW_LINK, seeLink, toLinkText } from '../../domain/link.ts';
import type { UserId } from '../../domain/values.ts';
import { waits } from '../engine/columns.ts';
import { execute, readInChunks, readOne, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { Row } from '../tables.ts';
import { deleteWhere, putAll } from '../tables.ts';

/** Group by its number, which links are kept under. */
export type GroupKey = { readonly seq: number };

/** A link as stored, with the number of its user. */
export interface StoredLink extends Link, LinkKey {
  readonly target: number;
  readonly upstreamUserId: number | null;
  /** When the user was deleted (epoch milliseconds); null: never. */
  readonly userDeletedAt: number | null;
}

type SavedLink = Link & { readonly list: LinkList; readonly target: number | UserId };

/** Which links of a group are meant: of both lists and all users, as far as nothing else is said. */
type LinkSelection = {
  readonly list?: LinkList;
  readonly userIds?: readonly UserId[] | undefined;
};

/** Links that one statement reads, so that it does not hold the event loop for long. */
const PART = 2_000;

/** Lists links of a group, in the order of the lists and of the users' numbers. */
export async function listLinks(
  db: Db,
  group: GroupKey,
  { list, userIds }: LinkSelection = {},
): Promise<StoredLink[]> {
  const read = async (lists: readonly LinkList[], which: Sql) => {
    const isOf = sql`link.group_id = ${group.seq} and link.list in (${join(lists)})`;
    return (await selectLinks(db, sql`${isOf} and ${which}`)).map(toLink);
  };
  const lists = list === undefined ? LINK_LISTS : [list];
  if (userIds !== undefined) {
    // By the primary key: else SQLite reads all links of the group.
    const toWhich = (some: readonly UserId[]) =>
      sql`link.target in (select seq from resources where id in (${join(some)}))`;
    return readInChunks(userIds, (some) => read(lists, toWhich(some)));
  }
  const links: StoredLink[] = [];
  for (const one of lists) {
    let part: StoredLink[] = [];
    do {
      const after = part.at(-1)?.target ?? 0;
      part = await read([one], sql`link.target > ${after} order by link.target limit ${PART}`);
      links.push(...part);
    } while (part.length === PART);
  }
  return links;
}

type LinkRow = Row<'links'> & Pick<StoredLink, 'userId' | 'userDeletedAt' | 'upstreamUserId'>;

const selectLinks = (db: Db, which: Sql) =>
  select<LinkRow>(db)`
    select link.*, person.id as "userId", person.deleted_at as "userDeletedAt",
      person.upstream_id as "upstreamUserId"
    from links as link join resources as person on person.seq = link.target where ${which}`;

const toLink = ({ retry_at, pending, sent, failure, ...row }: LinkRow): StoredLink => ({
  ...row,
  pending: pending ?? undefined,
  sent: sent ?? undefined,
  failure: failure ? { ...failure, retryAt: retry_at ?? 0 } : undefined,
});

function toLinkColumns({ desired, observed, put_in, by_rule, pending, sent, failure }: Link) {
  const known = pending === undefined ? undefined : failure;
  const ofWrite = known?.version === pending ? known : undefined;
  return {
    desired,
    observed,
    put_in,
    by_rule,
    pending: pending ?? null,
    sent: sent ?? null,
    failure: known ?? null,
    stuck_at: known?.since ?? null,
    retry_at: ofWrite?.retryAt ?? null,
    attempts: ofWrite?.attempts ?? 0,
  };
}

/** Lists users who are or were linked to a group as members. */
export const listLinkedUsers = async (db: Db, group: GroupKey) =>
  (await listLinks(db, group, { list: 'member' })).map(({ userId }) => userId);

/** A link that changes, as it was and as it is to be; undefined: there was none, or it is forgotten. */
type LinkEdit = Readonly<{ before: StoredLink | undefined; after: SavedLink | undefined }>;

/** What a link becomes: another one, nothing (undefined), or what it is (the same object). */
type ToNext = (link: StoredLink) => Link | undefined;

async function planLinks(
  db: Db,
  group: GroupKey,
  which: LinkSelection,
  toNext: ToNext,
): Promise<LinkEdit[]> {
  return (await listLinks(db, group, which)).flatMap((before) => {
    const next = toNext(before);
    return next === before ? [] : [{ before, after: next && { ...before, ...next } }];
  });
}

async function storeEdits(tx: Db, group: GroupKey, edits: readonly LinkEdit[]): Promise<void> {
  const saved = edits.flatMap(({ after }) => after ?? []);
  await saveLinks(tx, group, saved);
  const over = edits.flatMap(({ before, after }) => (after ? [] : (before ?? [])));
  for (const [list, same] of Map.groupBy(over, (link) => link.list)) {
    const target = same.map((link) => link.target);
    await deleteWhere(tx, 'links', { group_id: group.seq, list, target });
  }
}

/** Changes links of a group, and returns those that changed, as they were. */
export async function changeLinks(
  tx: Db,
  group: GroupKey,
  which: LinkSelection,
  toNext: ToNext,
): Promise<StoredLink[]> {
  const edits = await planLinks(tx, group, which, toNext);
  await storeEdits(tx, group, edits);
  return edits.flatMap(({ before }) => before ?? []);
}

/** Changes named links, as `changeLinks` does; `toNext` is given what names each. */
export function changeNamed<Named extends LinkKey>(
  tx: Db,
  group: GroupKey,
  named: readonly Named[],
  toNext: (link: StoredLink, named: Named) => Link | undefined,
): Promise<StoredLink[]> {
  const byKey = new Map(named.map((one) => [toLinkText(one), one]));
  const userIds = [...new Set(named.map(({ userId }) => userId))];
  return changeLinks(tx, group, { userIds }, (link) => {
    const one = byKey.get(toLinkText(link));
    return one === undefined ? link : toNext(link, one);
  });
}

/** Stores links, replacing those that exist. */
export const saveLinks = (tx: Db, { seq }: GroupKey, links: readonly SavedLink[]) =>
  putAll(
    tx,
    'links',
    ['group_id', 'list', 'target'],
    links.map(({ list, target, ...link }) => ({
      group_id: seq,
      list,
      target:
        typeof target === 'number' ? target : sql`(select seq from resources where id = ${target})`,
      ...toLinkColumns(link),
    })),
  );

/** Forgets all links of a group, of which there may be many: none is returned. */
export const deleteAllLinks = (tx: Db, { seq }: GroupKey) =>
  execute(tx)`delete from links where group_id = ${seq}`;

/** Sets the desired state of one user in a list; nothing waits. One who is unwanted and not seen is forgotten. */
export async function desireLink(
  tx: Db,
  group: GroupKey,
  { list, userId }: LinkKey,
  isWanted: boolean,
): Promise<void> {
  const found = await changeLinks(tx, group, { list, userIds: [userId] }, (link) =>
    isWanted || link.observed === 1 ? { ...link, desired: isWanted ? 1 : 0 } : undefined,
  );
  if (!isWanted || found.length > 0) return;
  await saveLinks(tx, group, [{ ...NEW_LINK, list, target: userId, desired: 1 }]);
}

/** Lists users of whom a change waits, and who are wanted and missing, or there and unwanted. Inactive ones stay members. */
export async function listOpenLinks(db: Db, { seq }: GroupKey) {
  const open = await selectLinks(
    db,
    sql`link.group_id = ${seq} and (link.pending is not null
      or (link.desired <> coalesce(link.observed, 0) and (link.desired = 0 or person.active = 1)))
      order by link.list desc, link.desired, link.target`,
  );
  return open.map(({ list, userId, desired, pending }) => {
    return { list, userId, wanted: desired === 1, waits: pending !== null };
  });
}

/**
 * Waiting changes of a group that can be made at `now`: failed ones last, removals first, then the oldest. Not those of users
 * without an account, who are to be deactivated first, or (`inactiveWait`) who are inactive and to come in.
 */
export async function listWaitingLinks(
  db: Db,
  { seq }: GroupKey,
  given: { readonly limit: number; readonly now: number; readonly inactiveWait: boolean },
): Promise<LinkChange[]> {
  const { limit, now, inactiveWait } = given;
  const waiting = await selectLinks(
    db,
    sql`link.group_id = ${seq} and link.pending is not null and person.upstream_id is not null
      and (link.retry_at is null or link.retry_at <= ${now})
      and (person.deleted_at is null or not ${waits('person.cells', 'active')})
      ${inactiveWait ? sql`and (link.desired = 0 or person.active = 1)` : empty}
      order by coalesce(link.retry_at, 0), link.desired, link.pending, link.target limit ${limit}`,
  );
  return waiting.map(toLink).map(({ list, userId, desired, pending, failure, ...link }) => {
    const upstreamUserId = link.upstreamUserId ?? 0;
    return { list, userId, upstreamUserId, wanted: desired === 1, pending, failure };
  });
}

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

/** Stores a list as observed; a change that holds stops waiting. Returns how many users came or went. */
export async function observeLinks(tx: Db, group: GroupKey, seen: SeenLinks): Promise<number> {
  const { edits, moved } = await compareLinks(tx, group, seen);
  await storeEdits(tx, group, edits);
  return moved;
}

/** True when `observeLinks` of this list would write nothing. Other writes go on meanwhile. */
export const agreesWithLinks = async (db: Db, group: GroupKey, seen: SeenLinks) =>
  (await compareLinks(db, group, seen)).edits.length === 0;

async function compareLinks(
  db: Db,
  group: GroupKey,
  { list, upstreamUserIds, baseline, absent = 'out', mayBeOld = false }: SeenLinks,
) {
  const listed = await readListed(db, upstreamUserIds);
  let moved = 0;
  const edits = await planLinks(db, group, { list }, (link) => {
    const isThere = listed.delete(link.target);
    if (isThere !== (link.observed === 1)) moved += 1;
    const isOut = absent === 'out' || link.observed === 0;
    const observed = isThere ? 1 : isOut ? 0 : null;
    if (!mayBeOld) return seeLink(link, observed);
    return observed === link.observed ? link : { ...link, observed };
  });
  // A deleted user who is still seen has to leave, and does not come.
  const added = [...listed].flatMap(([target, isLive]) => (isLive ? [target] : []));
  for (const target of added) {
    const after = { ...NEW_LINK, list, target, desired: baseline, observed: 1 };
    edits.push({ before: undefined, after });
  }
  return { edits, moved: moved + added.length };
}

async function readListed(db: Db, accounts: readonly number[]): Promise<Map<number, boolean>> {
  const rows = await readInChunks(
    accounts,
    (some) =>
      select<{ seq: number; deleted_at: number | null }>(db)`
      select seq, deleted_at from resources where type = 'user' and upstream_id in (${join(some)})`,
  );
  return new Map(rows.map(({ seq, deleted_at }) => [seq, deleted_at === null]));
}

const CONDITIONS = {
  /** It waits for the service. */
  waiting: sql`pending is not null`,
  /** A rule wants an admin, or an inner group a member. */
  ruled: sql`by_rule = 1`,
  /** A rule wants an admin. */
  administered: sql`by_rule = 1 and list = 'admin'`,
  /** An admin whom a provider or a rule ever named. */
  named: sql`list = 'admin' and desired is not null`,
  /** The bridge put the user in, or still is to change it. */
  ours: sql`(put_in = 1 or pending is not null)`,
  /** A call that left may still change it. */
  sent: sql`sent is not null`,
  /** The same, from what is wanted by now. Versions are not below 0: the index is read. */
  doubted: sql`sent >= 0 and (pending is not null or sent = 0)`,
};

/** True when a group has such a link. */
export const hasLink = async (db: Db, { seq }: GroupKey, which: keyof typeof CONDITIONS) =>
  (await select(db)`select 1 from links where group_id = ${seq} and ${CONDITIONS[which]} limit 1`)
    .length > 0;

/** Sum of waiting changes; `desired` 0: a removal waits. `failure`: of what is stuck longest, or else failed most often. */
export type WaitingSummary = Readonly<
  Record<'oldest' | 'nextRetryAt' | 'desired' | 'stuckSince', number | null>
> & { readonly attempts: number; readonly failure: Failure | null };

/** Sums up the waiting changes of a group, those before their next attempt too. `now` is epoch milliseconds. */
export function readWaiting(db: Db, { seq }: GroupKey, now: number) {
  const waiting = sql`from links where group_id = ${seq} and pending is not null`;
  return readOne<WaitingSummary>(db)`
    select min(pending) as oldest, min(case when retry_at > ${now} then retry_at end) as "nextRetryAt",
      min(desired) as desired, min(stuck_at) as "stuckSince", coalesce(max(attempts), 0) as attempts,
      (select failure ${waiting} and (stuck_at is not null or attempts > 0)
        order by coalesce(stuck_at, ${Number.MAX_SAFE_INTEGER}), attempts desc limit 1) as failure
    ${waiting}`;
}

/** Counts the seen members of groups by their numbers, and those that an incomplete list left out (`unknown`). */
export async function countSeenMembers(db: Db, seqs: readonly number[]) {
  const rows = await select<Record<'group_id' | 'seen' | 'unknown', number>>(db)`
    select group_id, count(case when observed = 1 then 1 end) as seen,
      count(case when observed is null and pending is null then 1 end) as unknown
    from links where group_id in (${join(seqs)}) and list = 'member' group by group_id`;
  return new Map(rows.map(({ group_id, seen, unknown }) => [group_id, { seen, unknown }]));
}
