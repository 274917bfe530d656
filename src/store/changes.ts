import { type RawBuilder, sql } from 'kysely';
import { CHANGE_CLASSES, type ChangeClass } from '../domain/change-class.ts';
import { waits } from './engine/columns.ts';
import { execute, select } from './engine/dialect.ts';
import { IS_SEEN_WORKING } from './resources/leavers.ts';
import type { ResourceRow } from './resources/rows.ts';
import type { Db } from './store.ts';

/** Change of a provider, from its acceptance until the service holds it. */
export interface AskedChange {
  readonly kind: ChangeClass;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Version of the write. */
  readonly version: number;
  /** Trace of the request, as W3C Trace Context writes it; null: it has none. */
  readonly trace: string | null;
}

/**
 * Remembers an accepted change until the service holds it. Of several that wait for one user or group the most urgent is
 * remembered, and of equal ones the first. Who is to be in no longer leaves.
 */
export async function keepChange(tx: Db, row: ResourceRow, change: AskedChange): Promise<void> {
  const { asked_kind: known } = row;
  const isUrgent =
    known === null || CHANGE_CLASSES.indexOf(change.kind) < CHANGE_CLASSES.indexOf(known);
  const isBack = known === 'leaver' && change.kind === 'joiner';
  if (isUrgent || isBack) await setAsked(tx, row, change);
}

/** Condition of a user who is to be out and whom the service was last seen to let work, whatever keeps the change back. */
const IS_STILL_IN = sql`origin is not null and (active = 0 or deleted_at is not null)
  and ${IS_SEEN_WORKING}`;
/** Condition of a change that nothing is done about now, and that has not come true. */
const IS_HELD_LEAVER = sql`(asked_kind = 'leaver' and ${IS_STILL_IN})`;
const IS_ACCESS_OPEN = sql`(${waits('cells', 'active')} or ${waits('cells', 'account')})`;
const NEVER = sql`1 = 0`;

/**
 * Forgets the remembered change of a row that was read in this transaction, and returns it, where it waits no more. Somebody
 * is out, or in, also while another part of the same request still waits. What came while another change was under way is
 * remembered from the last of it on.
 * @param progress the version that was read (nothing is said of later changes), and the oldest one that still waits
 */
export async function takeDoneChange(
  tx: Db,
  row: ResourceRow,
  progress: { readonly version: number; readonly oldestPending: number | undefined },
): Promise<AskedChange | undefined> {
  const { version, oldestPending } = progress;
  const change = toChange(row);
  if (change === undefined || change.version > version) return undefined;
  // The resource is gone, and so is what was asked of it.
  if (!Number.isFinite(version)) {
    await setAsked(tx, row, undefined);
    return undefined;
  }
  const isAccess = change.kind === 'leaver' || change.kind === 'joiner';
  const isOld = oldestPending === undefined || change.version < oldestPending;
  if (!isAccess && !isOld) return undefined;
  const next =
    isAccess || oldestPending === undefined
      ? undefined
      : { ...change, at: row.modified_at, version: oldestPending };
  const open = isAccess && oldestPending !== undefined ? IS_ACCESS_OPEN : NEVER;
  const held = row.type === 'user' ? IS_HELD_LEAVER : NEVER;
  const isDone = await setAsked(tx, row, next, sql`not ${open} and not ${held}`);
  return isDone ? change : undefined;
}

function toChange({ asked_kind: kind, ...row }: ResourceRow): AskedChange | undefined {
  if (kind === null) return undefined;
  const { asked_at: at, asked_version: version, asked_trace: trace } = row;
  return { kind, at: at ?? 0, version: version ?? 0, trace };
}

/** Sets the remembered change of a user or group where the condition holds; false: it does not. */
async function setAsked(
  tx: Db,
  row: ResourceRow,
  change: AskedChange | undefined,
  condition: RawBuilder<unknown> = sql`1 = 1`,
): Promise<boolean> {
  const { kind = null, at = null, version = null, trace = null } = change ?? {};
  const set = sql`asked_kind = ${kind}, asked_at = ${at}, asked_version = ${version}, asked_trace = ${trace}`;
  const update = sql`update resources set ${set} where id = ${row.id} and ${condition}`;
  return (await execute(tx, update)) === 1;
}

/** Forgets a removal up to this version: an operator decides, or has decided against it. */
export async function forgetRemoval(tx: Db, row: ResourceRow, version: number): Promise<void> {
  const change = toChange(row);
  const isRemoval = change?.kind === 'leaver' || change?.kind === 'member-removed';
  if (isRemoval && change.version <= version) await setAsked(tx, row, undefined);
}

/** Condition of a row whose change the service does not hold: somebody who is to be out counts also while that is held. */
const WAITS = sql`(due_at is not null or (type = 'user' and ${IS_HELD_LEAVER}))`;

/** Forgets at most `limit` changes that wait for nothing any more; returns how many. */
export async function pruneChanges(tx: Db, { limit }: { readonly limit: number }): Promise<number> {
  const over = sql`select id from resources where asked_kind is not null and not ${WAITS} limit ${limit}`;
  return execute(tx, sql`update resources set asked_kind = null where id in (${over})`);
}

/** Counts the users and groups with a change that the service does not hold yet, by its kind. */
export const countWaitingChanges = (db: Db) =>
  select<{ kind: string; oldestAt: number; count: number }>(db)`
    select asked_kind as kind, min(asked_at) as "oldestAt", count(*) as count
    from resources where asked_kind is not null and ${WAITS} group by asked_kind`;
