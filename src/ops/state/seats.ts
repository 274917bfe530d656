import { countFreeSeats, toDaysLeft } from '../../domain/seats.ts';
import type { PlanCounts } from '../../plan/plan-summary.ts';
import {
  countTakenSeats,
  countWaitingForSeat,
  findOldestSample,
} from '../../store/resources/seats.ts';
import type { Db } from '../../store/store.ts';
import type { PlanSeats, SeatsView } from '../schemas/seats.ts';

/** Reads what is known of the seats of the service at `now` (epoch milliseconds). `total` is the number of the settings; 0: not known. */
export async function readSeats(db: Db, total: number, now: number): Promise<SeatsView> {
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
export function toPlanSeats({ kinds }: Pick<PlanCounts, 'kinds'>, { free }: SeatsView): PlanSeats {
  const count = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
  return {
    needs: count(['user.create', 'user.activate']),
    frees: count(['user.deactivate', 'user.delete']),
    has: free,
  };
}
