import { sql } from 'kysely';
import type { Failure } from '../../domain/cell.ts';
import { readOne, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { GroupKey } from './links.ts';

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
    from links where group_id in (${sql.join(seqs)}) and list = 'member' group by group_id`;
  return new Map(rows.map(({ group_id, seen, unknown }) => [group_id, { seen, unknown }]));
}
