import { sql } from 'kysely';
import { endRest } from '../../domain/failure.ts';
import type { TakenSeats } from '../../domain/seats.ts';
import { parseCells } from '../engine/columns.ts';
import { forUpdateOfFree } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { findOne } from '../tables.ts';
import { readRows, type UserRow, updateRow } from './rows.ts';
import { toObservedUser } from './state.ts';

/** Condition of a user with an addition that waits. One of whom nothing is left to do waits for nothing. */
const IS_WAITING = sql`seat_since is not null and due_at is not null`;

/**
 * Makes the next user who waits for a free seat due at `at` (epoch milliseconds), unless the user is due before. The
 * next one is the user with the oldest last attempt.
 */
export async function retryNextForSeat(tx: Db, at: number): Promise<void> {
  const { rows } = await sql<Pick<UserRow, 'type' | 'id' | 'cells' | 'due_at'>>`
    select type, id, cells, due_at from resources where ${IS_WAITING}
    order by due_at, seq limit 1 ${forUpdateOfFree(tx)}`.execute(tx);
  const [next] = rows;
  if (next === undefined) return;
  await updateRow(tx, next, {
    cells: JSON.stringify(endRest(parseCells(next), at, 'seat')),
    due_at: Math.min(next.due_at ?? at, at),
  });
}

/** Counts the accounts that take a seat of the service. */
export async function countTakenSeats(db: Db): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    select count(distinct upstream_id) as taken from resources
    where takes_seat = 1 and upstream_id is not null`.execute(db);
  return Number(rows[0]?.taken ?? 0);
}

/** Counts the users who wait for a free seat. */
export async function countWaitingForSeat(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from resources where ${IS_WAITING}`.execute(db);
  return Number(rows[0]?.waiting ?? 0);
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

/** Rows that are read at once. */
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
