import type { Sql } from 'sql-template-tag';
import sql, { join, raw } from 'sql-template-tag';
import { ENDED_STATUSES } from '../../domain/change.ts';
import { DAY_MS } from '../../domain/clock.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { execute, isPostgres } from './dialect.ts';

/** Rows of a table that are forgotten. Times are epoch milliseconds. */
interface Pruned {
  readonly table: keyof Schema;
  /** Column of the time that a row is from. */
  readonly at: string;
  /** What is from before goes. */
  readonly before: number;
  /** All but the newest so many go as well; needs an index on the time. Absent: however many there are. */
  readonly rowsMax?: number;
  /** What is from then on stays, however many rows there are. */
  readonly keptFrom?: number;
  /** Condition on a row that may go at all. */
  readonly isOver?: Sql;
}

/** Lists what is forgotten by its age alone, in this order: the past, and groups that were deleted before a time. */
export function listPruned(now: number, ledgerMs: number, deletedBefore: number): Pruned[] {
  const before = now - ledgerMs;
  // Limits of harm look back a day.
  const recent = { before, rowsMax: 1_000_000, keptFrom: now - 2 * DAY_MS };
  const isAct = sql`(kind = 'operator' or ended_at is not null)`;
  const isPassing = sql`kind in ('access', 'session')`;
  const isEnded = sql`status in (${join(ENDED_STATUSES)})`;
  const isOfOldPlan = sql`plan_id in (select id from plans where ended_at < ${before})`;
  const isEmptyPlan = sql`not exists (
    select 1 from plan_actions where plan_id = plans.id)`;
  // Any other deleted group keeps one hidden that is in the service, or may be.
  const isGoneGroup = sql`type = 'group' and due_at is null and sent_creates = '[]'
    and upstream_scim_id is null and upstream_id is null and upstream_uid is null`;
  return [
    { table: 'requests', at: 'at', before, rowsMax: 100_000 },
    { table: 'acts', at: 'at', before: now - 365 * DAY_MS, rowsMax: 100_000, isOver: isAct },
    { table: 'own_calls', at: 'at', ...recent },
    { table: 'audit_events', at: 'created_at', ...recent },
    { table: 'credentials', at: 'expires_at', before: now, isOver: isPassing },
    { table: 'used_assertions', at: 'expires_at', before: now },
    { table: 'drifts', at: 'last_seen_at', before, isOver: isEnded },
    { table: 'disputes', at: 'last_seen_at', before },
    { table: 'sweeps', at: 'ended_at', before },
    { table: 'plan_actions', at: 'planned_at', before, isOver: isOfOldPlan },
    { table: 'plans', at: 'ended_at', before, isOver: isEmptyPlan },
    // A clock that is wrong by less loses none; they end within seconds, unless their process has died.
    { table: 'errands', at: 'until', before: now - 60 * 60_000 },
    { table: 'resources', at: 'deleted_at', before: deletedBefore, isOver: isGoneGroup },
  ];
}

/** Forgets at most `limit` rows of a table, the oldest first, and returns how many. */
export async function prune(
  tx: Db,
  { table, at: column, before, rowsMax, keptFrom, isOver = sql`true` }: Pruned,
  limit: number,
): Promise<number> {
  const [rows, at] = [raw(table), raw(column)];
  const place = raw(isPostgres(tx) ? 'ctid' : 'rowid');
  const oldestKept = sql`(select ${at} from ${rows} order by ${at} desc limit 1 offset ${rowsMax})`;
  const isMany = rowsMax === undefined ? sql`false` : sql`${at} <= ${oldestKept}`;
  const some = sql`select ${place} from ${rows} where (${at} < ${before} or ${isMany})
    and ${at} < ${keptFrom ?? Number.MAX_SAFE_INTEGER} and ${isOver} order by ${at} limit ${limit}`;
  return execute(tx)`delete from ${rows} where ${place} in (${some})`;
}
