import { type RawBuilder, sql } from 'kysely';
import { ERASED } from '../../domain/erasure.ts';
import { foldCase } from '../../domain/fold.ts';
import type { UserId } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { SilencedWords } from './kept-words.ts';

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

/** Lists one entry for each table that holds personal data. The order matters: events are found by the users they name. */
function listTraces(user: TracedUser): Trace[] {
  const { id } = user;
  const ofUser = sql`resource_type = 'user' and resource_id = ${id}`;
  const named = isOneOf('name_folded', user.names.map(foldCase));
  return [
    { kind: 'addresses', table: 'user_emails', rows: sql`user_id = ${id}` },
    { kind: 'addresses', table: 'former_names', rows: ofUser },
    { kind: 'addresses', table: 'former_ids', rows: ofUser },
    { kind: 'groups', table: 'memberships', rows: sql`user_id = ${id}` },
    { kind: 'groups', table: 'group_admins', rows: sql`user_id = ${id}` },
    { kind: 'requests', table: 'notifications', rows: sql`subject = ${`user:${id}`}` },
    { kind: 'requests', table: 'notices', rows: sql`key like ${`leaver:${id}:%`}` },
    { kind: 'requests', table: 'changes', rows: sql`resource_id = ${id}` },
    { kind: 'drifts', table: 'drifts', rows: sql`resource_id = ${id} or member_id = ${id}` },
    { kind: 'looks', table: 'inspections', rows: sql`resource_id = ${id}` },
    { kind: 'disputes', table: 'disputes', rows: sql`resource_type = 'user' and ${named}` },
    ...listNamelessTraces(user),
    ...listEventTraces(user),
    ...user.words.map(({ table, column, seq, text, silent }) => ({
      ...({ kind: 'problems', table } as const),
      rows: sql`seq = ${seq} and ${sql.ref(column)} = ${text}
        and ${sql.ref(OWNERS[table])} <> ${id}`,
      change: sql`${sql.ref(column)} = ${silent}`,
    })),
  ];
}

/** Takes the user's ids out of rows that stay. */
function listNamelessTraces({ id, account }: TracedUser): Trace[] {
  const number = account === null ? '' : String(account);
  return [
    {
      ...({ kind: 'requests', table: 'requests' } as const),
      rows: sql`resource_id = ${id}`,
      change: sql`resource_id = null`,
    },
    {
      ...({ kind: 'calls', table: 'own_calls' } as const),
      rows: sql`resource_id = ${id} or (resource_type = 'operator' and upstream_id = ${number})`,
      change: sql`resource_id = ${ERASED}, upstream_id = null`,
    },
    {
      ...({ kind: 'calls', table: 'own_calls' } as const),
      rows: sql`member_id = ${number} and member_id <> ''`,
      change: sql`member_id = ${ERASED}`,
    },
    {
      ...({ kind: 'plans', table: 'plan_actions' } as const),
      rows: sql`resource_id = ${id} or member_id = ${id}`,
      change: sql`desired = 'null', observed = 'null',
        resource_id = case when resource_id = ${id} then ${ERASED} else resource_id end,
        member_id = case when member_id = ${id} then ${ERASED} else member_id end`,
    },
    {
      ...({ kind: 'requests', table: 'leavers' } as const),
      rows: sql`user_id = ${id}`,
      change: sql`user_id = ${ERASED}, remains = null, look_at = null`,
    },
    {
      ...({ kind: 'plans', table: 'acts' } as const),
      rows: sql`target = ${id}`,
      change: sql`target = ${ERASED}`,
    },
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
  const anonymous = sql`author_id = null, author_uid = null, author_username = null, author_address = null`;
  const of = { kind: 'events', table: 'audit_events' } as const;
  const said = [...chunks(eventIds)];
  const authored = [...chunks(authoredIds)].map((some) => isOneOf('id', some));
  return [
    { ...of, rows: naming, change: silent },
    ...said.map((some) => ({
      ...of,
      rows: sql`${isOneOf('id', some)} and not ${naming}`,
      change: silent,
    })),
    ...[sql`author_id = ${account ?? -1}`, ...authored].map((rows) => ({
      ...of,
      rows,
      change: anonymous,
    })),
    ...said.map((some) => ({
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
