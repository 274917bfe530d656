import { countFreeSeats, toDaysLeft } from '../../domain/seats.ts';
import type { PlanCounts } from '../../plan/plan-summary.ts';
import {
  countTakenSeats,
  countWaitingForSeat,
  findOldestSample,
} from '../../store/resources/backlog.ts';
import type { Db } from '../../store/store.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Reads what is known of the seats of the service at `now` (epoch milliseconds). `total` is the number of the settings; 0: not known. */
export async function readSeats(db: Db, total: number, now: number): Promise<OpsJson<'Seats'>> {
  const [used, waiting, oldest] = await Promise.all([
    countTakenSeats(db),
    countWaitingForSeat(db),
    findOldestSample(db),
  ]);
  const seats = { total: total === 0 ? undefined : total, used, waiting };
  return {
    total: seats.total ?? null,
    used,
    waiting,
    free: countFreeSeats(seats) ?? null,
    daysLeft: toDaysLeft(seats, oldest, now) ?? null,
  };
}

/** Counts the seats that a plan needs and frees, beside those that are free. */
export function toPlanSeats(
  { kinds }: Pick<PlanCounts, 'kinds'>,
  { free }: OpsJson<'Seats'>,
): OpsJson<'PlanSeats'> {
  const count = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
  return {
    needs: count(['user.create', 'user.activate']),
    frees: count(['user.deactivate', 'user.delete']),
    has: free,
  };
}
