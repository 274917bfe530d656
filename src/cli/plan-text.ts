import { isHolding } from '../domain/plan.ts';
import { toCount } from '../domain/text.ts';
import { toSubject } from '../ops/lists/drifts.ts';
import type { PlanAnswer } from '../ops/schemas/plans.ts';
import type { PlanSeats } from '../ops/schemas/seats.ts';

/** Prints the counts of a plan in one line that names no user and no group. */
export function toPlanHead(plan: PlanAnswer): string {
  const { id, status, source, reason, counts, waiting } = plan;
  const why = reason === null ? '' : ` (${reason})`;
  const rest = status === 'held' ? `, ${toCount(waiting, 'waits', 'wait')}` : '';
  return `Plan ${id} of ${source}: ${toCount(counts.total, 'action')}, ${status}${rest}${why}\n`;
}

/** Prints the seats that a plan needs; nothing where it needs none, or how many are free is not known. */
export function toSeatText(seats: PlanSeats | null): string {
  if (seats === null || seats.needs === 0 || seats.has === null) return '';
  const freed = seats.frees === 0 ? '' : `, frees ${seats.frees}`;
  return `Seats: needs ${seats.needs}${freed}, has ${seats.has}.\n`;
}

/** Sources of plans that are about no change in the service. */
const OWN: readonly PlanAnswer['source'][] = ['handover', 'undo', 'first-run'];

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
export function toPlanAnswerText(plan: PlanAnswer): string {
  const { id, hash, status, source, counts, summary, actions } = plan;
  const unknown = OWN.includes(source) ? '' : 'not known by whom';
  const sums = summary.map(({ kind, by, count }) => {
    const author = by === null ? unknown : `by ${by}`;
    return `  ${String(count).padStart(6)} ${kind.padEnd(18)} ${author}`.trimEnd();
  });
  const lines = actions.map((action) => {
    const { kind, harm, who, reason } = action;
    const isHarm = harm === null ? '' : ` [${harm}]`;
    const author = who === null ? '' : ` · ${who.by} at ${who.at}`;
    return `  ${kind.padEnd(18)} ${toSubject(action)}: ${reason}${isHarm} · ${action.status}${author}`;
  });
  const left = counts.total - actions.length;
  const nothing = isHolding(source)
    ? 'leaves the service as it is, and takes that as what is desired'
    : 'does nothing of it';
  const decisions = `
scim-bridge plan approve ${id} ${hash}   does exactly this, as far as it still holds
scim-bridge plan discard ${id}   ${nothing}
`;
  return [
    toPlanHead(plan),
    toSeatText(plan.seats),
    ...sums.map((line) => `${line}\n`),
    '\n',
    ...lines.map((line) => `${line}\n`),
    left > 0 ? `  … and ${left} more\n` : '',
    status === 'held' ? decisions : '',
  ].join('');
}
