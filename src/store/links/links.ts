import { type Selectable, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { chunks, readInChunks, readParts } from '../engine/dialect.ts';
import type { LinkColumns } from '../schema.ts';
import type { Db, Part } from '../store.ts';

/** Tables of links, which have the same columns: members of groups, and their admins. */
export const LINK_TABLES = ['memberships', 'group_admins'] as const;

/** Name of a link table. */
export type LinkTable = (typeof LINK_TABLES)[number];

/** One stored link. */
export type LinkRow = Pick<
  Selectable<LinkColumns>,
  'user_id' | 'desired' | 'observed' | 'pending' | 'put_in' | 'by_rule' | 'retry_at' | 'problem'
>;

/** Rows that one statement reads, so that it does not hold the event loop for long. */
const READ_PART = 2_000;

/** All links of a group, or those of some users. */
export async function listLinks(
  db: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds?: readonly UserId[],
): Promise<LinkRow[]> {
  const query = db
    .selectFrom(table)
    .select([
      'user_id',
      'desired',
      'observed',
      'pending',
      'put_in',
      'by_rule',
      'retry_at',
      'problem',
    ])
    .where('group_id', '=', groupId);
  if (userIds === undefined) {
    const all = query.select('seq').orderBy('seq');
    return readAllLinks((part) => all.where('seq', '>', part.afterSeq).limit(part.limit).execute());
  }
  return readInChunks(userIds, (some) => query.where('user_id', 'in', some).execute());
}

/** Reads all links of a group in order of joining, some thousands at a time. */
export function readLinks<Row extends { readonly seq: number }>(
  read: (part: Part) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  return readParts(READ_PART, read);
}

/** Reads them all at once. */
export async function readAllLinks<Row extends { readonly seq: number }>(
  read: (part: Part) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const part of readLinks(read)) rows.push(...part);
  return rows;
}

/** A link as it is to be. */
export interface LinkWrite {
  readonly userId: UserId;
  readonly desired: number | null;
  readonly observed: number | null;
  readonly pending: number | null;
  readonly putIn?: number;
  /** Absent: neither a rule nor an inner group wants it. */
  readonly byRule?: number;
  /** Time of the next attempt of a refused change (epoch milliseconds); absent: there is nothing to wait for. */
  readonly retryAt?: number | null;
}

/** Stores links, replacing the three facts and the source of those that exist. */
export async function saveLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  links: readonly LinkWrite[],
): Promise<void> {
  for (const chunk of chunks(links)) {
    const rows = chunk.map(
      ({ userId, desired, observed, pending, putIn = 0, byRule = 0, retryAt = null }) =>
        sql`(${groupId}, ${userId}, ${desired}, ${observed}, ${pending}, ${putIn}, ${byRule}, ${retryAt}, 0)`,
    );
    // Written as SQL, which costs kysely least.
    await sql`
      insert into ${sql.table(table)}
        (group_id, user_id, desired, observed, pending, put_in, by_rule, retry_at, attempts)
      values ${sql.join(rows)}
      on conflict (user_id, group_id) do update set desired = excluded.desired,
        observed = excluded.observed, pending = excluded.pending, put_in = excluded.put_in,
        by_rule = excluded.by_rule, retry_at = excluded.retry_at, attempts = excluded.attempts`.execute(
      tx,
    );
  }
}

/** Forgets links that are not desired and that the service does not hold. */
export async function deleteLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds: readonly UserId[],
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await sql`delete from ${sql.table(table)}
      where group_id = ${groupId} and user_id in (${sql.join(chunk)})`.execute(tx);
  }
}

/** Wish that a user is in a list of a group, or is not. */
export interface LinkDesire {
  readonly groupId: GroupId;
  readonly userId: UserId;
  readonly isWanted: boolean;
}

/**
 * Sets the desired state of one user in a list without making it pending. An unwanted user whom the service does not
 * show either is forgotten.
 */
export async function desireLink(
  tx: Db,
  table: LinkTable,
  { groupId, userId, isWanted }: LinkDesire,
): Promise<void> {
  const [link] = await listLinks(tx, table, groupId, [userId]);
  if (!isWanted && link && link.observed !== 1) return deleteLinks(tx, table, groupId, [userId]);
  await sql`insert into ${sql.table(table)} (group_id, user_id, desired)
    values (${groupId}, ${userId}, ${isWanted ? 1 : 0})
    on conflict (user_id, group_id) do update set desired = excluded.desired`.execute(tx);
}

/** Link that differs in the service from what is desired. */
export interface DifferingLink {
  readonly list: LinkTable;
  readonly userId: UserId;
  readonly wanted: boolean;
}

/**
 * Lists users who are wanted in a list of the group and missing there, or there and unwanted, while no change waits.
 * Memberships of inactive users are kept and no difference; users whom the service never showed are not removed.
 */
export async function listDifferingLinks(db: Db, groupId: GroupId): Promise<DifferingLink[]> {
  const links: DifferingLink[] = [];
  for (const list of LINK_TABLES) {
    // What differs is found without the users, of whom few are then looked up.
    const { rows } = await sql<{ user_id: UserId; desired: number }>`
      select link.user_id, link.desired
      from ${sql.table(list)} as link join resources as listed on listed.id = link.user_id
      where link.group_id = ${groupId} and link.pending is null
        and link.desired <> coalesce(link.observed, 0) and (link.desired = 0 or listed.active = 1)
      order by link.desired, link.seq`.execute(db);
    for (const row of rows) links.push({ list, userId: row.user_id, wanted: row.desired === 1 });
  }
  return links;
}
