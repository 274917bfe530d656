import { toCount } from '../../src/ops/lists/words.ts';
import type { Ops } from '../api/types.ts';

type Drifts = Pick<Ops<'Status'>, 'drifts'>;

/** Counts the differences in these statuses, and those of them that a waiting plan repairs. */
export function countDrifts({ drifts }: Drifts, ...wanted: string[]) {
  const some = drifts.filter(({ status }) => wanted.includes(status));
  const sum = (what: 'count' | 'held') => some.reduce((all, drift) => all + drift[what], 0);
  return { count: sum('count'), held: sum('held') };
}

/** Differences that wait for a decision, as the page of drifts lists them. */
export function toDrifts(status: Drifts): string {
  const { count, held } = countDrifts(status, 'open', 'contested');
  return count === 0 ? 'nothing' : `${toCount(count, 'difference')}${toInPlan(held)}`;
}

/** Says how many of them a plan repairs. */
export function toInPlan(held: number): string {
  return held === 0 ? '' : `, ${held.toLocaleString('en')} of them in a plan`;
}
