import { sql } from 'kysely';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { Db } from './database.ts';
import { isPostgres } from './dialect.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';

/** Hands the links of one user to another, whose own desires win where both have one. */
export async function moveLinks(tx: Db, from: UserId, to: UserId): Promise<void> {
  for (const name of LINK_TABLES) {
    const table = sql.table(name);
    await sql`update ${table} set observed = (
        select old.observed from ${table} as old
        where old.user_id = ${from} and old.group_id = ${table}.group_id)
      where user_id = ${to} and group_id in (select group_id from ${table} where user_id = ${from})`.execute(
      tx,
    );
    await sql`delete from ${table} where user_id = ${from}
      and group_id in (select group_id from ${table} where user_id = ${to})`.execute(tx);
    await sql`update ${table} set user_id = ${to} where user_id = ${from}`.execute(tx);
  }
}

/** The account of this user is gone from the service: wanted links wait again, the others are forgotten. */
export async function forgetLinksOf(tx: Db, userId: UserId): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where((where) => where.or([where('desired', 'is', null), where('desired', '=', 0)]))
      .execute();
    await sql`update ${sql.table(table)} set observed = 0, pending = coalesce(pending,
      (select version from groups where groups.id = ${sql.table(table)}.group_id))
      where user_id = ${userId}`.execute(tx);
  }
}

/** What a complete list of a group says about who is in it. */
export interface SeenLinks {
  readonly upstreamUserIds: readonly number[];
  /** What people are taken to be wanted as whom nobody ever asked for: 1 at adoption, 0 in a managed group, null in others. */
  readonly baseline: number | null;
  /** `unknown`: the list may be cut short, so whom it lacks is not known to be out. By default they are out. */
  readonly absent?: 'out' | 'unknown';
}

/** Makes `observed` say what a list said; a change that holds already stops waiting. */
export async function observeLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { upstreamUserIds, baseline, absent = 'out' }: SeenLinks,
): Promise<void> {
  const name = sql.table(table);
  const seen = JSON.stringify(upstreamUserIds);
  const ids = isPostgres(tx)
    ? sql`select value::bigint from json_array_elements_text(${seen}::json)`
    : sql`select value from json_each(${seen})`;
  // Deleted people as well: who is still seen there still has to leave.
  const isSeen = sql`user_id in (select id from users where upstream_id in (${ids}))`;
  const isOut = absent === 'out' ? sql`0` : sql`case when observed = 0 then 0 end`;
  await sql`update ${name} set observed = case when ${isSeen} then 1 else ${isOut} end
    where group_id = ${groupId}`.execute(tx);
  await sql`insert into ${name} (group_id, user_id, desired, observed)
    select ${groupId}, id, cast(${baseline} as integer), 1 from users where deleted_at is null and upstream_id in (${ids})
    on conflict (user_id, group_id) do nothing`.execute(tx);
  // What the service holds was seen anew, so what it refused and does not hold is tried again.
  await sql`update ${name} set retry_at = null,
      pending = case when desired = observed then null else pending end,
      stuck_at = case when desired = observed then null else stuck_at end,
      problem = case when desired = observed then null else problem end
    where group_id = ${groupId} and pending is not null
      and (desired = observed or retry_at is not null)`.execute(tx);
  await sql`delete from ${name} where group_id = ${groupId} and pending is null and observed = 0
    and (desired is null or desired = 0)`.execute(tx);
}

/** The group is gone from the service: wanted links wait again since `version`, the others are forgotten. */
export async function restartLinks(tx: Db, groupId: GroupId, version: number): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx
      .deleteFrom(table)
      .where('group_id', '=', groupId)
      .where((where) => where.or([where('desired', 'is', null), where('desired', '=', 0)]))
      .execute();
    await tx
      .updateTable(table)
      .set((set) => ({ observed: 0, pending: set.fn.coalesce('pending', set.val(version)) }))
      .where('group_id', '=', groupId)
      .execute();
  }
}

/** Forgets everybody in a group. */
export async function deleteAllLinks(tx: Db, groupId: GroupId): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx.deleteFrom(table).where('group_id', '=', groupId).execute();
  }
}

/** Hands who is in one group to another, which has nobody the first one lacks. */
export async function moveGroupLinks(tx: Db, from: GroupId, to: GroupId): Promise<void> {
  for (const name of LINK_TABLES) {
    const table = sql.table(name);
    await sql`update ${table} set observed = (
        select old.observed from ${table} as old
        where old.group_id = ${from} and old.user_id = ${table}.user_id)
      where group_id = ${to} and user_id in (select user_id from ${table} where group_id = ${from})`.execute(
      tx,
    );
    await sql`delete from ${table} where group_id = ${from}
      and user_id in (select user_id from ${table} where group_id = ${to})`.execute(tx);
    await sql`update ${table} set group_id = ${to} where group_id = ${from}`.execute(tx);
  }
}

/** Takes who is seen in a group as who is wanted there: the baseline of an adoption. */
export async function adoptLinks(tx: Db, groupId: GroupId): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx
      .updateTable(table)
      .set((set) => ({ desired: set.ref('observed') }))
      .where('group_id', '=', groupId)
      .where('desired', 'is', null)
      .execute();
  }
}

/** In a group that the bridge made, members of whom nobody ever said whether they are wanted are not. */
export async function disclaimLinks(tx: Db, groupId: GroupId): Promise<void> {
  const links = tx.updateTable('memberships').set({ desired: 0 }).where('group_id', '=', groupId);
  await links.where('desired', 'is', null).execute();
}

/** Has what the bridge put into a group taken out again, and forgets the rest: how a group is let go. */
export async function releaseLinks(tx: Db, groupId: GroupId, version: number): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx
      .deleteFrom(table)
      .where('group_id', '=', groupId)
      .where('put_in', '=', 0)
      .where('pending', 'is', null)
      .execute();
    await tx
      .updateTable(table)
      .set({ desired: 0, pending: version })
      .where('group_id', '=', groupId)
      .execute();
  }
}

/** Whether the bridge put anybody into a group or onto its admin list, or still is to. */
export async function hasPutIn(tx: Db, groupId: GroupId): Promise<boolean> {
  for (const table of LINK_TABLES) {
    const row = await tx
      .selectFrom(table)
      .select('user_id')
      .where('group_id', '=', groupId)
      .where((where) => where.or([where('put_in', '=', 1), where('pending', 'is not', null)]))
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** Who is in a group is nobody's wish any more: the reverse of an adoption's baseline. */
export async function disownLinks(tx: Db, groupId: GroupId): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx.updateTable(table).set({ desired: null }).where('group_id', '=', groupId).execute();
    await tx
      .deleteFrom(table)
      .where('group_id', '=', groupId)
      .where('observed', 'is distinct from', 1)
      .execute();
  }
}
