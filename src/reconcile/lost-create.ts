import { type Cells, isWaiting } from '../domain/cell.ts';
import type { SentCreate } from '../domain/resource-state.ts';
import { parseCells } from '../store/engine/columns.ts';
import { isLinked, isUserRow, type ResourceRow } from '../store/resources/rows.ts';
import { LOST_CREATE } from '../store/resources/sent-creates.ts';
import {
  isStale,
  type Postponed,
  toRetryColumns,
  toSuccessColumns,
  toUnsureColumns,
} from './retry-columns.ts';

/**
 * Copies the row without the create of a step that surely created nothing. Values of earlier creates stay: they may
 * have created something.
 */
export function withoutCreate<Row extends { readonly sent_creates: string }>(
  row: Row,
  { sentCreates }: { readonly sentCreates: readonly SentCreate[] },
): Row {
  return { ...row, sent_creates: JSON.stringify(sentCreates) };
}

/** State that a step was planned from, as far as looks and creates are concerned. */
interface LookPlanned {
  readonly mustLook: boolean;
  readonly cells: Cells<'account' | 'existence'>;
}

function isExistenceOf({ account, existence }: LookPlanned['cells']): boolean {
  return isWaiting(account) || isWaiting(existence);
}

/** True when the step that ended may have created the resource. */
function mayHaveCreated(row: ResourceRow, planned: LookPlanned): boolean {
  return !isLinked(row) && !planned.mustLook && isExistenceOf(planned.cells);
}

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
export function isLostLook(row: ResourceRow, { mustLook }: LookPlanned): boolean {
  if (row.lost_looks === 0 || isLinked(row) || !mustLook) return false;
  const isUnwanted = row.deleted_at !== null || (isUserRow(row) && row.active === 0);
  return isUnwanted || !isExistenceOf(parseCells(row));
}

/**
 * The row after a look that did not find the lost create, which is looked for again a bounded number of times; `isLast`:
 * no look is left.
 */
export function toAfterLostLook<Row extends ResourceRow>(
  row: Row,
  now: number,
): { readonly next: Row; readonly isLast: boolean } {
  const lost_looks = row.lost_looks - 1;
  const due_at = planNextLostLook(lost_looks, now);
  const next: Row = { ...row, ...toSuccessColumns(row), failing_since: null, lost_looks };
  if (due_at === undefined) return { next, isLast: true };
  return { next: { ...next, must_look: 1, due_at }, isLast: false };
}

/** Delays before the second and the last look, in milliseconds: the create may arrive late. */
const DELAYS_MS = [60_000, 15 * 60_000];

/** Time of the next look for the result of an undone create (epoch milliseconds); undefined when none is left. */
function planNextLostLook(looksLeft: number, now: number): number | undefined {
  if (looksLeft <= 0) return undefined;
  const made = LOST_CREATE.lost_looks - looksLeft;
  return made <= 0 ? now : now + (DELAYS_MS[made - 1] ?? 0);
}

/** The row after a step that is tried again: when, and what its call may have left. */
export function toRetriedRow<Row extends ResourceRow>(
  row: Row,
  outcome: Postponed,
  {
    planned,
    ...step
  }: { readonly planned: LookPlanned & { readonly version: number } } & Parameters<
    typeof toRetryColumns
  >[2],
): Row {
  const lost = mayHaveCreated(row, planned)
    ? outcome.kind === 'unknown' && LOST_CREATE
    : toUnsureColumns(row, outcome, planned);
  return { ...row, ...toRetryColumns(row, outcome, step), ...lost };
}

/** Keeps a refused look owed, unless nothing waits for the resource itself any more. */
export function keepLook<Row extends ResourceRow>(
  row: Row,
  { planned }: { readonly planned: LookPlanned },
): Row {
  if (!planned.mustLook) return row;
  const isOwed = isExistenceOf(parseCells(row)) || isStale(row);
  return { ...row, must_look: isOwed ? 1 : 0 };
}
