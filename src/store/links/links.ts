import { type RawBuilder, sql } from 'kysely';
import type { UserId } from '../../domain/ids.ts';
import {
  LINK_LISTS,
  type Link,
  type LinkKey,
  type LinkList,
  NEW_LINK,
  toLinkText,
} from '../../domain/link.ts';
import { chunks, readInChunks, select, toValues } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { deleteWhere } from '../tables.ts';

/** Group by its number, which links are kept under. */
export interface GroupKey {
  readonly seq: number;
}

/** A link as stored, with the number of its user. */
export interface StoredLink extends Link, LinkKey {
  readonly target: number;
  /** When the user was deleted (epoch milliseconds); null: never. */
  readonly userDeletedAt: number | null;
}

/** A link to be stored. */
export interface SavedLink extends Link {
  readonly list: LinkList;
  /** The user, by number or id. */
  readonly target: number | UserId;
}

/** Which links of a group are meant: of both lists and all users, as far as nothing else is said. */
export interface LinkSelection {
  readonly list?: LinkList;
  readonly userIds?: readonly UserId[] | undefined;
  /** The users of these accounts. */
  readonly accounts?: readonly number[];
  /** These users, each in a list of its own. */
  readonly named?: readonly LinkKey[];
}

/** Links that one statement reads, so that it does not hold the event loop for long. */
const PART = 2_000;

/** Lists links of a group, in the order of the lists and of the users' numbers. */
export async function listLinks(
  db: Db,
  group: GroupKey,
  { named, list, userIds, accounts }: LinkSelection = {},
): Promise<StoredLink[]> {
  const links: StoredLink[] = [];
  if (named !== undefined) {
    for (const [one, same] of Map.groupBy(named, (key) => key.list)) {
      const which = { list: one, userIds: same.map(({ userId }) => userId) };
      links.push(...(await listLinks(db, group, which)));
    }
    return links;
  }
  // Written as SQL, which costs kysely least.
  const read = (which: RawBuilder<unknown>) =>
    select<StoredLink>(db)`
      select link.list, link.target, person.id as "userId", person.deleted_at as "userDeletedAt", link.desired,
        link.observed, link.pending, link.put_in, link.by_rule, link.retry_at, link.attempts, link.stuck_at, link.problem,
        link.sent
      from links as link join resources as person on person.seq = link.target
      where link.group_id = ${group.seq} and ${which}`;
  const lists = list === undefined ? LINK_LISTS : [list];
  if (userIds !== undefined || accounts !== undefined) {
    const column = sql.ref(userIds === undefined ? 'person.upstream_id' : 'person.id');
    return readInChunks<UserId | number, StoredLink>(userIds ?? accounts ?? [], (some) =>
      read(sql`link.list in (${sql.join(lists)}) and ${column} in (${sql.join(some)})`),
    );
  }
  for (const one of lists) {
    let part: StoredLink[] = [];
    do {
      const after = part.at(-1)?.target ?? 0;
      part = await read(sql`link.list = ${one} and link.target > ${after}
        order by link.target limit ${PART}`);
      links.push(...part);
    } while (part.length === PART);
  }
  return links;
}

/** Lists users who are or were linked to a group as members. */
export async function listLinkedUsers(db: Db, group: GroupKey): Promise<UserId[]> {
  return (await listLinks(db, group, { list: 'member' })).map(({ userId }) => userId);
}

/** What becomes of links. */
export interface LinkChanges {
  /** Those that change, as they were. */
  readonly before: StoredLink[];
  readonly saved: SavedLink[];
  /** Those that are forgotten. */
  readonly over: StoredLink[];
}

/** Finds what `toNext` makes of links: each becomes another one, is forgotten (undefined), or stays as it is (the same object). */
export async function planLinks(
  db: Db,
  group: GroupKey,
  which: LinkSelection,
  toNext: (link: StoredLink) => Link | undefined,
): Promise<LinkChanges> {
  const changes: LinkChanges = { before: [], saved: [], over: [] };
  for (const link of await listLinks(db, group, which)) {
    const next = toNext(link);
    if (next === link) continue;
    changes.before.push(link);
    if (next === undefined) changes.over.push(link);
    else changes.saved.push({ ...link, ...next });
  }
  return changes;
}

/** Changes links of a group as `planLinks` finds. Returns those that changed, as they were. */
export async function changeLinks(
  tx: Db,
  group: GroupKey,
  which: LinkSelection,
  toNext: (link: StoredLink) => Link | undefined,
): Promise<StoredLink[]> {
  const { before, saved, over } = await planLinks(tx, group, which, toNext);
  await saveLinks(tx, group, saved);
  await deleteLinks(tx, group, over);
  return before;
}

/** Stores links, replacing those that exist. */
export async function saveLinks(
  tx: Db,
  { seq }: GroupKey,
  links: readonly SavedLink[],
): Promise<void> {
  for (const some of chunks(links)) {
    const rows = some.map(({ list, target, ...link }) => {
      const user =
        typeof target === 'number' ? target : sql`(select seq from resources where id = ${target})`;
      const columns = Object.entries(link).filter(([column]) => column in NEW_LINK);
      return { group_id: seq, list, target: user, ...Object.fromEntries(columns) };
    });
    const change = Object.keys(NEW_LINK).map(
      (column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`,
    );
    await sql`insert into links ${toValues(rows)}
      on conflict (group_id, list, target) do update set ${sql.join(change)}`.execute(tx);
  }
}

/** Forgets links. */
export async function deleteLinks(
  tx: Db,
  { seq }: GroupKey,
  links: readonly StoredLink[],
): Promise<void> {
  for (const [list, same] of Map.groupBy(links, (link) => link.list)) {
    const target = same.map((link) => link.target);
    await deleteWhere(tx, 'links', { group_id: seq, list, target });
  }
}

/** Forgets all links of a group. */
export async function deleteAllLinks(tx: Db, { seq }: GroupKey): Promise<void> {
  await sql`delete from links where group_id = ${seq}`.execute(tx);
}

/** Conditions of links that are looked for. */
const CONDITIONS = {
  /** It waits for the service. */
  waiting: sql`pending is not null`,
  /** A rule wants an admin, or an inner group a member. */
  ruled: sql`by_rule = 1`,
  /** The bridge put the user in, or still is to change it. */
  ours: sql`(put_in = 1 or pending is not null)`,
  /** A call that left may still change it. */
  sent: sql`sent is not null`,
  /** The same, from what is wanted by now. Versions are not below 0: the index is read. */
  doubted: sql`sent >= 0 and (pending is not null or sent = 0)`,
  /** The same, while another write of it waits. Versions are above 0: the index of what waits is read, and not the whole list. */
  overtaken: sql`pending > 0 and pending <> sent`,
};

/** True when a group has such a link. */
export async function hasLink(
  db: Db,
  { seq }: GroupKey,
  which: keyof typeof CONDITIONS,
): Promise<boolean> {
  const rows = await select(db)`select 1 from links where group_id = ${seq} and ${CONDITIONS[which]}
    limit 1`;
  return rows.length > 0;
}

/** Link that differs in the service from what is desired. */
export interface DifferingLink extends LinkKey {
  readonly wanted: boolean;
}

/**
 * Lists users who are wanted in a list of the group and missing there, or there and unwanted, while no change waits.
 * Memberships of inactive users are kept and no difference; users whom the service never showed are not removed.
 */
export async function listDifferingLinks(db: Db, { seq }: GroupKey): Promise<DifferingLink[]> {
  const rows = await select<LinkKey & { desired: number }>(db)`
    select link.list, person.id as "userId", link.desired
    from links as link join resources as person on person.seq = link.target
    where link.group_id = ${seq} and link.pending is null
      and link.desired <> coalesce(link.observed, 0) and (link.desired = 0 or person.active = 1)
    order by link.list desc, link.desired, link.target`;
  return rows.map(({ desired, ...key }) => ({ ...key, wanted: desired === 1 }));
}

/** Changes named links, as `changeLinks` does; `toNext` is given what names each. */
export async function changeNamed<Named extends LinkKey>(
  tx: Db,
  group: GroupKey,
  named: readonly Named[],
  toNext: (link: StoredLink, named: Named) => Link | undefined,
): Promise<StoredLink[]> {
  const byKey = new Map(named.map((one) => [toLinkText(one), one]));
  return changeLinks(tx, group, { named }, (link) => {
    const one = byKey.get(toLinkText(link));
    return one === undefined ? link : toNext(link, one);
  });
}

/**
 * Sets the desired state of one user in a list without making it pending. An unwanted user whom the service does not
 * show either is forgotten.
 */
export async function desireLink(
  tx: Db,
  group: GroupKey,
  { list, userId }: LinkKey,
  isWanted: boolean,
): Promise<void> {
  const [link] = await listLinks(tx, group, { list, userIds: [userId] });
  if (isWanted) {
    await saveLinks(tx, group, [{ ...(link ?? NEW_LINK), list, target: userId, desired: 1 }]);
  } else if (link?.observed === 1) await saveLinks(tx, group, [{ ...link, desired: 0 }]);
  else if (link !== undefined) await deleteLinks(tx, group, [link]);
}
