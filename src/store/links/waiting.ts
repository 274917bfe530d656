import { sql } from 'kysely';
import type { LinkChange } from '../../domain/link.ts';
import type { Refusal } from '../../domain/values.ts';
import { isNotApplied } from '../../domain/values.ts';
import { parseStored, waits } from '../engine/columns.ts';
import { select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { Row } from '../tables.ts';
import type { GroupKey } from './links.ts';

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
  type Waiting = Omit<Row<'links'>, 'pending'> &
    Pick<LinkChange, 'userId' | 'upstreamUserId'> & { readonly pending: number };
  const rows = await select<Waiting>(db)`
    select link.*, person.id as "userId", person.upstream_id as "upstreamUserId"
    from links as link join resources as person on person.seq = link.target
    where link.group_id = ${seq} and link.pending is not null and person.upstream_id is not null
    and (link.retry_at is null or link.retry_at <= ${now})
    and (person.deleted_at is null or not ${waits('person.cells', 'active')})
    ${inactiveWait ? sql`and (link.desired = 0 or person.active = 1)` : sql``}
    order by coalesce(link.retry_at, 0), link.desired, link.pending, link.target limit ${limit}`;
  return rows.map(({ list, userId, upstreamUserId, ...row }) => ({
    list,
    userId,
    upstreamUserId,
    wanted: row.desired === 1,
    version: row.pending,
    ...(row.attempts === 0 ? {} : { attempts: row.attempts }),
    ...(row.stuck_at === null ? {} : { stuck: true }),
    ...(isNotApplied(parseProblem(row)) ? { ignored: true } : {}),
  }));
}

const parseProblem = ({ problem }: { readonly problem: string | null }) =>
  problem === null ? undefined : parseStored<Refusal>(problem);

/** Summary of the waiting changes of a group, also of those before their next attempt. */
export interface WaitingSummary {
  /** The oldest waiting version; absent: nothing waits. */
  readonly oldest?: number;
  /** Time of the next attempt of a failed change (epoch milliseconds). */
  readonly nextRetryAt?: number | undefined;
  /** True when a removal waits. */
  readonly removes: boolean;
  /** The change that is stuck longest, or else the one that failed most often. */
  readonly worst?:
    | (Pick<Row<'links'>, 'stuck_at' | 'attempts'> & { readonly problem: Refusal })
    | undefined;
}

/** Summary of a group without waiting changes. */
export const NOTHING_WAITING: WaitingSummary = { removes: false };

/** Sums up the waiting changes of a group. `now` is epoch milliseconds. */
export async function readWaiting(db: Db, { seq }: GroupKey, now = 0): Promise<WaitingSummary> {
  const waiting = sql`from links where group_id = ${seq} and pending is not null`;
  type Totals = Record<'oldest' | 'nextRetryAt' | 'desired', number | null> & { problems: number };
  const [totals] = await select<Totals>(db)`
    select min(pending) as oldest, min(case when retry_at > ${now} then retry_at end) as "nextRetryAt",
      min(desired) as desired, count(problem) as problems ${waiting}`;
  if (totals === undefined || totals.oldest === null) return NOTHING_WAITING;
  const [worst] =
    totals.problems === 0
      ? []
      : await select<Row<'links'>>(
          db,
        )`select * ${waiting} and problem is not null and (stuck_at is not null or attempts > 0)
          order by coalesce(stuck_at, ${Number.MAX_SAFE_INTEGER}), attempts desc limit 1`;
  const problem = worst && parseProblem(worst);
  return {
    oldest: totals.oldest,
    nextRetryAt: totals.nextRetryAt ?? undefined,
    removes: totals.desired === 0,
    worst: problem && { ...worst, problem },
  };
}
