import { sql } from 'kysely';
import { onlyPending } from '../../domain/cell.ts';
import { ACTIVE_STATUSES } from '../../domain/drift.ts';
import { ERASED } from '../../domain/erasure.ts';
import { foldCase } from '../../domain/fold.ts';
import { USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { withoutPersonalData } from '../../domain/user.ts';
import { parseCells, toUserColumns } from '../engine/columns.ts';
import type { Db, Part } from '../store.ts';
import { deleteUser, toObservedUser, type UserRow, updateUser } from '../users/users.ts';
import { FITTING_MAX, listUsersByKey } from './explained.ts';
import type { TracedUser } from './traces.ts';

/** The users of this id, userName, displayName or address, the deleted among them. */
export async function listErasable(db: Db, key: string): Promise<UserRow[]> {
  const known = await listUsersByKey(db, key);
  const folded = foldCase(key);
  const deleted = await db
    .selectFrom('users')
    .selectAll()
    .where('deleted_at', 'is not', null)
    .where((where) =>
      where.or([
        where('user_name_folded', '=', folded),
        where('display_name_folded', '=', folded),
        where('observed_user_name_folded', '=', folded),
        where('observed_email_folded', '=', folded),
      ]),
    )
    .orderBy('seq')
    .limit(FITTING_MAX)
    .execute();
  const rows = new Map([...known, ...deleted].map((row) => [row.id, row])).values();
  return [...rows].toSorted((one, other) => one.seq - other.seq);
}

/**
 * Erases the user's own row. A user whose account may still be in the service stays as a tombstone of its id, so that
 * no list brings them back; any other row goes.
 */
export async function eraseRow(tx: Db, row: UserRow, now: number): Promise<void> {
  if (row.upstream_id === null || row.origin === null) return deleteUser(tx, row.id);
  const observed = toObservedUser(row);
  const attributes = { schemas: [USER_SCHEMA_URI], userName: ERASED, active: false };
  await updateUser(tx, row.id, {
    ...toUserColumns(attributes),
    // Text that cannot be a name.
    user_name_folded: '',
    observed: observed === undefined ? null : JSON.stringify(withoutPersonalData(observed)),
    observed_user_name_folded: null,
    observed_email_folded: null,
    cells: JSON.stringify(onlyPending(parseCells(row))),
    sent_creates: '[]',
    last_error: null,
    version: row.version + 1,
    modified_at: now,
    erased_at: now,
  });
}

/** Counts of work on a user that is still under way. */
interface ErasureFacts {
  /** Places in groups that the service does not hold as wanted, or not yet. */
  readonly links: number;
  /** Actions that wait for a decision, or were decided and are not done. */
  readonly held: number;
  /** Active drifts, apart from that of being unmanaged. */
  readonly drifts: number;
  /** Time of the bridge's last change of the user (epoch milliseconds); null: there was none. */
  readonly calledAt: number | null;
}

/** Reads these counts in one statement. */
export async function findErasureFacts(
  db: Db,
  { id, account }: Pick<TracedUser, 'id' | 'account'>,
): Promise<ErasureFacts> {
  const waits = sql`user_id = ${id} and (pending is not null or retry_at is not null or stuck_at is not null)`;
  const active = sql.join(ACTIVE_STATUSES.map((status) => sql.lit(status)));
  const about = sql`(resource_id = ${id} or member_id = ${id})`;
  const number = account === null ? '' : String(account);
  const { rows } = await sql<ErasureFacts>`select
    (select count(*) from memberships where ${waits})
      + (select count(*) from group_admins where ${waits}) as links,
    (select count(*) from plan_actions where ${about} and plan_id in (
        select id from plans where ended_at is null)) as held,
    (select count(*) from drifts where ${about} and status in (${active})
      and kind not like '%.unmanaged') as drifts,
    (select max(at) from own_calls where resource_id = ${id}
      or (member_id = ${number} and member_id <> '')) as "calledAt"`.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error('a select of counts gives one row');
  return facts;
}

/** Deleted users whose deletion is over since before `before` (epoch milliseconds), in order; a part of them. */
export async function listOldTombstones(
  db: Db,
  { before, afterSeq, limit }: Part & { readonly before: number },
): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('deleted_at', '<', before)
    .where('erased_at', 'is', null)
    .where('due_at', 'is', null)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** Texts of an event that may hold names. */
interface SayingEvent {
  readonly id: string;
  readonly message: string | null;
  readonly details: string | null;
  readonly author_username: string | null;
}

/** Events in the order of their ids, a part of them. */
export async function listSayingEvents(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<SayingEvent[]> {
  const events = db.selectFrom('audit_events');
  return events
    .select(['id', 'message', 'details', 'author_username'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
