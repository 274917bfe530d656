import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ENDED_STATUSES } from '../../domain/drift.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { execute } from './dialect.ts';

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
  /** Column that names a row. */
  readonly key: string;
  /** Column of the time that a row is from, in epoch milliseconds. */
  readonly at: string;
  /** Column by which the oldest come first: one with an index; absent: that of the time. */
  readonly oldest?: string;
  /** All but the newest so many go as well; undefined: however many there are. */
  readonly rowsMax?: number;
  /** Condition on a row that may go at all. */
  readonly isOver?: RawBuilder<SqlBool>;
}

const IS_ACT = sql<SqlBool>`(kind = 'operator' or ended_at is not null)`;
const IS_PASSING = sql<SqlBool>`kind in ('access', 'session')`;
const IS_ENDED = sql<SqlBool>`status in (${sql.join(ENDED_STATUSES)})`;
/** Any other deleted group keeps one hidden that is in the service, or may be. */
const IS_GONE_GROUP = sql<SqlBool>`type = 'group' and due_at is null and sent_creates = '[]'
  and upstream_scim_id is null and upstream_id is null and upstream_uid is null`;

/** Tables whose rows are forgotten by their age alone. */
export const PRUNED: readonly PrunedTable[] = [
  { table: 'requests', age: 'past', key: 'seq', at: 'at', oldest: 'seq', rowsMax: 100_000 },
  {
    table: 'acts',
    age: 'acts',
    key: 'id',
    at: 'at',
    oldest: 'id',
    rowsMax: 100_000,
    isOver: IS_ACT,
  },
  { table: 'own_calls', age: 'recent', key: 'id', at: 'at', rowsMax: 1_000_000 },
  { table: 'audit_events', age: 'recent', key: 'id', at: 'created_at', rowsMax: 1_000_000 },
  { table: 'credentials', age: 'expiry', key: 'seq', at: 'expires_at', isOver: IS_PASSING },
  { table: 'used_assertions', age: 'expiry', key: 'digest', at: 'expires_at' },
  { table: 'drifts', age: 'past', key: 'seq', at: 'last_seen_at', oldest: 'seq', isOver: IS_ENDED },
  { table: 'disputes', age: 'past', key: 'seq', at: 'last_seen_at', oldest: 'seq' },
  { table: 'sweeps', age: 'past', key: 'seq', at: 'ended_at', oldest: 'seq' },
  { table: 'errands', age: 'errand', key: 'id', at: 'until' },
  { table: 'resources', age: 'tombstone', key: 'id', at: 'deleted_at', isOver: IS_GONE_GROUP },
];

/** Rows that are forgotten at once, the oldest first. */
export interface OldRows {
  /** Epoch milliseconds: what is from before goes. */
  readonly before: number;
  /** What is from then on stays, however many rows there are (epoch milliseconds); by default nothing does. */
  readonly keptFrom?: number | undefined;
  /** Most rows of one statement. */
  readonly limit: number;
  /** In place of that of the table. */
  readonly rowsMax?: number;
}

/** Forgets the oldest rows of one of these tables, and returns how many. */
export async function prune(tx: Db, name: keyof Schema, old: OldRows): Promise<number> {
  const pruned = PRUNED.find(({ table }) => table === name);
  if (pruned === undefined) return 0;
  const { before, keptFrom = Number.MAX_SAFE_INTEGER, limit, rowsMax = pruned.rowsMax } = old;
  const [rows, key, at] = [sql.table(name), sql.ref(pruned.key), sql.ref(pruned.at)];
  const oldest = sql.ref(pruned.oldest ?? pruned.at);
  const beyond = sql`select ${oldest} from ${rows} order by ${oldest} desc limit 1 offset ${rowsMax}`;
  const isMany = rowsMax === undefined ? sql`false` : sql`${oldest} <= (${beyond})`;
  const some = sql`select ${key} from ${rows} where (${at} < ${before} or ${isMany})
    and ${at} < ${keptFrom} and ${pruned.isOver ?? sql`true`} order by ${oldest} limit ${limit}`;
  return execute(tx, sql`delete from ${rows} where ${key} in (${some})`);
}
