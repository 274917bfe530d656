import type { Sql } from 'sql-template-tag';
import sql, { join } from 'sql-template-tag';
import { endRest, listStuck as listStuckCells } from '../../domain/failure.ts';
import { isLinked } from '../../domain/kinds.ts';
import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import type { GivenKey, Refusal, UserId } from '../../domain/values.ts';
import { allOf, forUpdate, readNumber, readOne, select } from '../engine/dialect.ts';
import { IS_HELD } from '../plans.ts';
import type { Db } from '../store.ts';
import type { Row } from '../tables.ts';
import { findOne } from '../tables.ts';
import type { ResourceRow, UserRow } from './rows.ts';
import { readResources, readRows, updateRow } from './rows.ts';

const IS_FAILING = sql`stuck_at is null and attempts >= 3`;
/** Since when a resource waits: a failure moves the due time. */
const WAITS_SINCE = sql`coalesce(failing_since, due_at)`;

const countCase = (condition: Sql) => sql`count(case when ${condition} then 1 end)`;

/**
 * Counts the waiting work, by the index of what is due. `changes` would change the service, `failing` failed several times
 * and is not stuck, `noSeat` are users who wait for a free seat alone; `oldestSince` is neither of those two.
 */
export function readBacklog(db: Db) {
  type Count = 'due' | 'changes' | 'stuck' | 'failing' | 'noSeat';
  type Since = 'failingSince' | 'noSeatSince' | 'oldestSince';
  return readOne<Readonly<Record<Count, number> & Record<Since, number | null>>>(db)`
    select count(*) as due, ${countCase(sql`due_class < 2`)} as changes, count(stuck_at) as stuck,
      ${countCase(IS_FAILING)} as failing, count(seat_since) as "noSeat",
      min(case when ${IS_FAILING} then ${WAITS_SINCE} end) as "failingSince",
      min(seat_since) as "noSeatSince",
      min(case when stuck_at is null and seat_since is null then ${WAITS_SINCE} end) as "oldestSince"
    from resources where due_at is not null`;
}

const UNKNOWN: Refusal = { code: 'unknown', words: '' };

/** Lists resources with a failing change, the longest first; stuck ones are not among them. Times are epoch milliseconds. */
export async function listFailing(db: Db, limit: number) {
  const failing = sql`due_at is not null and ${IS_FAILING} order by ${WAITS_SINCE}, id limit ${limit}`;
  return (await readResources(db, failing)).map((row) => ({
    ...toKey(row),
    name: row.name,
    problem: row.last_error ?? UNKNOWN,
    since: row.failing_since ?? row.due_at ?? 0,
    nextAttemptAt: row.due_at,
  }));
}

const toKey = ({ type, id }: GivenKey) => ({ type, id });

/** Lists what was acknowledged and the service refuses, the longest first: fields, and users in the members or admins. */
export async function listStuck(db: Db, limit: number) {
  const isStuck = sql`stuck_at is not null order by stuck_at, id limit ${limit}`;
  const fields = (await readResources(db, isStuck)).flatMap(({ name, cells, due_at, ...row }) =>
    listStuckCells(cells).map(([field, { problem, since, retryAt }]) => {
      const nextAttemptAt = Math.max(retryAt, Number(due_at));
      return { ...toKey(row), name, field, problem, since, nextAttemptAt };
    }),
  );
  type Found = Pick<Row<'links'>, 'list' | 'failure' | 'retry_at'> &
    Record<'id' | 'name' | 'person', string> & { since: number; due_at: number | null };
  const links = await select<Found>(db)`
    select link.list, link.failure, link.retry_at, link.stuck_at as since,
      home.id, home.name, home.due_at, person.id as person
    from links as link join resources as home on home.seq = link.group_id
      join resources as person on person.seq = link.target
    where link.stuck_at is not null order by since, home.id, person.id limit ${limit}`;
  const users = links.map(({ list, failure, retry_at, due_at, ...link }) => {
    const nextAttemptAt = Math.max(Number(retry_at), Number(due_at));
    const problem = failure?.problem ?? UNKNOWN;
    return { ...link, type: 'group' as const, field: `${list}s`, problem, nextAttemptAt };
  });
  return [...fields, ...users].toSorted((a, b) => a.since - b.since).slice(0, limit);
}

/** Makes the user due at `at` (epoch milliseconds) who waits for a seat and was tried longest ago. */
export async function retryNextForSeat(tx: Db, at: number): Promise<void> {
  const [next] = await readResources(
    tx,
    sql`seat_since is not null and due_at is not null
      order by due_at, seq limit 1 ${forUpdate(tx, 'update skip locked')}`,
  );
  if (next === undefined) return;
  await updateRow(tx, next, {
    cells: endRest(next.cells, at, 'seat'),
    due_at: Math.min(next.due_at ?? at, at),
  });
}

/** Counts the accounts that take a seat of the service. */
export const countTakenSeats = (db: Db) =>
  readNumber(
    db,
    sql`select count(distinct upstream_id) from resources
      where takes_seat = 1 and upstream_id is not null`,
  );

/** Number of active accounts that have the same role in the company and licences as bits; null: not known. */
export type AssignedAccounts = Readonly<Record<'role' | 'appsPermissions', number | null>> & {
  readonly count: number;
};

/** Counts the active accounts of the service by role and licences, as they were last seen. */
export async function countAssigned(db: Db): Promise<AssignedAccounts[]> {
  const counted = new Map<string, AssignedAccounts>();
  for await (const rows of readRows(db, 'user', { where: { upstream_id: { '<>': null } } })) {
    for (const row of rows) {
      const { active, role = null, appsPermissions = null } = row.observed ?? {};
      if (active !== true) continue;
      const key = `${role} ${appsPermissions}`;
      counted.set(key, { role, appsPermissions, count: (counted.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counted.values()];
}

/** Times of a departure after a write that takes access (epoch milliseconds); it counts from the first request. Without an account there is none. */
export function toDeparture(row: ResourceRow, now: number) {
  if (!isLinked(row) && row.sent_creates.length === 0) return {};
  return { left_at: isLeaving(row) ? row.left_at : now, out_at: null };
}

/** True for a user who left and was not proven to be out since. */
export const isLeaving = ({ left_at, out_at }: Pick<ResourceRow, 'left_at' | 'out_at'>) =>
  left_at !== null && out_at === null;

const REMOVALS = ['user.deactivate', 'user.delete', 'user.access'] as const;

/** Finds the newest call that took access from a user between two times (epoch milliseconds); undefined: none is kept. */
export function findRemovalCall(
  db: Db,
  { id, from, until }: Readonly<{ id: UserId; from: number; until: number }>,
) {
  const calls = { resource_id: id, at: { '>=': from, '<=': until }, kind: REMOVALS };
  return findOne(db, 'own_calls', calls, { order: 'id desc' });
}

type LeaverStatus = (typeof LEAVER_STATUSES)[number];

/** A user who left; `plan` holds the deactivation until an operator decides (null: none does). */
export type LeaverRow = Pick<
  UserRow,
  'seq' | 'id' | 'name' | 'owner' | 'out_at' | 'due_at' | 'last_error'
> & { readonly left_at: number; readonly status: LeaverStatus; readonly plan: string | null };

const IS_WANTED = sql`(deleted_at is null and active = 1 and attributes not like '%"temporarilyInactive":true%')`;
const IS_OF_STATUS: Readonly<Record<LeaverStatus, Sql>> = {
  back: IS_WANTED,
  waits: sql`(out_at is null and not ${IS_WANTED})`,
  out: sql`(out_at is not null and not ${IS_WANTED})`,
};

function selectLeavers(db: Db, rest: Sql): Promise<LeaverRow[]> {
  const toCase = (status: LeaverStatus) => sql`when ${IS_OF_STATUS[status]} then ${status}`;
  return select<LeaverRow>(db)`
    select seq, id, name, left_at, out_at, owner, due_at, last_error,
      case ${join(LEAVER_STATUSES.map(toCase), ' ')} end as status,
      (select min(action.plan_id) from plan_actions as action join plans as plan on plan.id = action.plan_id
        where action.resource_id = resources.id and ${IS_HELD} and action.kind in ('user.deactivate', 'user.access')) as plan
    from resources where left_at is not null and ${rest}`;
}

/** Lists who left since a time (epoch milliseconds), the newest first, behind the last row of the page before. */
export function listLeavers(
  db: Db,
  given: Readonly<{ userId: string | undefined; status: LeaverStatus | undefined }> &
    Readonly<{ since: number; after: Pick<LeaverRow, 'left_at' | 'seq'>; limit: number }>,
) {
  const { userId, status, since, after, limit } = given;
  const isMeant = allOf([userId && sql`id = ${userId}`, status && IS_OF_STATUS[status]]);
  return selectLeavers(
    db,
    sql`left_at >= ${since} and (left_at, seq) < (${after.left_at}, ${after.seq}) and ${isMeant}
      order by left_at desc, seq desc limit ${limit}`,
  );
}

/** Leavers who are not out, by their number, and the oldest of them. */
export interface LateLeavers {
  readonly count: number;
  readonly some: readonly Pick<LeaverRow, 'id' | 'name' | 'left_at' | 'plan'>[];
}

/** Condition of a user whom the service was last seen to let work. */
export const IS_SEEN_WORKING = sql`(observed like '%"active":true%'
  and observed not like '%"temporarilyInactive":true%')`;

/** Finds who was deactivated or deleted before a time (epoch milliseconds) and was not seen to be out since. */
export async function findLateLeavers(
  db: Db,
  { before, limit }: Readonly<{ before: number; limit: number }>,
): Promise<LateLeavers> {
  const isLate = sql`left_at <= ${before} and out_at is null
    and (active = 0 or deleted_at is not null) and (due_at is not null or ${IS_SEEN_WORKING})`;
  const some = await selectLeavers(db, sql`${isLate} order by left_at, seq limit ${limit}`);
  if (some.length < limit) return { count: some.length, some };
  return { count: await readNumber(db, sql`select count(*) from resources where ${isLate}`), some };
}

/** Lists how long it took until those were seen to be out who left since then (epoch milliseconds), the shortest first. */
export async function listTimesOut(db: Db, since: number): Promise<number[]> {
  const rows = await select<{ readonly ms: number }>(db)`select out_at - left_at as ms
    from resources where left_at >= ${since} and out_at is not null order by ms`;
  return rows.map(({ ms }) => ms);
}
