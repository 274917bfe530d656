import { type RawBuilder, sql } from 'kysely';
import { endRest, listStuck as listStuckCells } from '../../domain/failure.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { TakenSeats } from '../../domain/seats.ts';
import { parseCells, parseStored } from '../engine/columns.ts';
import { forUpdateOfFree, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { countWhere, findOne } from '../tables.ts';
import { readRows, type UserRow, updateRow } from './rows.ts';
import { toObservedUser } from './state.ts';

const IS_FAILING = sql`stuck_at is null and attempts >= 3`;
/**
 * Time since which a resource waits: it became due then, or failed for the first time, because a failure moves the due
 * time.
 */
const WAITS_SINCE = sql`coalesce(failing_since, due_at)`;

/** Counts of waiting work, for status and health. */
export interface Backlog {
  readonly due: number;
  /** Number of those that would change the service. */
  readonly changes: number;
  readonly stuck: number;
  /** Number of those that failed several times, without those that are stuck. */
  readonly failing: number;
  /** Epoch milliseconds since when the oldest of those waits; undefined when there is none. */
  readonly failingSince: number | undefined;
  /** Number of users who wait for a free seat of the service alone. */
  readonly noSeat: number;
  /** Epoch milliseconds since when the first of those waits; undefined: nobody does. */
  readonly noSeatSince: number | undefined;
  /** Epoch milliseconds since when the oldest waits that is neither stuck nor waits for a seat; undefined: none waits. */
  readonly oldestSince: number | undefined;
  /** Users and groups that wait for their turn alone, in the order of their turns. */
  readonly queued: Readonly<Record<QueuedClass, number>>;
}

/** Classes of what waits for its turn, the most urgent first. */
const QUEUED_CLASSES = ['removals', 'changes', 'looks'] as const;

type QueuedClass = (typeof QUEUED_CLASSES)[number];

/** Counts as they are read, where null is in the place of undefined. */
type BacklogRow = Readonly<
  Record<Exclude<keyof Backlog, 'queued' | 'changes'> | 'writes' | QueuedClass, number | null>
>;

/** Counts what is due, what fails and what is stuck. All of it stands in the index of what is due. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const rows = await select<BacklogRow>(db)`
    select count(*) as due, count(case when due_class < 2 then 1 end) as writes,
      count(stuck_at) as stuck,
      count(case when ${IS_FAILING} then 1 end) as failing,
      min(case when ${IS_FAILING} then ${WAITS_SINCE} end) as "failingSince",
      min(case when stuck_at is null and seat_since is null then ${WAITS_SINCE} end) as "oldestSince",
      count(seat_since) as "noSeat", min(seat_since) as "noSeatSince",
      ${sql.join(QUEUED_CLASSES.map(countQueued))}
    from resources where due_at is not null`;
  const count = (name: keyof BacklogRow) => Number(rows[0]?.[name] ?? 0);
  return {
    due: count('due'),
    changes: count('writes'),
    stuck: count('stuck'),
    failing: count('failing'),
    failingSince: rows[0]?.failingSince ?? undefined,
    noSeat: count('noSeat'),
    noSeatSince: rows[0]?.noSeatSince ?? undefined,
    oldestSince: rows[0]?.oldestSince ?? undefined,
    queued: { removals: count('removals'), changes: count('changes'), looks: count('looks') },
  };
}

function countQueued(name: QueuedClass, dueClass: number): RawBuilder<unknown> {
  const isQueued = sql`due_class = ${sql.lit(dueClass)} and stuck_at is null and attempts < 3
    and seat_since is null`;
  return sql`count(case when ${isQueued} then 1 end) as ${sql.ref(name)}`;
}

/** A resource with a change that fails at each attempt. */
export interface TroubledResource {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The service's words and their code. */
  readonly problem: { readonly code: string; readonly words: string };
  /** Time since which the change waits; epoch milliseconds. */
  readonly since: number;
  /** Time of the next attempt, epoch milliseconds. */
  readonly nextAttemptAt: number | null;
}

/** Lists resources with a failing change, the longest first; stuck ones are not among them. */
export async function listFailing(db: Db, limit: number): Promise<TroubledResource[]> {
  const rows = await select<Omit<TroubledResource, 'problem'> & { problem: string | null }>(db)`
    select type, id, name, last_error as problem, ${WAITS_SINCE} as since, due_at as "nextAttemptAt"
    from resources where due_at is not null and ${IS_FAILING}
    order by since, id limit ${limit}`;
  return rows.map(({ problem, ...row }) => ({
    ...row,
    problem: parseStored(problem ?? '{"code":"unknown","words":""}'),
  }));
}

/** Part of a resource that was acknowledged and that the service refuses: a field, or one user in a list of a group. */
export interface StuckPart {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The field of the user or group; `members` or `admins` for a user in a list. */
  readonly field: string;
  /** The SCIM id of the user in the list. */
  readonly person?: string;
  /** The service's words and their code. */
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Time of the next attempt, epoch milliseconds; null: as soon as it can be. */
  readonly nextAttemptAt: number | null;
}

/** Lists stuck fields and links, the longest first. */
export async function listStuck(db: Db, limit: number): Promise<StuckPart[]> {
  const parts = [...(await listStuckFields(db, limit)), ...(await listStuckLinks(db, limit))];
  return parts
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : Number(a.id > b.id)))
    .slice(0, limit);
}

async function listStuckFields(db: Db, limit: number): Promise<StuckPart[]> {
  const rows = await select<
    Pick<StuckPart, 'type' | 'id' | 'name'> & { cells: string; due_at: number | null }
  >(db)`select type, id, name, cells, due_at from resources
    where stuck_at is not null order by stuck_at, id limit ${limit}`;
  return rows.flatMap(({ type, id, name, due_at, ...row }) =>
    listStuckCells(parseCells<string>(row)).map(([field, { problem, since, retryAt }]) => ({
      type,
      id,
      name,
      field,
      problem,
      since,
      nextAttemptAt: Math.max(retryAt, Number(due_at)),
    })),
  );
}

async function listStuckLinks(db: Db, limit: number): Promise<StuckPart[]> {
  const rows = await select<Omit<StuckPart, 'type' | 'problem'> & { problem: string }>(db)`
    select link.list || 's' as field, home.id, home.name,
      person.id as person, link.problem, link.stuck_at as since,
      case when link.retry_at > home.due_at then link.retry_at else home.due_at end as "nextAttemptAt"
    from links as link join resources as home on home.seq = link.group_id join resources as person on person.seq = link.target
    where link.stuck_at is not null order by since, home.id, person.id limit ${limit}`;
  return rows.map((row) => ({
    ...row,
    type: 'group',
    problem: parseStored<Refusal>(row.problem),
  }));
}

/** Condition of a user with an addition that waits. One of whom nothing is left to do waits for nothing. */
const IS_WAITING = sql`seat_since is not null and due_at is not null`;

/**
 * Makes the next user who waits for a free seat due at `at` (epoch milliseconds), unless the user is due before. The
 * next one is the user with the oldest last attempt.
 */
export async function retryNextForSeat(tx: Db, at: number): Promise<void> {
  const rows = await select<Pick<UserRow, 'type' | 'id' | 'cells' | 'due_at'>>(tx)`
    select type, id, cells, due_at from resources where ${IS_WAITING}
    order by due_at, seq limit 1 ${forUpdateOfFree(tx)}`;
  const [next] = rows;
  if (next === undefined) return;
  await updateRow(tx, next, {
    cells: JSON.stringify(endRest(parseCells(next), at, 'seat')),
    due_at: Math.min(next.due_at ?? at, at),
  });
}

/** Counts the accounts that take a seat of the service. */
export async function countTakenSeats(db: Db): Promise<number> {
  const rows = await select<{ taken: number }>(db)`
    select count(distinct upstream_id) as taken from resources
    where takes_seat = 1 and upstream_id is not null`;
  return Number(rows[0]?.taken ?? 0);
}

/** Counts the users who wait for a free seat. */
export function countWaitingForSeat(db: Db): Promise<number> {
  return countWhere(db, 'resources', { seat_since: { '<>': null }, due_at: { '<>': null } });
}

/** Finds the oldest count of the seats that are taken; undefined: there is none. */
export async function findOldestSample(db: Db): Promise<TakenSeats | undefined> {
  const oldest = await findOne(db, 'samples', {}, { order: 'at' });
  return oldest && { at: oldest.at, used: oldest.seats };
}

/** Active accounts that have the same role and licences. */
export interface AssignedAccounts {
  /** Role in the company; null: not known. */
  readonly role: number | null;
  /** Licences as bits; null: not known. */
  readonly appsPermissions: number | null;
  readonly count: number;
}

const PART = 1_000;

/** Counts the active accounts of the service by role and licences, as they were last seen. */
export async function countAssigned(db: Db): Promise<AssignedAccounts[]> {
  const counted = new Map<string, AssignedAccounts>();
  const part = { limit: PART, where: { upstream_id: { '<>': null } } } as const;
  for await (const rows of readRows(db, 'user', part)) {
    for (const row of rows) {
      const { active, role = null, appsPermissions = null } = toObservedUser(row) ?? {};
      if (active !== true) continue;
      const key = `${role} ${appsPermissions}`;
      const count = (counted.get(key)?.count ?? 0) + 1;
      counted.set(key, { role, appsPermissions, count });
    }
  }
  return [...counted.values()];
}
