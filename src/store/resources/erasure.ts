import { type RawBuilder, sql } from 'kysely';
import { onlyPending } from '../../domain/cell.ts';
import { ACTIVE_STATUSES } from '../../domain/drift.ts';
import { ERASED } from '../../domain/erasure.ts';
import { foldCase } from '../../domain/fold.ts';
import type { UserId } from '../../domain/ids.ts';
import { USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { withoutPersonalData } from '../../domain/user.ts';
import { parseCells, toUserColumns } from '../engine/columns.ts';
import { chunks } from '../engine/dialect.ts';
import type { Db, Part } from '../store.ts';
import { deleteUser, toObservedUser, type UserRow, updateUser } from '../users/users.ts';
import { FITTING_MAX, listUsersByKey } from './explained.ts';
import type { SilencedWords } from './kept-words.ts';

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

/** Kinds of data that are kept about a user. */
export const TRACES = [
  'addresses',
  'groups',
  'requests',
  'calls',
  'drifts',
  'plans',
  'looks',
  'disputes',
  'events',
  'problems',
] as const;

/** Number of rows of each kind. */
export type TraceCounts = Readonly<Record<(typeof TRACES)[number], number>>;

/** User whose traces are looked for. */
export interface TracedUser {
  readonly id: UserId;
  /** The id in the service. */
  readonly account: number | null;
  /** Names under which others may know the user. */
  readonly names: readonly string[];
  /** Events of the audit log that say one of the names. */
  readonly eventIds: readonly string[];
  /** Events whose author has one of the names. */
  readonly authoredIds: readonly string[];
  /** Words of the service, kept of others, that say one of the names. */
  readonly words: readonly SilencedWords[];
}

/** Rows of a table, and what becomes of them; undefined: they go. */
interface Trace {
  readonly kind: keyof TraceCounts;
  readonly table: string;
  readonly rows: RawBuilder<unknown>;
  readonly change?: RawBuilder<unknown>;
}

/** Counts the rows of each kind. */
export async function countTraces(db: Db, user: TracedUser): Promise<TraceCounts> {
  return goThrough(user, async ({ table, rows }) => {
    const result = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${rows}`.execute(db);
    return Number(result.rows[0]?.count ?? 0);
  });
}

/**
 * Erases the traces: a row that is about others as well loses what is personal about this user, any other row goes. The
 * rows of the ledger and of plans stay, nameless, because limits and a recovery count them.
 */
export async function eraseTraces(tx: Db, user: TracedUser): Promise<TraceCounts> {
  return goThrough(user, async ({ table, rows, change }) => {
    const what = change === undefined ? sql`delete from` : sql`update`;
    const set = change === undefined ? sql`` : sql`set ${change}`;
    const result = await sql`${what} ${sql.table(table)} ${set} where ${rows}`.execute(tx);
    return Number(result.numAffectedRows ?? 0);
  });
}

async function goThrough(
  user: TracedUser,
  work: (trace: Trace) => Promise<number>,
): Promise<TraceCounts> {
  const counts = new Map(TRACES.map((kind) => [kind, 0]));
  for (const trace of listTraces(user)) {
    counts.set(trace.kind, (counts.get(trace.kind) ?? 0) + (await work(trace)));
  }
  return toCounts(Object.fromEntries(counts));
}

function toCounts(counts: Record<string, number>): TraceCounts {
  return counts as TraceCounts;
}

/**
 * Lists one entry for each table that holds personal data. The order matters: events are found by the users they name.
 */
function listTraces(user: TracedUser): Trace[] {
  const { id, account, names, words } = user;
  const folded = names.map(foldCase);
  const number = account === null ? '' : String(account);
  const nameless = sql`${ERASED}`;
  return [
    { kind: 'addresses', table: 'user_emails', rows: sql`user_id = ${id}` },
    {
      kind: 'addresses',
      table: 'former_names',
      rows: sql`resource_type = 'user' and resource_id = ${id}`,
    },
    {
      kind: 'addresses',
      table: 'former_ids',
      rows: sql`resource_type = 'user' and resource_id = ${id}`,
    },
    { kind: 'groups', table: 'memberships', rows: sql`user_id = ${id}` },
    { kind: 'groups', table: 'group_admins', rows: sql`user_id = ${id}` },
    { kind: 'requests', table: 'notifications', rows: sql`subject = ${`user:${id}`}` },
    { kind: 'requests', table: 'notices', rows: sql`key like ${`leaver:${id}:%`}` },
    { kind: 'requests', table: 'changes', rows: sql`resource_id = ${id}` },
    {
      kind: 'requests',
      table: 'requests',
      rows: sql`resource_id = ${id}`,
      change: sql`resource_id = null`,
    },
    {
      kind: 'calls',
      table: 'own_calls',
      rows: sql`resource_id = ${id} or (resource_type = 'operator' and upstream_id = ${number})`,
      change: sql`resource_id = ${nameless}, upstream_id = null`,
    },
    {
      kind: 'calls',
      table: 'own_calls',
      rows: sql`member_id = ${number} and member_id <> ''`,
      change: sql`member_id = ${nameless}`,
    },
    { kind: 'drifts', table: 'drifts', rows: sql`resource_id = ${id} or member_id = ${id}` },
    {
      kind: 'plans',
      table: 'plan_actions',
      rows: sql`resource_id = ${id} or member_id = ${id}`,
      change: sql`desired = 'null', observed = 'null',
        resource_id = case when resource_id = ${id} then ${nameless} else resource_id end,
        member_id = case when member_id = ${id} then ${nameless} else member_id end`,
    },
    {
      kind: 'requests',
      table: 'leavers',
      rows: sql`user_id = ${id}`,
      change: sql`user_id = ${nameless}, remains = null, look_at = null`,
    },
    {
      kind: 'plans',
      table: 'acts',
      rows: sql`target = ${id}`,
      change: sql`target = ${nameless}`,
    },
    { kind: 'looks', table: 'inspections', rows: sql`resource_id = ${id}` },
    {
      kind: 'disputes',
      table: 'disputes',
      rows: sql`resource_type = 'user' and ${isOneOf('name_folded', folded)}`,
    },
    ...listEventTraces(user),
    ...words.map(({ table, column, seq, text, silent }) => ({
      ...({ kind: 'problems', table } as const),
      rows: sql`seq = ${seq} and ${sql.ref(column)} = ${text}
        and ${sql.ref(OWNERS[table])} <> ${id}`,
      change: sql`${sql.ref(column)} = ${silent}`,
    })),
  ];
}

/** Column that says whose row it is. */
const OWNERS = {
  ...{ users: 'id', groups: 'id', memberships: 'user_id', group_admins: 'user_id' },
} as const satisfies Record<SilencedWords['table'], string>;

/** Reduces an event that names the user to its time, its kind and its author. */
function listEventTraces({ id, account, eventIds, authoredIds }: TracedUser): Trace[] {
  const naming = sql`id in (select event_id from audit_event_resources where resource_id = ${id})`;
  const silent = sql`message = null, details = null,
    explained_by = replace(explained_by, ${id}, ${ERASED})`;
  const says = [...chunks(eventIds)].map((some) => isOneOf('id', some));
  const authored = [...chunks(authoredIds)].map((some) => isOneOf('id', some));
  return [
    { kind: 'events', table: 'audit_events', rows: naming, change: silent },
    ...says.map((rows) => ({
      ...({ kind: 'events', table: 'audit_events' } as const),
      rows: sql`${rows} and not ${naming}`,
      change: silent,
    })),
    ...[sql`author_id = ${account ?? -1}`, ...authored].map((rows) => ({
      ...({ kind: 'events', table: 'audit_events' } as const),
      rows,
      change: sql`author_id = null, author_uid = null, author_username = null, author_address = null`,
    })),
    ...[...chunks(eventIds)].map((some) => ({
      ...({ kind: 'events', table: 'audit_event_names' } as const),
      rows: isOneOf('event_id', some),
    })),
    { kind: 'events', table: 'audit_event_resources', rows: sql`resource_id = ${id}` },
  ];
}

/** A list in SQL is never empty. */
function isOneOf(column: string, values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join([...values])})`;
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
    shown_groups: '',
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
