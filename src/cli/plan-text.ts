import { isHolding } from '../domain/plan.ts';
import { toCount } from '../domain/text.ts';
import type { PlanAnswer } from '../ops/schemas/plans.ts';
import type { PlanSeats } from '../ops/schemas/seats.ts';
import { toSubject } from './lists.ts';

/** Prints the counts of a plan in one line that names no user and no group. */
export function toPlanHead({
  id,
  status,
  source,
  reason,
  counts,
  waiting,
}: Pick<PlanAnswer, 'id' | 'status' | 'source' | 'reason' | 'counts' | 'waiting'>): string {
  const why = reason === null ? '' : ` (${reason})`;
  const rest = status === 'held' ? `, ${toCount(waiting, 'waits', 'wait')}` : '';
  return `Plan ${id} of ${source}: ${toCount(counts.total, 'action')}, ${status}${rest}${why}\n`;
}

/** Prints the seats that a plan needs; nothing where it needs none, or how many are free is not known. */
export function toSeatText(seats: PlanSeats | null): string {
  if (seats === null || seats.needs === 0 || seats.has === null) return '';
  const { needs, frees, has } = seats;
  const freed = frees === 0 ? '' : `, frees ${frees}`;
  return `Seats: needs ${needs}${freed}, has ${has}.\n`;
}

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
export function toPlanAnswerText(plan: PlanAnswer): string {
  const { id, hash, status, source, counts, summary, actions } = plan;
  const lines = actions.map((action) => {
    const { kind, harm, who } = action;
    const isHarm = harm === null ? '' : ` [${harm}]`;
    const author = who === null ? '' : ` · ${who.by} at ${who.at}`;
    return `  ${kind.padEnd(18)} ${toSubject(action)}: ${action.reason}${isHarm} · ${action.status}${author}\n`;
  });
  const sums = summary.map(
    ({ kind, by, count }) =>
      `${`  ${String(count).padStart(6)} ${kind.padEnd(18)} ${toBy(by, source)}`.trimEnd()}\n`,
  );
  const left = counts.total - actions.length;
  const more = left > 0 ? `  … and ${left} more\n` : '';
  const decisions = status === 'held' ? toDecisions({ id, hash, source }) : '';
  return `${toPlanHead(plan)}${toSeatText(plan.seats)}${sums.join('')}\n${lines.join('')}${more}${decisions}`;
}

/** Sources of plans that are about no change in the service. */
const OWN: readonly PlanAnswer['source'][] = ['handover', 'undo', 'first-run'];

function toBy(by: string | null, source: PlanAnswer['source']): string {
  if (by !== null) return `by ${by}`;
  return OWN.includes(source) ? '' : 'not known by whom';
}

function toDecisions({ id, hash, source }: Pick<PlanAnswer, 'id' | 'hash' | 'source'>): string {
  const nothing = isHolding(source)
    ? 'leaves the service as it is, and takes that as what is desired'
    : 'does nothing of it';
  return `
scim-bridge plan approve ${id} ${hash}   does exactly this, as far as it still holds
scim-bridge plan discard ${id}   ${nothing}
`;
}
