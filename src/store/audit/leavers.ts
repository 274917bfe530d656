import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ChangeKind } from '../../domain/change.ts';
import type { UserId } from '../../domain/ids.ts';
import type {
  Asker,
  LeaverStatus,
  LoggedRemoval,
  Remains,
  RemovalKind,
  SentRemoval,
} from '../../domain/leaver.ts';
import { HOLDING_SOURCES } from '../../domain/plan.ts';
import { createPrune } from '../engine/prune.ts';
import { toValues } from '../engine/row-sql.ts';
import type { LeaversTable } from '../schema.ts';
import type { Db, Part } from '../store.ts';
import { toUserState, type UserRow } from '../users/users.ts';
import { selectOrigin } from './events.ts';

/** Removal of somebody's access as stored. */
export type LeaverRow = Selectable<LeaversTable>;

/** Accepted removal. */
interface NewLeaver {
  readonly id: UserId;
  readonly version: number;
  readonly kind: RemovalKind;
  /** The row after the write. */
  readonly row: UserRow;
  readonly asker: Asker;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Keeps a removal, in the transaction of the write that asks for it. */
export async function insertLeaver(
  tx: Db,
  { id, version, kind, row, asker, now }: NewLeaver,
): Promise<void> {
  const licence = kind === 'licence' ? (toUserState(row).desired.appsPermissions ?? null) : null;
  const entry = {
    ...{ user_id: id, version, kind, licence, status: 'waits' as const },
    ...{ asked_at: asker.at, credential: asker.credential, request_id: asker.requestId },
    accepted_at: now,
  };
  await sql`insert into leavers ${toValues([entry])}`.execute(tx);
}

/** Lists removals that wait, in order of acceptance, a part of them. */
export async function listWaitingLeavers(db: Db, { afterSeq, limit }: Part): Promise<LeaverRow[]> {
  const waiting = db.selectFrom('leavers').selectAll().where('status', '=', 'waits');
  return waiting.where('seq', '>', afterSeq).orderBy('seq').limit(limit).execute();
}

/** End of a removal. */
export interface LeaverEnd {
  readonly status: Exclude<LeaverStatus, 'waits'>;
  /** Observation that showed it; undefined: there was none. */
  readonly seen: { readonly at: number; readonly by: string } | undefined;
  readonly sent: SentRemoval | undefined;
  /** Time at which this was found (epoch milliseconds). */
  readonly endedAt: number;
  /** Time of the look at what remains; undefined: none is needed. */
  readonly lookAt: number | undefined;
}

/** Stores the end of a removal. */
export async function endLeaver(
  tx: Db,
  seq: number,
  { status, seen, sent, endedAt, lookAt }: LeaverEnd,
): Promise<void> {
  const change = {
    ...{ status, seen_at: seen?.at ?? null, seen_by: seen?.by ?? null, ended_at: endedAt },
    ...{ sent: sent === undefined ? null : JSON.stringify(sent), look_at: lookAt ?? null },
  };
  await tx.updateTable('leavers').set(change).where('seq', '=', seq).execute();
}

/** Lists removals that are over since `since` (epoch milliseconds) and of which the audit log told nothing yet. */
export async function listUnlogged(
  db: Db,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<LeaverRow[]> {
  return db
    .selectFrom('leavers')
    .selectAll()
    .where('logged', 'is', null)
    .where('ended_at', '>=', since)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
}

/** Stores what the audit log tells of a removal. */
export async function saveLogged(tx: Db, seq: number, logged: LoggedRemoval): Promise<void> {
  const change = { logged: JSON.stringify(logged) };
  await tx.updateTable('leavers').set(change).where('seq', '=', seq).execute();
}

/** Lists removals after which it is to be looked what remains. */
export async function listLeaversToLookAt(
  db: Db,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<LeaverRow[]> {
  const due = db.selectFrom('leavers').selectAll().where('look_at', '<=', now);
  return due.orderBy('look_at').limit(limit).execute();
}

/** Stores what was found to remain, and when it is looked again (epoch milliseconds); undefined: not any more. */
export async function saveRemains(
  tx: Db,
  seq: number,
  { remains, lookAt }: { readonly remains: Remains; readonly lookAt: number | undefined },
): Promise<void> {
  const change = { remains: JSON.stringify(remains), look_at: lookAt ?? null };
  // Nothing of it is kept of whoever was erased meanwhile.
  await tx
    .updateTable('leavers')
    .set(change)
    .where('seq', '=', seq)
    .where('look_at', 'is not', null)
    .execute();
}

/** Kinds of calls that take access in a way. */
const CALLS: Readonly<Record<RemovalKind, readonly ChangeKind[]>> = {
  deactivated: ['user.deactivate', 'user.delete'],
  deleted: ['user.deactivate', 'user.delete'],
  suspended: ['user.deactivate', 'user.access'],
  licence: ['user.access'],
};

/** Call for a removal, with its outcome. */
export interface RemovalCall extends SentRemoval {
  readonly outcome: 'done' | 'refused' | 'unknown' | 'not-sent' | null;
  readonly error: string | null;
}

/** Finds the newest call for a removal since it was asked for; undefined: there was none. */
export async function findRemovalCall(
  db: Db,
  { user_id, kind, asked_at, ended_at }: LeaverRow,
): Promise<RemovalCall | undefined> {
  const calls = db.selectFrom('own_calls').select(['id', 'at', 'operation', 'outcome', 'error']);
  return calls
    .where('resource_id', '=', user_id)
    .where('at', '>=', Math.floor(asked_at))
    .where('at', '<=', ended_at ?? Number.MAX_SAFE_INTEGER)
    .where('kind', 'in', CALLS[kind])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Removal as operators are shown it. */
export interface LeaverView extends LeaverRow {
  /** null: nobody is known by the id any more. */
  readonly name: string | null;
  /** Words of the service about it while it waits, as JSON text. */
  readonly problem: string | null;
  readonly stuckAt: number | null;
  /** Plan that holds it until an operator decides. */
  readonly plan: string | null;
}

/** Selection of removals, and the page of it to read. */
export interface LeaverQuery {
  readonly userId: string | undefined;
  readonly status: LeaverStatus | undefined;
  /** Accepted since then (epoch milliseconds). */
  readonly since: number;
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Lists removals, the newest first. */
export async function listLeavers(db: Db, query: LeaverQuery): Promise<LeaverView[]> {
  const { userId, status, since, beforeSeq, limit } = query;
  const conditions: RawBuilder<unknown>[] = [
    sql`leavers.seq < ${beforeSeq}`,
    sql`leavers.accepted_at >= ${since}`,
    ...(userId === undefined ? [] : [sql`leavers.user_id = ${userId}`]),
    ...(status === undefined ? [] : [sql`leavers.status = ${status}`]),
  ];
  const { rows } = await sql<LeaverView>`
    select leavers.*, users.user_name as name, users.last_error as problem, users.stuck_at as "stuckAt",
      (select min(action.plan_id) from plan_actions as action
        join plans as plan on plan.id = action.plan_id
        where action.resource_id = leavers.user_id and action.status = 'planned'
          and leavers.status = 'waits' and action.kind in ('user.deactivate', 'user.access')
          and plan.source in (${sql.join([...HOLDING_SOURCES])})) as plan
    from leavers left join users on users.id = leavers.user_id
    where ${sql.join(conditions, sql` and `)} order by leavers.seq desc limit ${limit}`.execute(db);
  return rows;
}

/** Forgets the oldest removals that are over; returns how many. */
export const pruneLeavers = createPrune({
  ...({ table: 'leavers', key: 'seq', at: 'accepted_at', oldest: 'seq' } as const),
  isOver: sql`status <> 'waits'`,
});

/** Finds the authors of these events, as far as they are still kept. */
export async function findEventAuthors(
  db: Db,
  eventIds: readonly string[],
): Promise<Map<string, EventAuthor>> {
  if (eventIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('audit_events as event')
    .select(['event.id', 'author_id', 'author_username', 'author_address'])
    .select(selectOrigin(db).as('origin'))
    .where('event.id', 'in', eventIds)
    .execute();
  return new Map(
    rows.map(({ id, author_id, author_username, author_address, origin }) => {
      const account = { id: author_id, username: author_username, address: author_address };
      return [id, { ...account, operator: origin === 'operator' }];
    }),
  );
}

/** Author of an event; what the log does not show is null. */
export interface EventAuthor {
  readonly id: number | null;
  readonly username: string | null;
  readonly address: string | null;
  /** True: an operator did it through the bridge, under its account. */
  readonly operator: boolean;
}

/** Lists the ids in the service of the groups that the bridge manages, among these. */
export async function listManagedUids(db: Db, uids: readonly string[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  const { rows } = await sql<{ uid: string }>`select upstream_uid as uid from groups
    where upstream_uid in (${sql.join([...uids])}) and origin is not null and deleted_at is null`.execute(
    db,
  );
  return new Set(rows.map(({ uid }) => uid));
}
