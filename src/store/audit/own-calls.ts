import { type RawBuilder, sql } from 'kysely';
import type { ResourceKey } from '../../domain/ids.ts';
import type { CallOutcome, OwnCallKind, OwnChange } from '../../domain/own-call.ts';
import { chunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** One mutating call that is about to leave. */
export interface OwnCall {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The row of the operation, such as `scim.updateUser`. */
  readonly operation: string;
  /** The resource that the call converges; undefined for a call that an operator asked for. */
  readonly key: ResourceKey | undefined;
  readonly changes: readonly LedgerChange[];
}

/** A change with 1 where a plan of repairs asked for it, or with SQL that finds that out. */
interface LedgerChange extends OwnChange {
  readonly isRepair?: number | RawBuilder<number>;
}

/** A change as the ledger holds it. */
export interface WrittenChange {
  readonly id: number;
  readonly kind: OwnCallKind;
  /** 1: a plan asked for it, or it follows from a deletion. */
  readonly is_repair: number;
}

/**
 * Writes a call into the ledger, one row a change, as `done`: the outcome of a call that worked, which most do, costs no
 * statement. Until it is known, the resource has to be in flight since these rows.
 */
export async function insertOwnCall(
  tx: Db,
  { at, operation, key, changes }: OwnCall,
): Promise<WrittenChange[]> {
  const rows = changes.map(({ kind, upstreamId, memberId, isRepair = 0 }) => ({
    at,
    operation,
    kind,
    resource_type: key?.type ?? ('operator' as const),
    resource_id: key?.id ?? '',
    upstream_id: upstreamId ?? null,
    member_id: memberId ?? null,
    is_repair: isRepair,
    outcome: key === undefined ? null : ('done' as const),
  }));
  const written: WrittenChange[] = [];
  for (const some of chunks(rows)) {
    const insert = tx.insertInto('own_calls').values(some);
    written.push(...(await insert.returning(['id', 'kind', 'is_repair']).execute()));
  }
  return written;
}

/** Outcome of one attempt of a call, and its rows in the ledger. */
export interface EndedCall {
  readonly ids: readonly number[];
  readonly outcome: CallOutcome;
  /** Code of the error, with the status of the answer where there was one; null: there was none. */
  readonly error: string | null;
}

/** Stores the outcome of calls of the ledger. */
export async function saveCallOutcomes(tx: Db, ended: readonly EndedCall[]): Promise<void> {
  for (const { ids, outcome, error } of ended) {
    for (const some of chunks(ids)) {
      await sql`update own_calls set outcome = ${outcome}, error = ${error}
        where id in (${sql.join(some)})`.execute(tx);
    }
  }
}

/** One change of the ledger. */
export interface OwnCallRow extends OwnChange {
  readonly id: number;
  readonly at: number;
  readonly resourceId: string;
  /** null: the outcome is not known yet. */
  readonly outcome: CallOutcome | null;
}

/**
 * The changes of a time, both ends included (epoch milliseconds), oldest first: those that the service made, or may
 * have made.
 */
export async function listOwnCalls(
  db: Db,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<OwnCallRow[]> {
  const rows = await db
    .selectFrom('own_calls')
    .select(['id', 'at', 'kind', 'resource_id', 'upstream_id', 'member_id', 'outcome'])
    .where('at', '>=', from)
    .where('at', '<=', to)
    .where((where) =>
      where.or([where('outcome', 'is', null), where('outcome', 'in', ['done', 'unknown'])]),
    )
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

/** Finds when the newest call of the ledger was about to leave (epoch milliseconds); undefined: there is none. */
export async function findNewestOwnCall(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('own_calls')
    .select('at')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** Time of the newest change beyond the newest `rowsMax` (epoch milliseconds); undefined: there are no more. */
export async function findOwnCallBeyond(db: Db, rowsMax: number): Promise<number | undefined> {
  const newest = db.selectFrom('own_calls').select('at').orderBy('at', 'desc');
  return (await newest.offset(rowsMax).limit(1).executeTakeFirst())?.at;
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

/**
 * Finds when the newest call for this user or group was about to leave (epoch milliseconds); undefined: there was none.
 */
export async function findNewestOwnCallFor(
  db: Db,
  resourceId: string,
): Promise<number | undefined> {
  const calls = db.selectFrom('own_calls').select('at').where('resource_id', '=', resourceId);
  return (await calls.orderBy('at', 'desc').limit(1).executeTakeFirst())?.at;
}
