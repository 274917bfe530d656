import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { isPostgres } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';
import { touchUsers } from './shown.ts';

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

/** Complete list of the members or admins of a group. */
export interface SeenLinks {
  readonly upstreamUserIds: readonly number[];
  /** Desired state of users whom no provider named: 1 at adoption, 0 in a managed group, null in others. */
  readonly baseline: number | null;
  /** `unknown`: the list may be cut short, so a user it lacks may still be in. By default such users are out. */
  readonly absent?: 'out' | 'unknown';
  /**
   * Newest version of a waiting change that is taken to hold where it is seen: a call that was planned from it may still
   * take effect. 0: none is, because the list may be older than a call. Default: any.
   */
  readonly doneUpTo?: number;
  /** Time (epoch milliseconds) for the users who come or go, who are to show it; default: they are told later. */
  readonly touchAt?: number | undefined;
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
  const { added, moved, changing } = await countNews(tx, table, groupId, seen);
  if (added + changing === 0) return 0;
  const name = sql.table(table);
  const accounts = selectAccounts(tx, seen);
  const next = sql`case when user_id in (select id from users where upstream_id in (${accounts})) then 1
    else ${toAbsent(seen)} end`;
  const { doneUpTo = Number.MAX_SAFE_INTEGER, touchAt } = seen;
  const whom = touchAt === undefined ? sql`` : sql`returning user_id as id`;
  let { rows: written } = await sql<{ id: UserId }>`update ${name} set observed = ${next}
    where group_id = ${groupId} and observed is distinct from ${next} ${whom}`.execute(tx);
  if (added > 0) {
    const { rows } = await sql<{ id: UserId }>`
      insert into ${name} (group_id, user_id, desired, observed)
      select ${groupId}, id, cast(${seen.baseline} as integer), 1 from users
        where deleted_at is null and upstream_id in (${accounts})
      on conflict (user_id, group_id) do nothing ${whom}`.execute(tx);
    written = written.concat(rows);
  }
  const userIds = written.map(({ id }) => id);
  if (touchAt !== undefined) await touchUsers(tx, userIds, touchAt);
  if (doneUpTo === 0) return added + moved;
  // Retries refused changes that a new observation does not show; failed ones keep their time.
  await sql`update ${name} set
      retry_at = case when desired = observed or attempts = 0 then null else retry_at end,
      attempts = case when desired = observed then 0 else attempts end,
      pending = case when desired = observed then null else pending end,
      stuck_at = case when desired = observed then null else stuck_at end,
      problem = case when desired = observed then null else problem end
    where group_id = ${groupId} and pending is not null and pending <= ${doneUpTo}
      and (desired = observed or (retry_at is not null and attempts = 0))`.execute(tx);
  await sql`delete from ${name} where group_id = ${groupId} and pending is null and observed = 0
    and (desired is null or desired = 0)`.execute(tx);
  return added + moved;
}

/** Counts of a list's differences from the store. */
interface News {
  /** Users who are in no row of the group yet. */
  readonly added: number;
  /** Rows of users who came or went. */
  readonly moved: number;
  /** Rows that are to be written or forgotten. */
  readonly changing: number;
}

/** Counts in one statement, because mostly there is nothing to write. */
async function countNews(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  seen: SeenLinks,
): Promise<News> {
  const next = sql`case when seen.id is not null then 1 else ${toAbsent(seen)} end`;
  const isWaiting = sql`pending is not null
    and ((retry_at is not null and attempts = 0) or desired = ${next})`;
  const isOver = sql`pending is null and observed = 0 and coalesce(desired, 0) = 0`;
  // Deleted users count as well: one who is still seen in the list still has to leave.
  const { rows } = await sql<{ listed: number; linked: number; moved: number; changing: number }>`
    with seen as materialized (
      select id, deleted_at from users where upstream_id in (${selectAccounts(tx, seen)}))
    select (select count(*) from seen where deleted_at is null) as listed,
      count(case when seen.id is not null and seen.deleted_at is null then 1 end) as linked,
      count(case when (seen.id is not null) <> (coalesce(observed, 0) = 1) then 1 end) as moved,
      count(case when observed is distinct from ${next} or (${isWaiting}) or (${isOver}) then 1 end) as changing
    from ${sql.table(table)} as link left join seen on seen.id = link.user_id
    where link.group_id = ${groupId}`.execute(tx);
  const { listed = 0, linked = 0, moved = 0, changing = 0 } = rows[0] ?? {};
  return { added: listed - linked, moved, changing };
}

/** The accounts that a list names, for `in (…)`. */
function selectAccounts(tx: Db, { upstreamUserIds }: SeenLinks): RawBuilder<unknown> {
  const seen = JSON.stringify(upstreamUserIds);
  return isPostgres(tx)
    ? sql`select value::bigint from json_array_elements_text(${seen}::json)`
    : sql`select value from json_each(${seen})`;
}

/** New value of `observed` for users who are not in the list. */
function toAbsent({ absent = 'out' }: SeenLinks): RawBuilder<unknown> {
  return absent === 'out' ? sql`0` : sql`case when observed = 0 then 0 end`;
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
    await tx
      .deleteFrom(table)
      .where(part)
      .where((where) => where.or([where('desired', 'is', null), where('desired', '=', 0)]))
      .execute();
    await tx
      .updateTable(table)
      .set((set) => ({ observed: 0, pending: set.fn.coalesce('pending', set.val(version)) }))
      .where(part)
      .execute();
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
    await tx
      .updateTable(table)
      .set((set) => ({ desired: set.ref('observed') }))
      .where(part)
      .where('desired', 'is', null)
      .execute();
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
    await tx
      .deleteFrom(table)
      .where(part)
      .where('put_in', '=', 0)
      .where('pending', 'is', null)
      .execute();
    await tx.updateTable(table).set({ desired: 0, pending: version }).where(part).execute();
  }
}

/** True when the bridge put a user into the group or onto its admin list, or still is to. */
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

/** Clears the desired members and admins of a group: the reverse of an adoption's baseline. */
export async function disownLinks(tx: Db, groupId: GroupId): Promise<void> {
  for await (const { table, part } of partsOf(tx, groupId)) {
    await tx.updateTable(table).set({ desired: null, put_in: 0 }).where(part).execute();
    await tx.deleteFrom(table).where(part).where('observed', 'is distinct from', 1).execute();
  }
}
