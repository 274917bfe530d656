import type { ResourceKey } from '../domain/ids.ts';
import type { OwnChange } from '../domain/own-call.ts';
import { chunks } from './chunks.ts';
import type { Db } from './database.ts';

/** One mutating call that is about to leave. */
export interface OwnCall {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The row of the operation, such as `scim.updateUser`. */
  readonly operation: string;
  /** The resource that the call converges; undefined for a call that an operator asked for. */
  readonly key: ResourceKey | undefined;
  readonly changes: readonly OwnChange[];
}

/** Writes a call into the ledger, one row a change. */
export async function insertOwnCall(
  tx: Db,
  { at, operation, key, changes }: OwnCall,
): Promise<void> {
  const rows = changes.map(({ kind, upstreamId, memberId }) => ({
    at,
    operation,
    kind,
    resource_type: key?.type ?? ('operator' as const),
    resource_id: key?.id ?? '',
    upstream_id: upstreamId ?? null,
    member_id: memberId ?? null,
  }));
  for (const some of chunks(rows)) await tx.insertInto('own_calls').values(some).execute();
}

/** One change of the ledger. */
export interface OwnCallRow extends OwnChange {
  readonly id: number;
  readonly at: number;
  readonly resourceId: string;
}

/** The changes of a time, both ends included (epoch milliseconds), oldest first. */
export async function listOwnCalls(
  db: Db,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<OwnCallRow[]> {
  const rows = await db
    .selectFrom('own_calls')
    .select(['id', 'at', 'kind', 'resource_id', 'upstream_id', 'member_id'])
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ upstream_id, member_id, resource_id, ...row }) => ({
    ...row,
    resourceId: resource_id,
    ...(upstream_id === null ? {} : { upstreamId: upstream_id }),
    ...(member_id === null ? {} : { memberId: member_id }),
  }));
}

/** When the newest call of the ledger was about to leave (epoch milliseconds), undefined when there is none. */
export async function findNewestOwnCall(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('own_calls')
    .select('at')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** Forgets at most `limit` of the oldest changes from before `before` (epoch milliseconds); returns how many. */
export async function pruneOwnCalls(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const oldest = tx
    .selectFrom('own_calls')
    .select('id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit);
  const result = await tx.deleteFrom('own_calls').where('id', 'in', oldest).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** When the newest call for this person or group was about to leave (epoch milliseconds), undefined: there was none. */
export async function findNewestOwnCallFor(
  db: Db,
  resourceId: string,
): Promise<number | undefined> {
  const calls = db.selectFrom('own_calls').select('at').where('resource_id', '=', resourceId);
  return (await calls.orderBy('at', 'desc').limit(1).executeTakeFirst())?.at;
}
