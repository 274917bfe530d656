import { sql } from 'kysely';
import { endRest } from '../../domain/failure.ts';
import type { TakenSeats } from '../../domain/seats.ts';
import { parseCells } from '../engine/columns.ts';
import { forUpdateOfFree } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { type UserRow, updateUser } from './users.ts';

/** Condition of a user with an addition that waits. One of whom nothing is left to do waits for nothing. */
const IS_WAITING = sql`seat_since is not null and due_at is not null`;

/**
 * Makes the next of those who wait for a free seat due at `at` (epoch milliseconds), where it is not due before. Whose
 * last attempt is longest ago is due first, and so is the next.
 */
export async function retryNextForSeat(tx: Db, at: number): Promise<void> {
  const { rows } = await sql<Pick<UserRow, 'id' | 'cells' | 'due_at'>>`
    select id, cells, due_at from users where ${IS_WAITING}
    order by due_at, seq limit 1 ${forUpdateOfFree(tx)}`.execute(tx);
  const [next] = rows;
  if (next === undefined) return;
  await updateUser(tx, next.id, {
    cells: JSON.stringify(endRest(parseCells(next), at, 'seat')),
    due_at: Math.min(next.due_at ?? at, at),
  });
}

/** Counts the accounts that take a seat of the service. */
export async function countTakenSeats(db: Db): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    select count(distinct upstream_id) as taken from users
    where takes_seat = 1 and upstream_id is not null`.execute(db);
  return Number(rows[0]?.taken ?? 0);
}

/** Counts the users who wait for a free seat. */
export async function countWaitingForSeat(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from users where ${IS_WAITING}`.execute(db);
  return Number(rows[0]?.waiting ?? 0);
}

/** Finds the oldest count of the seats that are taken; undefined: there is none. */
export async function findOldestSample(db: Db): Promise<TakenSeats | undefined> {
  const oldest = db.selectFrom('samples').select(['at', 'seats as used']).orderBy('at').limit(1);
  return oldest.executeTakeFirst();
}
