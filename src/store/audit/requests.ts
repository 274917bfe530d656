import type { Insertable, Selectable } from 'kysely';
import { chunks } from '../engine/dialect.ts';
import type { RequestsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A request as stored. */
export type RequestRow = Selectable<RequestsTable>;

/** A request to be stored. */
export type NewRequestRow = Omit<Insertable<RequestsTable>, 'seq'>;

/** Stores requests in the order in which they were answered. */
export async function insertRequests(tx: Db, rows: readonly NewRequestRow[]): Promise<void> {
  for (const some of chunks(rows)) await tx.insertInto('requests').values(some).execute();
}

/** Selection of stored requests, and the page of it to read. */
export interface RequestQuery {
  /** The SCIM id that they were for. */
  readonly resourceId: string | undefined;
  /** Statuses from the first to the last. */
  readonly status: readonly [number, number] | undefined;
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Requests, the newest first. */
export async function listRequests(
  db: Db,
  { resourceId, status, beforeSeq, limit }: RequestQuery,
): Promise<RequestRow[]> {
  let query = db.selectFrom('requests').selectAll().where('seq', '<', beforeSeq);
  if (resourceId !== undefined) query = query.where('resource_id', '=', resourceId);
  if (status !== undefined)
    query = query.where('status', '>=', status[0]).where('status', '<=', status[1]);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

/** Limits of the log: requests before `before` (epoch milliseconds) go, and all but the newest `rowsMax`. */
export interface RequestPruning {
  readonly before: number;
  readonly rowsMax: number;
  readonly limit: number;
}

/** Forgets at most `limit` requests, the oldest first; returns how many. */
export async function pruneRequests(
  tx: Db,
  { before, rowsMax, limit }: RequestPruning,
): Promise<number> {
  const newest = tx.selectFrom('requests').select('seq').orderBy('seq', 'desc');
  const last = await newest.offset(rowsMax).limit(1).executeTakeFirst();
  const oldest = tx
    .selectFrom('requests')
    .select('seq')
    .where((where) => where.or([where('at', '<', before), where('seq', '<=', last?.seq ?? 0)]))
    .orderBy('seq')
    .limit(limit);
  const result = await tx.deleteFrom('requests').where('seq', 'in', oldest).executeTakeFirst();
  return Number(result.numDeletedRows);
}
