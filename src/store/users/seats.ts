import { sql } from 'kysely';
import type { Cells } from '../../domain/cell.ts';
import { endRest, findSeatWait } from '../../domain/failure.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { SeatSums } from '../../domain/seats.ts';
import type { UserField } from '../../domain/user.ts';
import { parseCells } from '../engine/columns.ts';
import type { Db } from '../store.ts';
import { lockUser, updateUser } from './users.ts';

/** Condition of a user with an addition that waits. One of whom nothing is left to do waits for nothing. */
const IS_WAITING = sql`seat_since is not null and due_at is not null`;

/** First of the line for a free seat. */
export interface FirstForSeat {
  readonly id: UserId;
  readonly cells: Cells<UserField>;
}

/** Finds the user who waits longest for a free seat; undefined: nobody does. */
export async function findFirstForSeat(db: Db): Promise<FirstForSeat | undefined> {
  const { rows } = await sql<{ id: string; cells: string }>`
    select id, cells from users where ${IS_WAITING}
    order by seat_since, seq limit 1`.execute(db);
  const [first] = rows;
  return first && { id: userId(first.id), cells: parseCells<UserField>(first) };
}

/**
 * Makes the user due now who waits longest for a free seat; false: nobody waits. Whoever waits for nothing any more
 * leaves the line. `now` is epoch milliseconds.
 */
export async function callNextForSeat(tx: Db, now: number): Promise<boolean> {
  for (;;) {
    const first = await findFirstForSeat(tx);
    const row = first && (await lockUser(tx, first.id));
    if (row === undefined) return false;
    const cells = parseCells<UserField>(row);
    if (findSeatWait(cells) !== undefined) {
      const due_at = Math.min(row.due_at ?? now, now);
      await updateUser(tx, row.id, { cells: JSON.stringify(endRest(cells, now, 'seat')), due_at });
      return true;
    }
    await updateUser(tx, row.id, { seat_since: null });
  }
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

const DAY_MS = 24 * 3_600_000;

/** Adds the samples up for the trend of the seats that are taken. */
export async function sumSeatSamples(db: Db): Promise<SeatSums> {
  // In days since the first of them, so that the squares stay small.
  const x = sql`((at - (select min(at) from samples)) / ${sql.lit(DAY_MS)}.0)`;
  const { rows } = await sql<Record<keyof SeatSums, number | null>>`
    select count(*) as count, sum(${x}) as "sumX", sum(seats) as "sumY", sum(${x} * ${x}) as "sumXX",
      sum(${x} * seats) as "sumXY", max(at) - min(at) as "spanMs" from samples`.execute(db);
  const [sums] = rows;
  const read = (name: keyof SeatSums) => Number(sums?.[name] ?? 0);
  return {
    ...{ count: read('count'), sumX: read('sumX'), sumY: read('sumY') },
    ...{ sumXX: read('sumXX'), sumXY: read('sumXY'), spanMs: read('spanMs') },
  };
}
