import { type RawBuilder, sql } from 'kysely';
import { endRest, listStuck as listStuckCells } from '../../domain/failure.ts';
import type { GivenKey, Refusal } from '../../domain/values.ts';
import { parseCells, parseStored } from '../engine/columns.ts';
import { forUpdate, readNumber, readOne, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { readRows, type UserRow, updateRow } from './rows.ts';
import { toObservedUser } from './state.ts';

const IS_FAILING = sql`stuck_at is null and attempts >= 3`;
/** Since when a resource waits: a failure moves the due time. */
const WAITS_SINCE = sql`coalesce(failing_since, due_at)`;
const IS_QUEUED = sql`stuck_at is null and attempts < 3 and seat_since is null`;

const countCase = (condition: RawBuilder<unknown>) => sql`count(case when ${condition} then 1 end)`;

/** Counts of waiting work, for status and health. All of it stands in the index of what is due. */
const COUNTS = {
  due: sql`count(*)`,
  /** Those that would change the service. */
  changes: countCase(sql`due_class < 2`),
  stuck: sql`count(stuck_at)`,
  /** Those that failed several times, without those that are stuck. */
  failing: countCase(IS_FAILING),
  /** Users who wait for a free seat of the service alone. */
  noSeat: sql`count(seat_since)`,
  removals: countCase(sql`due_class = 0 and ${IS_QUEUED}`),
  writes: countCase(sql`due_class = 1 and ${IS_QUEUED}`),
  looks: countCase(sql`due_class = 2 and ${IS_QUEUED}`),
} as const;

const SINCE = {
  failingSince: sql`min(case when ${IS_FAILING} then ${WAITS_SINCE} end)`,
  noSeatSince: sql`min(seat_since)`,
  /** Of what is neither stuck nor waits for a seat. */
  oldestSince: sql`min(case when stuck_at is null and seat_since is null then ${WAITS_SINCE} end)`,
} as const;

/** Counts what is due, what fails and what is stuck; `queued` waits for its turn alone, in the order of the turns. */
export async function readBacklog(db: Db) {
  type Counted = Readonly<Record<keyof typeof COUNTS, number>> &
    Readonly<Record<keyof typeof SINCE, number | null>>;
  const columns = Object.entries({ ...COUNTS, ...SINCE }).map(
    ([name, value]) => sql`${value} as ${sql.ref(name)}`,
  );
  const { removals, writes, looks, ...counts } = await readOne<Counted>(db)`
    select ${sql.join(columns)} from resources where due_at is not null`;
  return { ...counts, queued: { removals, changes: writes, looks } };
}

interface TroubledResource extends GivenKey {
  readonly name: string;
  /** The service's words and their code. */
  readonly problem: { readonly code: string; readonly words: string };
  /** Time since which the change waits. */
  readonly since: number;
  readonly nextAttemptAt: number | null;
}

/** Lists resources with a failing change, the longest first; stuck ones are not among them. */
export async function listFailing(db: Db, limit: number): Promise<TroubledResource[]> {
  const rows = await select<Omit<TroubledResource, 'problem'> & { problem: string | null }>(db)`
    select type, id, name, last_error as problem, ${WAITS_SINCE} as since, due_at as "nextAttemptAt"
    from resources where due_at is not null and ${IS_FAILING}
    order by since, id limit ${limit}`;
  const unknown = '{"code":"unknown","words":""}';
  return rows.map((row) => ({ ...row, problem: parseStored(row.problem ?? unknown) }));
}

/** Part that was acknowledged and that the service refuses: a field, or a user in the members or admins. */
interface StuckPart extends TroubledResource {
  readonly field: string;
  readonly person?: string;
  readonly problem: Refusal;
}

/** Lists stuck fields and links, the longest first. */
export async function listStuck(db: Db, limit: number): Promise<StuckPart[]> {
  const parts = [...(await listStuckFields(db, limit)), ...(await listStuckLinks(db, limit))];
  return parts
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : Number(a.id > b.id)))
    .slice(0, limit);
}

async function listStuckFields(db: Db, limit: number): Promise<StuckPart[]> {
  const rows = await select<Pick<UserRow, 'name' | 'cells' | 'due_at'> & GivenKey>(db)`
    select type, id, name, cells, due_at from resources
    where stuck_at is not null order by stuck_at, id limit ${limit}`;
  return rows.flatMap(({ cells, due_at, ...row }) =>
    listStuckCells(parseCells<string>({ cells })).map(([field, { problem, since, retryAt }]) => {
      const nextAttemptAt = Math.max(retryAt, Number(due_at));
      return { ...row, field, problem, since, nextAttemptAt };
    }),
  );
}

async function listStuckLinks(db: Db, limit: number): Promise<StuckPart[]> {
  const rows = await select<Omit<StuckPart, 'type' | 'problem'> & { problem: string }>(db)`
    select link.list || 's' as field, home.id, home.name,
      person.id as person, link.problem, link.stuck_at as since,
      case when link.retry_at > home.due_at then link.retry_at else home.due_at end as "nextAttemptAt"
    from links as link join resources as home on home.seq = link.group_id join resources as person on person.seq = link.target
    where link.stuck_at is not null order by since, home.id, person.id limit ${limit}`;
  return rows.map((row) => ({ ...row, type: 'group', problem: parseStored(row.problem) }));
}

/** Makes the user due at `at` (epoch milliseconds) who waits for a seat and was tried longest ago. */
export async function retryNextForSeat(tx: Db, at: number): Promise<void> {
  const [next] = await select<Pick<UserRow, 'type' | 'id' | 'cells' | 'due_at'>>(tx)`
    select type, id, cells, due_at from resources where seat_since is not null and due_at is not null
    order by due_at, seq limit 1 ${forUpdate(tx, 'update skip locked')}`;
  if (next === undefined) return;
  await updateRow(tx, next, {
    cells: JSON.stringify(endRest(parseCells(next), at, 'seat')),
    due_at: Math.min(next.due_at ?? at, at),
  });
}

/** Counts the accounts that take a seat of the service. */
export const countTakenSeats = (db: Db) =>
  readNumber(
    db,
    sql`select count(distinct upstream_id) from resources
      where takes_seat = 1 and upstream_id is not null`,
  );

/** Number of active accounts that have the same role in the company and licences as bits; null: not known. */
export type AssignedAccounts = Readonly<Record<'role' | 'appsPermissions', number | null>> & {
  readonly count: number;
};

/** Counts the active accounts of the service by role and licences, as they were last seen. */
export async function countAssigned(db: Db): Promise<AssignedAccounts[]> {
  const counted = new Map<string, AssignedAccounts>();
  const part = { limit: 1_000, where: { upstream_id: { '<>': null } } } as const;
  for await (const rows of readRows(db, 'user', part)) {
    for (const row of rows) {
      const { active, role = null, appsPermissions = null } = toObservedUser(row) ?? {};
      if (active !== true) continue;
      const key = `${role} ${appsPermissions}`;
      counted.set(key, { role, appsPermissions, count: (counted.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counted.values()];
}
