import { type RawBuilder, sql } from 'kysely';
import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import { HOLDING_SOURCES } from '../../domain/plan.ts';
import type { GroupId, UserId } from '../../domain/values.ts';
import { allOf, readNumber, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { findOne } from '../tables.ts';
import type { UserRow } from './rows.ts';

/** Times of a departure after a write that takes access (epoch milliseconds); it counts from the first request. */
export function toDeparture({ left_at, out_at }: Pick<UserRow, 'left_at' | 'out_at'>, now: number) {
  const isOpen = left_at !== null && out_at === null;
  return { left_at: isOpen ? left_at : now, out_at: null };
}

const REMOVALS = ['user.deactivate', 'user.delete', 'user.access'] as const;

/** Finds the newest call that took access from a user between two times (epoch milliseconds); undefined: none is kept. */
export function findRemovalCall(
  db: Db,
  { id, from, until }: { readonly id: UserId; readonly from: number; readonly until: number },
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
const IS_OF_STATUS: Readonly<Record<LeaverStatus, RawBuilder<unknown>>> = {
  back: IS_WANTED,
  waits: sql`(out_at is null and not ${IS_WANTED})`,
  out: sql`(out_at is not null and not ${IS_WANTED})`,
};

function selectLeavers(db: Db, rest: RawBuilder<unknown>): Promise<LeaverRow[]> {
  const holding = sql.join([...HOLDING_SOURCES]);
  const toCase = (status: LeaverStatus) => sql`when ${IS_OF_STATUS[status]} then ${status}`;
  return select<LeaverRow>(db)`
    select seq, id, name, left_at, out_at, owner, due_at, last_error,
      case ${sql.join(LEAVER_STATUSES.map(toCase), sql` `)} end as status,
      (select min(action.plan_id) from plan_actions as action join plans as plan on plan.id = action.plan_id
        where action.resource_id = resources.id and action.status = 'planned' and plan.source in (${holding})
          and action.kind in ('user.deactivate', 'user.access')) as plan
    from resources where left_at is not null and ${rest}`;
}

/** Selection of leavers since a time (epoch milliseconds), and the page of it to read, behind the last row of the page before. */
export interface LeaverQuery {
  readonly userId: string | undefined;
  readonly status: LeaverStatus | undefined;
  readonly since: number;
  readonly after: Pick<LeaverRow, 'left_at' | 'seq'>;
  readonly limit: number;
}

/** Lists who left, the newest first. */
export function listLeavers(db: Db, { userId, status, since, after, limit }: LeaverQuery) {
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
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<LateLeavers> {
  const isLate = sql`left_at <= ${before} and out_at is null
    and (active = 0 or deleted_at is not null) and (due_at is not null or ${IS_SEEN_WORKING})`;
  const some = await selectLeavers(db, sql`${isLate} order by left_at, seq limit ${limit}`);
  if (some.length < limit) return { count: some.length, some };
  return { count: await readNumber(db, sql`select count(*) from resources where ${isLate}`), some };
}

/** Lists the groups that the bridge does not manage and in which these users were last seen. */
export async function listForeignGroups(db: Db, userIds: readonly UserId[]) {
  if (userIds.length === 0) return [];
  return select<{ userId: UserId; id: GroupId; name: string }>(db)`
    select u.id as "userId", g.id, g.name
    from resources as u join links as m on m.target = u.seq join resources as g on g.seq = m.group_id
    where u.id in (${sql.join(userIds)}) and m.list = 'member' and m.observed = 1
      and g.origin is null and g.deleted_at is null
    order by g.name`;
}
