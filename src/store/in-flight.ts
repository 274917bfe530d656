import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { ResourceKey } from '../domain/ids.ts';
import type { Schema } from './schema.ts';
import type { Db } from './store.ts';

/** True when a call that changes this resource may be on its way. */
export function isInFlight({ in_flight }: { readonly in_flight: number }): boolean {
  return in_flight !== 0;
}

/** Columns of a row with an earlier call that may still take effect: all its waiting changes are sent. */
export const EVERYTHING_UNSURE = { unsure_since: 0 } as const;

/** True when a call for this resource is on its way, or ended without a known outcome. */
export function isUnsure(row: {
  readonly in_flight: number;
  readonly unsure_since: number | null;
}): boolean {
  return isInFlight(row) || row.unsure_since !== null;
}

/** Finds the newest version of a waiting change that is taken to hold where a list shows it. */
export function toDoneUpTo({ unsure_since }: { readonly unsure_since: number | null }): number {
  return unsure_since ?? Number.MAX_SAFE_INTEGER;
}

/** `in_flight` for a call without a row in the ledger: no row comes after it. */
const NO_CALL_ROW = Number.MAX_SAFE_INTEGER;

/** Conditions under which a call may leave: nothing was written since it was planned. */
interface PlannedFrom {
  readonly version: number;
  /** The value of `must_look` from which the call may not leave, because another look was requested. */
  readonly notMustLook: number;
  /** The first row of the call in the ledger; undefined: it has none. */
  readonly callRow: number | undefined;
}

/**
 * Notes that a call which changes the resource is about to leave. False: the resource is not any more as the call was
 * planned from, or is gone.
 */
export async function markInFlight(
  tx: Db,
  key: ResourceKey,
  { version, notMustLook, callRow = NO_CALL_ROW }: PlannedFrom,
): Promise<boolean> {
  const marked = await tx
    .updateTable('resources')
    .set((set) => ({ in_flight: callRow, steps: raised(set) }))
    .where('id', '=', key.id)
    .where('version', '=', version)
    .where('must_look', '!=', notMustLook)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

/** Columns of a row with calls of lost outcome: what was written since they left is unsure. */
function toInterrupted() {
  const isAsSent = sql`in_flight = 0 or exists (select 1 from own_calls as call
    where call.id = resources.in_flight and call.at >= resources.modified_at)`;
  const unsure_since = sql<number | null>`case when ${isAsSent} then unsure_since else 0 end`;
  return { in_flight: 0, must_look: 1, unsure_since } as const;
}

/** Makes a resource due for a look after its run ended without a result, at `dueAt` (epoch milliseconds). */
export async function markInterrupted(tx: Db, key: ResourceKey, dueAt: number): Promise<void> {
  const which = sql<boolean>`resource.id = ${key.id}`;
  await forgetOutcomes(tx, which);
  await tx
    .updateTable('resources')
    .set((set) => ({ ...toInterrupted(), due_at: dueAt, steps: raised(set) }))
    .where('id', '=', key.id)
    .execute();
}

/** Assigns a requested second look (`must_look` 2) to the run that begins now. */
export async function beginLook(tx: Db, key: ResourceKey): Promise<void> {
  const requested = tx.updateTable('resources').set({ must_look: 1 }).where('id', '=', key.id);
  await requested.where('must_look', '>', 1).execute();
}

/**
 * Has every resource looked at first for which a call of an earlier leader may have been on its way: that call may have
 * had an effect. Returns their number. `now` is epoch milliseconds.
 */
export async function recoverInFlight(tx: Db, now: number): Promise<number> {
  await forgetOutcomes(tx, sql<boolean>`true`);
  const result = await tx
    .updateTable('resources')
    .set((set) => ({ ...toInterrupted(), due_at: now, steps: raised(set) }))
    .where('in_flight', '>', 0)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Marks the outcome of calls that may be on their way to these resources as lost. */
async function forgetOutcomes(tx: Db, which: RawBuilder<boolean>): Promise<void> {
  await sql`update own_calls set outcome = null where outcome = 'done' and id in (
    select call.id from resources as resource
    join own_calls as call on call.resource_id = resource.id and call.id >= resource.in_flight
    where resource.in_flight > 0 and ${which})`.execute(tx);
}

function raised(set: ExpressionBuilder<Schema, 'resources'>) {
  return set('steps', '+', 1);
}
