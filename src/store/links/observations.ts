import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import {
  compareLinks,
  type ListDifferences,
  type SeenLinks,
  selectAccounts,
} from './compare-links.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';
import { changeLinks } from './work.ts';

/** Hands the links of one user to another, whose own desires win where both have one. */
export async function moveLinks(tx: Db, from: UserId, to: UserId): Promise<void> {
  await move(tx, { column: 'user_id', other: 'group_id' }, { from, to });
}

/**
 * Ends the observed links of a user whose account is gone from the service: wanted links wait again, the others are
 * forgotten.
 */
export async function forgetLinksOf(tx: Db, userId: UserId): Promise<void> {
  for (const table of LINK_TABLES) {
    await sql`delete from ${sql.table(table)}
      where user_id = ${userId} and (desired is null or desired = 0)`.execute(tx);
    await sql`update ${sql.table(table)} set observed = 0, pending = coalesce(pending,
      (select version from resources where resources.id = ${sql.table(table)}.group_id))
      where user_id = ${userId}`.execute(tx);
  }
}

/**
 * Stores a list as observed; a change that holds already stops waiting. Where the list agrees with the store, nothing
 * is written. Returns how many users came or went.
 */
export async function observeLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  seen: SeenLinks,
): Promise<number> {
  const differences = await compareLinks(tx, table, groupId, seen);
  if (areNone(differences)) return 0;
  const { added, changed, moved, isStale } = differences;
  for (const [observed, userIds] of changed) {
    await changeLinks(tx, { table, groupId, userIds }, { observed });
  }
  for (const accounts of chunks(added)) {
    await sql`
      insert into ${sql.table(table)} (group_id, user_id, desired, observed)
      select ${groupId}, id, cast(${seen.baseline} as integer), 1 from resources
        where type = 'user' and deleted_at is null and upstream_id in (${selectAccounts(tx, accounts)})
      on conflict (user_id, group_id) do nothing`.execute(tx);
  }
  const { doneUpTo = Number.MAX_SAFE_INTEGER } = seen;
  const isChanging = changed.size > 0 || isStale;
  if (doneUpTo > 0 && isChanging) await endWaiting(tx, table, groupId, doneUpTo);
  return added.length + moved;
}

/** True when `observeLinks` of this list would write nothing. Other writes go on meanwhile. */
export async function agreesWithLinks(
  db: Db,
  table: LinkTable,
  groupId: GroupId,
  seen: SeenLinks,
): Promise<boolean> {
  return areNone(await compareLinks(db, table, groupId, seen));
}

function areNone({ added, changed, isStale }: ListDifferences): boolean {
  return added.length === 0 && changed.size === 0 && !isStale;
}

/** Ends the waiting of changes that hold, retries refused ones that the list does not show, and forgets who is out. */
async function endWaiting(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  doneUpTo: number,
): Promise<void> {
  const name = sql.table(table);
  // Failed changes keep their time.
  await sql`update ${name} set
      retry_at = case when desired = observed or attempts = 0 then null else retry_at end,
      attempts = case when desired = observed then 0 else attempts end,
      pending = case when desired = observed then null else pending end,
      stuck_at = case when desired = observed then null else stuck_at end,
      problem = case when desired = observed then null else problem end
    where group_id = ${groupId} and pending is not null and pending <= ${doneUpTo}
      and (desired = observed or (retry_at is not null and attempts = 0))`.execute(tx);
  for await (const part of partsOfTable(tx, table, groupId)) {
    await sql`delete from ${name} where ${part} and pending is null and observed = 0
      and (desired is null or desired = 0)`.execute(tx);
  }
}

/** Rows that one statement changes at most, so that it does not hold the event loop for long. */
const PART = 1_000;

/** Cuts the links of a group into statements' worth: each ends at `upTo` and begins after the one before. */
async function* partsOfTable(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
): AsyncGenerator<RawBuilder<SqlBool>> {
  for (let after = 0; ; ) {
    const rest = tx.selectFrom(table).select('seq').where('group_id', '=', groupId);
    const next = rest
      .where('seq', '>', after)
      .orderBy('seq')
      .offset(PART - 1)
      .limit(1);
    const upTo = (await next.executeTakeFirst())?.seq;
    if (upTo === undefined) {
      yield sql<SqlBool>`group_id = ${groupId} and seq > ${after}`;
      return;
    }
    yield sql<SqlBool>`group_id = ${groupId} and seq > ${after} and seq <= ${upTo}`;
    after = upTo;
  }
}

/** The parts of each table of links. */
async function* partsOf(tx: Db, groupId: GroupId) {
  for (const table of LINK_TABLES) {
    for await (const part of partsOfTable(tx, table, groupId)) yield { table, part };
  }
}

/**
 * Ends the observed links of a group that is gone from the service: wanted links wait again since `version`, the others
 * are forgotten.
 */
export async function restartLinks(tx: Db, groupId: GroupId, version: number): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    const links = sql.table(table);
    await sql`delete from ${links} where ${part} and (desired is null or desired = 0)`.execute(tx);
    await sql`update ${links} set observed = 0, pending = coalesce(pending, ${version})
      where ${part}`.execute(tx);
  }
}

/** Forgets all links of a group. */
export async function deleteAllLinks(tx: Db, groupId: GroupId): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    await tx.deleteFrom(table).where(part).execute();
  }
}

/** Moves the links of one group to another, which has no user that the first one lacks. */
export async function moveGroupLinks(tx: Db, from: GroupId, to: GroupId): Promise<void> {
  await move(tx, { column: 'group_id', other: 'user_id' }, { from, to });
}

/** Moves the rows of one end of links: those that the new end has already keep what they want, and see what was seen. */
async function move<Id extends UserId | GroupId>(
  tx: Db,
  ends: { readonly column: string; readonly other: string },
  { from, to }: { readonly from: Id; readonly to: Id },
): Promise<void> {
  const [column, other] = [sql.ref(ends.column), sql.ref(ends.other)];
  for (const name of LINK_TABLES) {
    const table = sql.table(name);
    await sql`update ${table} set observed = (
        select old.observed from ${table} as old
        where old.${column} = ${from} and old.${other} = ${table}.${other})
      where ${column} = ${to} and ${other} in (select ${other} from ${table} where ${column} = ${from})`.execute(
      tx,
    );
    await sql`delete from ${table} where ${column} = ${from}
      and ${other} in (select ${other} from ${table} where ${column} = ${to})`.execute(tx);
    await sql`update ${table} set ${column} = ${to} where ${column} = ${from}`.execute(tx);
  }
}

/** Takes who is seen in a group as who is wanted there: the baseline of an adoption. */
export async function adoptLinks(tx: Db, groupId: GroupId): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    await sql`update ${sql.table(table)} set desired = observed
      where ${part} and desired is null`.execute(tx);
  }
}

/** Marks members of a group that the bridge made as unwanted where no provider named them. */
export async function disclaimLinks(tx: Db, groupId: GroupId): Promise<void> {
  for await (const part of partsOfTable(tx, 'memberships', groupId)) {
    const links = tx.updateTable('memberships').set({ desired: 0 }).where(part);
    await links.where('desired', 'is', null).execute();
  }
}

/** Makes the links that the bridge put into a group be removed again, and forgets the others: this releases a group. */
export async function releaseLinks(tx: Db, groupId: GroupId, version: number): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    const links = sql.table(table);
    await sql`delete from ${links} where ${part} and put_in = 0 and pending is null`.execute(tx);
    await sql`update ${links} set desired = 0, pending = ${version} where ${part}`.execute(tx);
  }
}

/** True when the bridge put a user into the group or onto its admin list, or still is to. */
export async function hasPutIn(tx: Db, groupId: GroupId): Promise<boolean> {
  for (const table of LINK_TABLES) {
    const { rows } = await sql`select user_id from ${sql.table(table)} where group_id = ${groupId}
      and (put_in = 1 or pending is not null) limit 1`.execute(tx);
    if (rows.length > 0) return true;
  }
  return false;
}

/** Clears the desired members and admins of a group: the reverse of an adoption's baseline. */
export async function disownLinks(tx: Db, groupId: GroupId): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    await tx.updateTable(table).set({ desired: null, put_in: 0, by_rule: 0 }).where(part).execute();
    await tx.deleteFrom(table).where(part).where('observed', 'is distinct from', 1).execute();
  }
}

/** Counts of a group's observed members. */
export interface SeenMembersCount {
  readonly seen: number;
  /** Members that a possibly incomplete list did not show any more. */
  readonly unknown: number;
}

/** Counts the observed members of several groups; a group that is not in the result has none. */
export async function countSeenMembers(
  db: Db,
  groupIds: readonly GroupId[],
): Promise<Map<GroupId, SeenMembersCount>> {
  const { rows } = await sql<SeenMembersCount & { readonly group_id: GroupId }>`
    select group_id, count(case when observed = 1 then 1 end) as seen,
      count(case when observed is null and pending is null then 1 end) as unknown
    from memberships where group_id in (${sql.join(groupIds)}) group by group_id`.execute(db);
  return new Map(rows.map(({ group_id, seen, unknown }) => [group_id, { seen, unknown }]));
}
