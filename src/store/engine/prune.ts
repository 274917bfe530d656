import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ENDED_STATUSES } from '../../domain/drift.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { execute, isPostgres } from './dialect.ts';

/** How long rows are kept. */
export type Age =
  | 'past' // As the ledger.
  | 'recent' // The same, and always those of two days, because limits of harm look back a day.
  | 'acts' // As acts of operators.
  | 'expiry' // Until the time that they have.
  | 'errand' // An hour longer, in case of a clock that is wrong.
  | 'tombstone'; // As what was deleted.

interface PrunedTable {
  readonly table: keyof Schema;
  readonly age: Age;
  /** Column of the time that a row is from, in epoch milliseconds. */
  readonly at: string;
  /** All but the newest so many go as well; needs an index on the time. Absent: however many there are. */
  readonly rowsMax?: number;
  /** Condition on a row that may go at all, by the time before which rows go. */
  readonly isOver?: (before: number) => RawBuilder<SqlBool>;
}

const isAct = () => sql<SqlBool>`(kind = 'operator' or ended_at is not null)`;
const isPassing = () => sql<SqlBool>`kind in ('access', 'session')`;
const isEnded = () => sql<SqlBool>`status in (${sql.join(ENDED_STATUSES)})`;
const isOfOldPlan = (before: number) =>
  sql<SqlBool>`plan_id in (select id from plans where ended_at < ${before})`;
const isEmptyPlan = () =>
  sql<SqlBool>`not exists (select 1 from plan_actions where plan_id = plans.id)`;
/** Any other deleted group keeps one hidden that is in the service, or may be. */
const isGoneGroup = () => sql<SqlBool>`type = 'group' and due_at is null and sent_creates = '[]'
  and upstream_scim_id is null and upstream_id is null and upstream_uid is null`;

/** Tables whose rows are forgotten by their age alone, in this order. */
export const PRUNED: readonly PrunedTable[] = [
  { table: 'requests', age: 'past', at: 'at', rowsMax: 100_000 },
  { table: 'acts', age: 'acts', at: 'at', rowsMax: 100_000, isOver: isAct },
  { table: 'own_calls', age: 'recent', at: 'at', rowsMax: 1_000_000 },
  { table: 'audit_events', age: 'recent', at: 'created_at', rowsMax: 1_000_000 },
  { table: 'credentials', age: 'expiry', at: 'expires_at', isOver: isPassing },
  { table: 'used_assertions', age: 'expiry', at: 'expires_at' },
  { table: 'drifts', age: 'past', at: 'last_seen_at', isOver: isEnded },
  { table: 'disputes', age: 'past', at: 'last_seen_at' },
  { table: 'sweeps', age: 'past', at: 'ended_at' },
  { table: 'plan_actions', age: 'past', at: 'planned_at', isOver: isOfOldPlan },
  { table: 'plans', age: 'past', at: 'ended_at', isOver: isEmptyPlan },
  { table: 'errands', age: 'errand', at: 'until' },
  { table: 'resources', age: 'tombstone', at: 'deleted_at', isOver: isGoneGroup },
];

/** Rows that are forgotten at once, the oldest first. */
export interface OldRows {
  /** Epoch milliseconds: what is from before goes. */
  readonly before: number;
  /** What is from then on stays, however many rows there are (epoch milliseconds); by default nothing does. */
  readonly keptFrom?: number;
  /** Most rows of one statement. */
  readonly limit: number;
}

/** Forgets the oldest rows of a table, and returns how many. */
export async function prune(
  tx: Db,
  { table, at: column, rowsMax, isOver = () => sql`true` }: Omit<PrunedTable, 'age'>,
  { before, keptFrom = Number.MAX_SAFE_INTEGER, limit }: OldRows,
): Promise<number> {
  const [rows, at] = [sql.table(table), sql.ref(column)];
  const place = sql.ref(isPostgres(tx) ? 'ctid' : 'rowid');
  const oldestKept = sql`(select ${at} from ${rows} order by ${at} desc limit 1 offset ${rowsMax})`;
  const isMany = rowsMax === undefined ? sql`false` : sql`${at} <= ${oldestKept}`;
  const some = sql`select ${place} from ${rows} where (${at} < ${before} or ${isMany})
    and ${at} < ${keptFrom} and ${isOver(before)} order by ${at} limit ${limit}`;
  return execute(tx, sql`delete from ${rows} where ${place} in (${some})`);
}
